import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { StorageFault } from '../../src-main/base/errors.ts'
import type { CommandName } from '../../src-main/database/command.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { usualSchedule } from '../../src-main/delivery/smtp/retry-schedule.ts'
import { Delivery } from '../../src-main/delivery/delivery.ts'
import { begunCampaign } from '../support/campaigns.ts'
import { clientOf } from '../support/commands.ts'
import { outboxOf } from '../support/outbox.ts'

type Campaign = Awaited<ReturnType<typeof begunCampaign>>

const linkBase = 'http://127.0.0.1'
const people = (count: number) => Array.from({ length: count }, () => ({}))
const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    subject: `S${index + 1}`,
    text: 'x',
    format: 'text' as const
  }))

/**
 * Runs a campaign's delivery like its thread.
 * @param before called before each command
 */
function deliver(
  { bench, id }: Campaign,
  { before, signal }: { before?: (name: CommandName) => unknown; signal?: AbortSignal } = {}
) {
  const job = {
    id,
    dataDirectory: bench.directory,
    client: clientOf(bench, before),
    signal: signal ?? new AbortController().signal,
    data: {
      linkBase,
      secrets: {},
      signingKeys: [],
      dnsServers: [],
      gateKeys: {},
      database: null,
      schedule: usualSchedule
    }
  }
  return new Delivery(job, kyselyOver(bench.sqlite)).run()
}

const sentTo = async ({ bench, id }: Campaign) =>
  (await outboxOf(bench.directory, id)).map(({ headers }) => headers.get('to'))

const sums = ({ row }: Campaign, ...names: string[]) =>
  row(`SELECT ${names.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM stat_counters`)

it('a message is counted in the format in which it was sent, a multipart one as HTML too', async () => {
  const contents = (['both', 'html', 'text'] as const).map((format) => ({
    subject: format,
    html: '<p>x</p>',
    text: 'x',
    format
  }))
  for (const [place, expected] of [
    { sent_multipart: 1, sent_html: 0, sent_text: 1, messages_html: 1, messages_text: 1 },
    { sent_multipart: 0, sent_html: 2, sent_text: 0, messages_html: 2, messages_text: 0 },
    { sent_multipart: 0, sent_html: 0, sent_text: 2, messages_html: 0, messages_text: 2 }
  ].entries()) {
    // Of a content that has both, only those who ask for plain text get it alone.
    const campaign = await begunCampaign(
      contents.slice(place, place + 1),
      {},
      { people: [{ email_format: 'html' }, { email_format: 'plaintext' }], list: { has_format: true } }
    )
    expect(await deliver(campaign)).toEqual({ is: 'finished' })
    expect(sums(campaign, ...Object.keys(expected))).toEqual(expected)
    expect(sums(campaign, 'messages_sent', 'delivered', 'total_messages', 'total_success')).toEqual({
      messages_sent: 2,
      delivered: 2,
      total_messages: 2,
      total_success: 2
    })
  }
})

it('a list without a choice of formats sends both formats to everyone', async () => {
  const content = { subject: 'x', html: '<p>x</p>', text: 'x', format: 'both' as const }
  const campaign = await begunCampaign([content], {}, { people: [{}], list: { has_format: true } })
  campaign.bench.sqlite.exec("UPDATE subscribers SET email_format = 'plaintext'")
  campaign.bench.sqlite.exec('UPDATE mailing_lists SET has_format = 0')
  await deliver(campaign)
  expect(sums(campaign, 'sent_multipart', 'sent_text')).toEqual({ sent_multipart: 1, sent_text: 0 })
})

it('seeds get each content first and once, and do not count as recipients', async () => {
  const campaign = await begunCampaign(
    texts(2),
    {},
    { people: people(3), seeds: ['s1@example.com', 's2@example.com'] }
  )
  expect(await deliver(campaign)).toEqual({ is: 'finished' })
  const all = await sentTo(campaign)
  expect(all.slice(0, 4)).toEqual(['s1@example.com', 's1@example.com', 's2@example.com', 's2@example.com'])
  expect(all.slice(4)).toEqual(['p1@example.com', 'p2@example.com', 'p3@example.com'])
  expect(sums(campaign, 'total_messages', 'total_success', 'messages_sent', 'delivered')).toEqual({
    total_messages: 7,
    total_success: 7,
    messages_sent: 3,
    delivered: 3
  })
  expect(campaign.row('SELECT count(*) AS count FROM stat_recipients')).toEqual({ count: 3 })
  expect(campaign.row('SELECT recipients FROM deliveries')).toEqual({ recipients: 3 })
})

