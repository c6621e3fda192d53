import { refusal } from '../../src-main/base/refusal.ts'
import { describe, expect, it } from 'vitest'
import { noCounters } from '../../src-main/api/statistics/rules.ts'
import { begunCampaign } from '../support/campaigns.ts'

it('a paused campaign makes no more steps, and continues where it stopped', async () => {
  const { bench, id, plan, row } = await begunCampaign()
  const sliceId = plan?.message.contents[0]?.sliceId ?? 0
  expect(sliceId).toBeGreaterThan(0)
  const counters = { ...noCounters(), messages_sent: 1 }
  const steps = [
    () => bench.run('deliveries.recordLinks', { id, sliceId, urls: ['https://example.com'] }),
    () => bench.run('deliveries.recordRecipients', { id, recipients: 1 }),
    () => bench.run('deliveries.recordShares', { id, shares: [0.5, 1] }),
    () =>
      bench.run('deliveries.recordSent', {
        id,
        progress: { afterId: 1, position: 7 },
        counted: [{ sliceId, counters, subscriberIds: [1] }],
        suppressed: 0,
        recipients: []
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

it('each change of a campaign’s state is stored with its time, and cannot be repeated', async () => {
  const { bench, id, row } = await begunCampaign()
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

it('the end of a delivery does not override a pause by the user', async () => {
  const { bench, id, row } = await begunCampaign()
  const state = (): unknown =>
    row("SELECT state, paused, error_message ->> 'text' AS error_message FROM dispatches")
  const sending = { state: 'sending', paused: 0, error_message: null }
  expect(state()).toEqual(sending)
  await bench.run('campaigns.pause', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'failed', fault: refusal('said', { text: 'broken' }) } })
  expect(state()).toEqual({ ...sending, paused: 1 })
  await bench.run('campaigns.resume', { organizationId: 1, id })
  await bench.run('deliveries.end', {
    id,
    end: { is: 'held', fault: refusal('said', { text: 'the disk is full' }) }
  })
  expect(state()).toEqual({ state: 'sending', paused: 1, error_message: 'the disk is full' })
  await bench.run('campaigns.resume', { organizationId: 1, id })
  expect(state()).toEqual(sending)
  await bench.run('deliveries.end', { id, end: { is: 'failed', fault: refusal('said', { text: 'broken' }) } })
  expect(state()).toEqual({ state: 'failed', paused: 0, error_message: 'broken' })
})

describe('a split test', () => {
  const hour = 3_600_000
  const contents = ['First', 'Second'].map((subject) => ({ subject, text: 'x', format: 'text' as const }))

  /** A split test that has ended, with opens of the second content. */
  async function tested(percentage: number) {
    const all = await begunCampaign(contents, {
      autowinner_enabled: true,
      autowinner_percentage: percentage,
      autowinner_delay_amount: 1,
      autowinner_delay_unit: 'hours',
      autowinner_metric: 'opens_unique'
    })
    const { bench, id, plan } = all
    const [first, second] = plan?.message.contents ?? []
    const sent = (sliceId: number, opens: number) => ({
      sliceId,
      counters: { ...noCounters(), messages_sent: 5, opens_unique: opens, opens_total: opens },
      subscriberIds: []
    })
    await bench.run('deliveries.recordSent', {
      id,
      progress: { afterId: 1, position: 1 },
      counted: [sent(first?.sliceId ?? 0, 1), sent(second?.sliceId ?? 0, 2)],
      suppressed: 0,
      recipients: []
    })
    const over = Date.now()
    await bench.run('deliveries.end', { id, end: { is: 'finished' } }, { clock: over })
    const goOn = (clock: number) =>
      bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' }, { clock })
    const state = () =>
      all.row(
        'SELECT phase, decides_at - ' + over + ' AS decides_in, winning_content_id, after_id FROM deliveries'
      )
    const winner = second?.id
    return { ...all, over, goOn, state, winner }
  }

  it('starts with its share, and waits for its delay before the winner is sent', async () => {
    const { plan, over, goOn, state, winner, row } = await tested(50.5)
    expect(plan).toMatchObject({ pass: { kind: 'split_testing' }, percentage: 50.5, shares: null })
    const waiting = { phase: 'decision_delay', decides_in: hour, winning_content_id: null, after_id: 1 }
    expect(state()).toEqual(waiting)
    expect(
      row('SELECT count(*) AS count, count(DISTINCT snapshot_group) AS moments FROM stat_snapshots')
    ).toEqual({
      count: 0,
      moments: 0
    })
    expect(await goOn(over)).toBeNull()
    expect(await goOn(over + hour - 1)).toBeNull()
    expect(state()).toEqual(waiting)
    expect(await goOn(over + hour)).toMatchObject({
      pass: { kind: 'winner', contentId: winner },
      percentage: 50.5
    })
    expect(state()).toMatchObject({ phase: 'winner', winning_content_id: winner, after_id: 0 })
    expect(
      row('SELECT count(*) AS count, count(DISTINCT snapshot_group) AS moments FROM stat_snapshots')
    ).toEqual({
      count: 2,
      moments: 1
    })
  })

  it('starts its delay again if the clock was set back to before it began', async () => {
    const { over, goOn, state } = await tested(50)
    expect(await goOn(over - 1)).toBeNull()
    expect(state()).toMatchObject({ phase: 'decision_delay', decides_in: hour - 1 })
    expect(await goOn(over + hour - 2)).toBeNull()
    expect(await goOn(over + hour - 1)).not.toBeNull()
  })

  it('of all recipients needs no delay', async () => {
    const { plan, over, goOn, state } = await tested(100)
    expect(plan).toMatchObject({ percentage: 100 })
    expect(state()).toMatchObject({ phase: 'decision_delay', decides_in: 0 })
    expect(await goOn(over)).toMatchObject({ pass: { kind: 'winner' } })
  })

  it('that was not requested is not made: all recipients get one of the contents', async () => {
    const { plan, row } = await begunCampaign(contents, { autowinner_percentage: 30 })
    expect(plan).toMatchObject({ pass: { kind: 'everybody' }, percentage: 100, shares: null })
    expect(row('SELECT phase FROM deliveries')).toEqual({ phase: 'everybody' })
  })

  it('with a single content sends it to all', async () => {
    const { plan } = await begunCampaign(contents.slice(0, 1), {
      autowinner_enabled: true,
      autowinner_percentage: 30,
      autowinner_delay_amount: 1,
      autowinner_delay_unit: 'hours',
      autowinner_metric: 'opens_unique'
    })
    expect(plan).toMatchObject({ pass: { kind: 'everybody' }, percentage: 100 })
  })
})

it('subscribers who left while a campaign was being sent are not counted as recipients in the end', async () => {
  const { bench, id, plan, row } = await begunCampaign()
  await bench.run('deliveries.recordRecipients', { id, recipients: 9 })
  await bench.run('deliveries.recordSent', {
    id,
    progress: { afterId: 1, position: 1 },
    counted: [
      {
        sliceId: plan?.message.contents[0]?.sliceId ?? 0,
        counters: { ...noCounters(), messages_sent: 4, skips_error: 2, skips_request: 1 },
        subscriberIds: []
      }
    ],
    suppressed: 1,
    recipients: []
  })
  const recipients = () => row('SELECT recipients FROM deliveries')
  expect(recipients()).toEqual({ recipients: 8 })
  await bench.run('deliveries.end', { id, end: { is: 'finished' } })
  expect(recipients()).toEqual({ recipients: 7 })
  expect(row('SELECT state, finished_at > started_at AS later FROM dispatches')).toEqual({
    state: 'finished',
    later: 1
  })
})
