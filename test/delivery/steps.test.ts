import { expect, it } from 'vitest'
import { noCounters } from '../../src-main/api/statistics/rules.ts'
import { commandBench } from '../support/commands.ts'

/** A campaign of one content that has begun, whose steps are taken one by one. */
async function begun() {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  await bench.run('settings.ensureSigningSecret', undefined)
  const mailingListId = await bench.run('mailingLists.create', {
    organizationId: 1,
    list: { name: 'Readers' }
  })
  const scope = { organizationId: 1, timeZone: 'UTC', mailingListId }
  await bench.run('subscribers.create', {
    ...scope,
    subscriber: {
      email: 'a@example.com',
      status: 'active',
      custom_fields: {},
      apply_custom_field_defaults: false,
      skip_autoresponders: true,
      autoresponder_exclude_reacted: false
    }
  })
  const id = await bench.run('campaigns.create', {
    ...scope,
    kind: 'campaign',
    source: {
      source_template_id: null,
      duplicate_segmentation_criteria: false,
      duplicate_content: false,
      duplicate_dispatch: false
    },
    campaign: {
      name: 'News',
      dispatch_attributes: { begins_at: Math.floor(Date.now() / 1000) - 60, from_email: 'news@example.com' },
      contents: [{ subject: 'Hello', text: 'https://example.com', format: 'text' }],
      segmentation_criteria_ad_hoc: []
    }
  })
  const plan = await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })
  const row = (sql: string): unknown => bench.sqlite.prepare(sql).get()
  return { bench, id, plan, row }
}

it('a campaign that was paused takes no step any more, and goes on where it was', async () => {
  const { bench, id, plan, row } = await begun()
  const sliceId = plan?.message.contents[0]?.sliceId ?? 0
  expect(sliceId).toBeGreaterThan(0)
  const counters = { ...noCounters(), messages_sent: 1 }
  const steps = [
    () => bench.run('deliveries.noteLinks', { id, sliceId, urls: ['https://example.com'] }),
    () => bench.run('deliveries.noteRecipients', { id, recipients: 1 }),
    () => bench.run('deliveries.noteShares', { id, shares: [0.5, 1] }),
    () =>
      bench.run('deliveries.noteSent', {
        id,
        progress: { afterId: 1, position: 7 },
        counted: [{ sliceId, counters, subscriberIds: [1] }],
        suppressed: 0
      })
  ]
  const noted = (): unknown =>
    row(`SELECT recipients, shares, after_id, position, (SELECT count(*) FROM stat_links) AS links,
      (SELECT count(*) FROM stat_recipients) AS sent, (SELECT coalesce(sum(messages_sent), 0) FROM stat_counters) AS counted
      FROM deliveries`)
  const before = noted()
  await bench.run('campaigns.pause', { organizationId: 1, id })
  for (const step of steps) expect(await step()).toBe(false)
  expect(noted()).toEqual(before)
  expect(await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })).toBeNull()
  await bench.run('campaigns.resume', { organizationId: 1, id })
  expect(await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })).not.toBeNull()
  for (const step of steps) expect(await step()).toBe(true)
  expect(noted()).toMatchObject({ recipients: 1, after_id: 1, position: 7, links: 1, sent: 1, counted: 1 })
})

it('each change of a campaign’s state is noted with its time, and cannot be made twice', async () => {
  const { bench, id, row } = await begun()
  const changedAt = (): unknown => row('SELECT updated_at FROM campaigns')
  const times = [changedAt()]
  const named = { organizationId: 1, id }
  await expect(bench.run('campaigns.resume', named)).rejects.toThrow('a campaign that is not paused')
  for (const change of ['pause', 'resume', 'pause', 'cancel'] as const) {
    await bench.run(`campaigns.${change}`, named)
    if (change === 'pause') {
      await expect(bench.run('campaigns.pause', named)).rejects.toThrow('that is paused already')
    }
    times.push(changedAt())
  }
  expect(new Set(times.map((time) => JSON.stringify(time))).size).toBe(5)
  for (const change of ['pause', 'resume', 'cancel'] as const) {
    await expect(bench.run(`campaigns.${change}`, named)).rejects.toThrow(`that is cancelled cannot be`)
  }
})

it('a campaign that fails, is held or ends after somebody paused it stays as they left it', async () => {
  const { bench, id, row } = await begun()
  const state = (): unknown => row('SELECT state, paused, error_message FROM dispatches')
  const sending = { state: 'sending', paused: 0, error_message: null }
  expect(state()).toEqual(sending)
  await bench.run('campaigns.pause', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'failed', message: 'broken' } })
  expect(state()).toEqual({ ...sending, paused: 1 })
  await bench.run('campaigns.resume', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'held', message: 'the disk is full' } })
  expect(state()).toEqual({ state: 'sending', paused: 1, error_message: 'the disk is full' })
  await bench.run('campaigns.resume', { organizationId: 1, id })
  expect(state()).toEqual(sending)
  await bench.run('deliveries.end', { id, end: { is: 'failed', message: 'broken' } })
  expect(state()).toEqual({ state: 'failed', paused: 0, error_message: 'broken' })
})