it('suppressed addresses get nothing, do not count as recipients, and delay no one', async () => {
  const campaign = await begunCampaign(undefined, {}, { people: people(3) })
  const { bench, mailingListId } = campaign
  const { id } = await bench.run('suppressionLists.create', {
    organizationId: 1,
    suppressionList: { name: 'Never', mailing_list_id: mailingListId }
  })
  const request = { organizationId: 1, id, userId: 1, parts: ['P3@example.com'] }
  const suppression = await bench.run('suppressionLists.startSuppression', request)
  while (await bench.run('suppressionLists.continueSuppression', { id: suppression }));
  expect(await deliver(campaign)).toEqual({ is: 'finished' })
  expect(await sentTo(campaign)).toEqual(['p1@example.com', 'p2@example.com'])
  expect(campaign.row('SELECT recipients, after_id FROM deliveries')).toEqual({
    recipients: 2,
    after_id: campaign.subscriberIds[2]
  })
})

it('a campaign whose speed makes it wait for more than ten seconds gives up its thread until then', async () => {
  const campaign = await begunCampaign(undefined, { speed: 60 }, { people: people(2) })
  const began = Date.now()
  const outcome = await deliver(campaign)
  expect(outcome).toEqual({ is: 'stopped' })
  const { waits_until: until } = campaign.row('SELECT waits_until FROM deliveries') as { waits_until: number }
  expect(until).toBeGreaterThan(began + 50_000)
  expect(until).toBeLessThanOrEqual(Date.now() + 60_001)
  expect(await sentTo(campaign)).toEqual(['p1@example.com'])
  // The next run starts with the next recipient, and does not count them again.
  const asked: string[] = []
  await deliver(campaign, { before: (name) => asked.push(name) })
  expect(await sentTo(campaign)).toEqual(['p1@example.com', 'p2@example.com'])
  expect(asked).toEqual(['deliveries.begin', 'deliveries.recordSent', 'deliveries.wait'])
})

it('messages that were not counted are removed: of a paused campaign, and of one that failed', async () => {
  const campaign = await begunCampaign(undefined, {}, { people: people(2), seeds: ['s@example.com'] })
  const { bench, id } = campaign
  const named = { organizationId: 1, id }
  const paused = deliver(campaign, {
    before: (name) => (name === 'deliveries.recordSent' ? bench.run('campaigns.pause', named) : null)
  })
  expect(await paused).toEqual({ is: 'stopped' })
  expect(await sentTo(campaign)).toEqual([])
  expect(await deliver(campaign)).toEqual({ is: 'stopped' })
  await bench.run('campaigns.resume', named)
  const failing = deliver(campaign, {
    before: (name) => {
      if (name === 'deliveries.recordSent') throw new StorageFault('full')
    }
  })
  await expect(failing).rejects.toThrow('the disk is full')
  expect(await sentTo(campaign)).toEqual([])
  expect(await deliver(campaign)).toEqual({ is: 'finished' })
  expect(await sentTo(campaign)).toEqual(['s@example.com', 'p1@example.com', 'p2@example.com'])
})

it.each(['deliveries.recordLinks', 'deliveries.recordRecipients', 'deliveries.recordShares'] as const)(
  'a campaign that is paused before it sends anything stops there: %s',
  async (step) => {
    const contents = texts(2).map((content) => ({ ...content, text: 'https://example.com' }))
    const campaign = await begunCampaign(contents, {}, { people: people(4) })
    const asked: CommandName[] = []
    const before = async (name: CommandName) => {
      asked.push(name)
      if (name === step) await campaign.bench.run('campaigns.pause', { organizationId: 1, id: campaign.id })
    }
    expect(await deliver(campaign, { before })).toEqual({ is: 'stopped' })
    expect(asked.at(-1)).toBe(step)
    expect(await sentTo(campaign)).toEqual([])
  }
)

it('a campaign that is ended while contents are drawn stops there', async () => {
  const campaign = await begunCampaign(texts(2), {}, { people: people(2) })
  expect(await deliver(campaign, { signal: AbortSignal.abort() })).toEqual({ is: 'stopped' })
  expect(campaign.row('SELECT shares FROM deliveries')).toEqual({ shares: null })
})

it('links are stored once, in steps, however often a campaign is resumed', async () => {
  const text = Array.from({ length: 401 }, (_, index) => `https://example.com/${index}`).join(' ')
  const campaign = await begunCampaign(
    [{ subject: 'x', text, format: 'text' }],
    { speed: 60 },
    { people: people(2) }
  )
  const asked: string[] = []
  await deliver(campaign, { before: (name) => asked.push(name) })
  await deliver(campaign, { before: (name) => asked.push(name) })
  expect(asked.filter((name) => name === 'deliveries.recordLinks')).toHaveLength(3)
  expect(campaign.row('SELECT count(*) AS count FROM stat_links')).toEqual({ count: 401 })
  const [message] = await outboxOf(campaign.bench.directory, campaign.id)
  expect(message?.body).toContain('http://127.0.0.1/c/401/')
  expect(message?.body).not.toContain('https://example.com')
})

it('a split test sends each content to equally many of its share, and the winner to the rest', async () => {
  const campaign = await begunCampaign(
    texts(2),
    {
      autowinner_enabled: true,
      autowinner_percentage: 60,
      autowinner_delay_amount: 0,
      autowinner_delay_unit: 'minutes',
      autowinner_metric: 'opens_unique'
    },
    { people: people(10) }
  )
  const { bench, id } = campaign
  expect(await deliver(campaign)).toEqual({ is: 'finished' })
  const subjects = async () =>
    (await outboxOf(bench.directory, id)).map(({ headers }) => headers.get('subject')).sort()
  expect(await subjects()).toEqual(['S1', 'S1', 'S1', 'S2', 'S2', 'S2'])
  await bench.run('deliveries.end', { id, end: { is: 'finished' } })
  const slice = bench.sqlite.prepare('SELECT max(id) FROM stat_slices').pluck().get()
  bench.sqlite.prepare('UPDATE stat_counters SET opens_unique = 1 WHERE stat_slice_id = ?').run(slice)
  expect(await deliver(campaign)).toEqual({ is: 'finished' })
  expect(await subjects()).toEqual(['S1', 'S1', 'S1', 'S2', 'S2', 'S2', 'S2', 'S2', 'S2', 'S2'])
  expect(new Set(await sentTo(campaign)).size).toBe(10)
})

it('an outbox is continued at its stored position, and later content is dropped', async () => {
  const campaign = await begunCampaign(undefined, { speed: 60 }, { people: people(2) })
  await deliver(campaign)
  const path = join(campaign.bench.directory, 'outbox', `campaign-${campaign.id}.mbox`)
  const before = await readFile(path)
  await writeFile(path, Buffer.concat([before, Buffer.from('From half')]))
  await deliver(campaign)
  const after = await readFile(path)
  expect(after.subarray(0, before.length)).toEqual(before)
  expect(after.includes('From half')).toBe(false)
  expect(await sentTo(campaign)).toEqual(['p1@example.com', 'p2@example.com'])
})

it('the next recipients are read again if counting the last ones took long: some may have unsubscribed', async () => {
  const campaign = await begunCampaign(undefined, {}, { people: people(252) })
  let isFirst = true
  const unsubscribe = async (name: CommandName): Promise<void> => {
    if (name !== 'deliveries.recordSent' || !isFirst) return
    isFirst = false
    await pause(400)
    campaign.bench.sqlite.exec(
      "UPDATE subscribers SET status = 'unsubscribed' WHERE email = 'p251@example.com'"
    )
  }

  await deliver(campaign, { before: unsubscribe })

  const addresses = await sentTo(campaign)
  expect(addresses).toHaveLength(251)
  expect(addresses).not.toContain('p251@example.com')
})
