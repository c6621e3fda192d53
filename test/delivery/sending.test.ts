import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { sharedApplication } from '../support/application.ts'
import {
  deleteList,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeRemoteList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import { messagesIn, outboxOf } from '../support/outbox.ts'

const started = sharedApplication()
const now = (): number => Math.floor(Date.now() / 1000)
const sender = { from_email: 'sender@example.com', from_name: 'Sender' }

/** A campaign that begins at once, to everyone on the list. */
function sendNow(listId: number, settings: Record<string, unknown> = {}): Promise<CampaignDetail> {
  const { dispatch_attributes = {}, ...rest } = settings
  return makeCampaign(started.api, listId, {
    dispatch_attributes: { ...sender, begins_at: now(), ...(dispatch_attributes as object) },
    ...rest
  })
}

async function addressesIn(campaignId: number): Promise<string[]> {
  const messages = await outboxOf(started.dataDirectory, campaignId)
  return messages.map(({ headers }) => headers.get('to') ?? '')
}

/** A list with so many active subscribers, p0@example.com and on. */
async function listOf(count: number): Promise<{ id: number }> {
  const list = await makeList(started.api)
  const emails = Array.from({ length: count }, (_, number) => `p${number}@example.com`)
  await importText(started.api, list.id, `email\n${emails.join('\n')}`)
  return list
}

async function stateOf(id: number): Promise<string | undefined> {
  return (await started.api.get<CampaignDetail>(`/campaigns/${id}`)).data.dispatch?.state
}

async function campaignOf(id: number): Promise<CampaignDetail> {
  return (await started.api.get<CampaignDetail>(`/campaigns/${id}`)).data
}

/** A test cannot wait for minutes: sets the time of the decision, in UNIX milliseconds. */
function decideAt(campaignId: number, time: number): void {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  database.prepare('UPDATE deliveries SET decides_at = ? WHERE campaign_id = ?').run(time, campaignId)
  database.close()
}

function decisionTime(campaignId: number): number {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  try {
    return (
      database
        .prepare<[number], number>('SELECT decides_at FROM deliveries WHERE campaign_id = ?')
        .pluck()
        .get(campaignId) ?? 0
    )
  } finally {
    database.close()
  }
}

/** Waits until something holds. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await condition()); await pause(20)) {
    if (performance.now() - began > 20_000) throw new Error('it did not come to be')
  }
}

describe('a campaign', () => {
  it('is sent to the active subscribers of its segment, in the order of their ids', async () => {
    const { api } = started
    const list = await makeList(api)
    const other = await makeList(api)
    for (const name of ['c', 'a', 'b', 'd']) await makeSubscriber(api, list.id, `${name}@example.com`)
    await makeSubscriber(api, list.id, 'gone@example.com', { status: 'unsubscribed' })
    for (const name of ['c', 'b', 'gone']) await makeSubscriber(api, other.id, `${name}@example.com`)
    const segment = await makeSegment(api, list.id, { other: other.id })
    const made = await sendNow(list.id, {
      segmentation_criteria_ad_hoc: undefined,
      segmentation_criteria_id: segment.id
    })
    const { dispatch, stat_summary } = await api.sent(made.id)
    expect(dispatch).toMatchObject({ state: 'finished', state_description: 'Step 4: Finished' })
    const [began, ended] = [dispatch?.started_at ?? '', dispatch?.finished_at ?? '']
    expect(Date.parse(ended)).toBeGreaterThanOrEqual(Date.parse(began))
    expect(await addressesIn(made.id)).toEqual(['c@example.com', 'b@example.com'])
    expect(stat_summary).toMatchObject({
      messages_sent: 2,
      total_messages: 2,
      total_success: 2,
      sent_multipart: 2,
      messages_html: 2,
      accepted: 2,
      in_queue: 0
    })
  })

  it('is sent at its time', async () => {
    const list = await listOf(1)
    const made = await sendNow(list.id, { dispatch_attributes: { begins_at: now() + 2 } })
    expect(await stateOf(made.id)).toBe('scheduled')
    await pause(500)
    expect(await addressesIn(made.id)).toEqual([])
    const { dispatch } = await started.api.sent(made.id)
    expect(Date.parse(dispatch?.started_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(dispatch?.begins_at ?? '')
    )
  })

  it('writes to each recipient with their values, and says in its headers how to unsubscribe', async () => {
    const { api } = started
    const list = await makeList(api, { custom_headers_enabled: true, custom_headers: 'X-City: %%city%%' })
    await makeField(api, list.id, 'City', 'text')
    await makeSubscriber(api, list.id, 'anna@example.com', { custom_fields: { City: 'Zürich' } })
    const made = await sendNow(list.id, {
      contents: [
        {
          subject: 'Grüße nach %%city%%',
          format: 'text',
          text: 'From %%city%% to %%subscribers_email_address%%'
        }
      ],
      dispatch_attributes: { reply_to: 'reply@example.com' }
    })
    const { x_campaign_id } = await api.sent(made.id)
    const [message] = await outboxOf(started.dataDirectory, made.id)
    expect(Object.fromEntries(message?.headers ?? [])).toMatchObject({
      from: 'Sender <sender@example.com>',
      to: 'anna@example.com',
      'reply-to': 'reply@example.com',
      subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_nach_Z=C3=BCrich?=',
      'x-campaignid': `s4:${x_campaign_id}`,
      'x-city': '=?UTF-8?Q?Z=C3=BCrich?=',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click'
    })
    expect(message?.headers.get('list-unsubscribe')).toMatch(
      /^<http:\/\/127\.0\.0\.1:\d+\/u\/\d+-\d+-[0-9a-f]{40}>$/
    )
    expect(message?.body.trim()).toBe('From Zürich to anna@example.com')
  })

  it('is plain text for subscribers who want that, if the list offers it and the content has it', async () => {
    const { api } = started
    const list = await makeList(api, { has_format: true })
    for (const email_format of ['html', 'plaintext']) {
      await makeSubscriber(api, list.id, `${email_format}@example.com`, { email_format })
    }
    const made = await sendNow(list.id)
    const { stat_summary } = await api.sent(made.id)
    const counts = { messages_sent: 2, sent_html: 0, sent_text: 1, sent_multipart: 1 }
    expect(stat_summary).toMatchObject({ ...counts, messages_html: 1, messages_text: 1 })
    const messages = await outboxOf(started.dataDirectory, made.id)
    const types = messages.map(({ headers }) => headers.get('content-type')?.split(';')[0])
    expect(types).toEqual(['multipart/alternative', 'text/plain'])
  })

  it('sends each content to seed lists, which are no recipients', async () => {
    const { api } = started
    const list = await listOf(2)
    const { data: seeds } = await api.post<{ id: number }>('/seed_lists', {
      seed_list: { name: `Seeds ${list.id}`, addresses_array: ['seed@example.com'] }
    })
    const made = await sendNow(list.id, { dispatch_attributes: { seed_list_ids: [seeds.id] } })
    const { stat_summary } = await api.sent(made.id)
    expect(stat_summary).toMatchObject({ messages_sent: 2, total_messages: 3, total_success: 3, accepted: 2 })
    expect(await addressesIn(made.id)).toEqual(['seed@example.com', 'p0@example.com', 'p1@example.com'])
    // Once the campaign is deleted, nothing asks for its seed lists.
    expect((await api.delete(`/campaigns/${made.id}`)).success).toBe(true)
    expect((await api.delete(`/seed_lists/${seeds.id}`)).success).toBe(true)
  })

  it('keeps its seed lists when other delivery settings change', async () => {
    const { api } = started
    const list = await listOf(1)
    const { data: seeds } = await api.post<{ id: number }>('/seed_lists', {
      seed_list: { name: `Kept ${list.id}`, addresses_array: ['seed@example.com'] }
    })
    const made = await makeCampaign(api, list.id, {
      dispatch_attributes: { ...sender, seed_list_ids: [seeds.id] }
    })
    const { data } = await api.put<CampaignDetail>(`/campaigns/${made.id}`, {
      campaign: { dispatch_attributes: { speed: 100 } }
    })
    expect(data.dispatch).toMatchObject({ speed: 100, seed_lists: [{ id: seeds.id }] })
  })

  it('is not faster than its speed, stops at once when paused, and continues where it stopped', async () => {
    const { api } = started
    const list = await listOf(12)
    const made = await sendNow(list.id, { dispatch_attributes: { speed: 18_000 } })
    await until(async () => (await addressesIn(made.id)).length >= 3)
    await api.post(`/campaigns/${made.id}/pause`)
    await pause(100)
    const held = (await addressesIn(made.id)).length
    await pause(600)
    expect(await addressesIn(made.id)).toHaveLength(held)
    expect(held).toBeLessThan(12)
    await api.post(`/campaigns/${made.id}/resume`)
    const { stat_summary } = await api.sent(made.id)
    expect(await addressesIn(made.id)).toEqual(
      Array.from({ length: 12 }, (_, number) => `p${number}@example.com`)
    )
    expect(stat_summary).toMatchObject({ messages_sent: 12 })
  })

  it('waits long between messages without a thread, and knows its number of recipients from the start', async () => {
    const { api } = started
    const list = await listOf(3)
    const made = await sendNow(list.id, { dispatch_attributes: { speed: 120 } })
    await until(async () => (await addressesIn(made.id)).length === 1)
    await pause(1500)
    expect(await addressesIn(made.id)).toEqual(['p0@example.com'])
    const { data } = await api.get<Job[]>('/jobs/all?job_type=Campaign')
    expect(data.find(({ id, job_type }) => id === made.id && job_type === 'Campaign')).toMatchObject({
      progress_value: 1,
      progress_total: 3
    })
    await api.post(`/campaigns/${made.id}/cancel`)
  })

  it('that is cancelled sends nothing more, and its sent messages stay counted', async () => {
    const { api } = started
    const list = await listOf(50)
    const made = await sendNow(list.id, { dispatch_attributes: { speed: 18_000 } })
    await until(async () => (await addressesIn(made.id)).length >= 2)
    await api.post(`/campaigns/${made.id}/cancel`)
    await pause(400)
    const sent = await addressesIn(made.id)
    expect(sent.length).toBeLessThan(50)
    const { stat_summary, dispatch } = await api.sent(made.id)
    expect(dispatch?.state).toBe('cancelled')
    expect(stat_summary?.messages_sent).toBe(sent.length)
  })

  it('leaves out subscribers who joined after it began, or unsubscribed before their turn', async () => {
    const { api } = started
    const list = await listOf(8)
    const made = await sendNow(list.id, { dispatch_attributes: { speed: 18_000 } })
    await until(async () => (await addressesIn(made.id)).length >= 1)
    await makeSubscriber(api, list.id, 'late@example.com')
    await api.put(`/mailing_lists/${list.id}/subscribers/p7@example.com`, {
      subscriber: { status: 'unsubscribed' }
    })
    await api.sent(made.id)
    expect(await addressesIn(made.id)).toEqual(
      Array.from({ length: 7 }, (_, number) => `p${number}@example.com`)
    )
  })

  it('to a Remote List is paused while only the name of its database is known, and says so', async () => {
    const { api } = started
    const list = await makeRemoteList(api)
    const made = await sendNow(list.id, {
      segmentation_criteria_ad_hoc: undefined,
      segmentation_criteria_remote_sql: 'SELECT email FROM people'
    })
    await until(async () => (await campaignOf(made.id)).dispatch?.paused === true)
    const { data } = await api.workbench<{ error_message: string }>('GET', `/campaigns/${made.id}/progress`)
    expect(data.error_message).toMatch(
      /^the database connection Connection \d+ has a name only\. Enter its server under Delivery$/
    )
  })

  it('without recipients finishes with nothing sent', async () => {
    const list = await makeList(started.api)
    const { dispatch, stat_summary } = await started.api.sent((await sendNow(list.id)).id)
    expect(dispatch?.state).toBe('finished')
    expect(stat_summary).toMatchObject({ messages_sent: 0, accepted_rate: 0, open_rate: 0 })
  })

  it('can be read, changed, paused and resumed by the stat_id of its statistics', async () => {
    const { api } = started
    const list = await listOf(20)
    const made = await sendNow(list.id, { dispatch_attributes: { speed: 18_000 } })
    await until(async () => (await stateOf(made.id)) === 'sending')
    const { data: sending } = await api.get<CampaignDetail>(`/campaigns/${made.id}`)
    const path = `/campaigns/by_stat/${sending.stat_summary?.stat_id}`
    expect((await api.post<CampaignDetail>(`${path}/pause`)).data.dispatch?.paused).toBe(true)
    expect((await api.put<CampaignDetail>(path, { campaign: { name: 'Renamed' } })).data.name).toBe('Renamed')
    expect((await api.post<CampaignDetail>(`${path}/resume`)).data.dispatch?.paused).toBe(false)
    expect((await api.get<CampaignDetail>(`${path}?include_engine_sendid=1`)).data).toMatchObject({
      id: made.id,
      name: 'Renamed',
      engine_sendid: `c${made.id}`
    })
    await api.post(`/campaigns/${made.id}/cancel`)
    expect(await api.get('/campaigns/by_stat/999999')).toMatchObject({
      success: false,
      error_code: 'not_found'
    })
  })
})

const contents = ['A', 'B'].map((name) => ({ name, subject: name, format: 'text', text: name }))

const autowinner = {
  autowinner_enabled: true,
  autowinner_percentage: '25',
  autowinner_delay_amount: 0,
  autowinner_delay_unit: 'minutes',
  autowinner_metric: 'opens_unique'
}

describe('a split test', () => {
  it('without winner selection sends each recipient one content, chosen with equal probability', async () => {
    const list = await listOf(400)
    const made = await sendNow(list.id, { contents })
    const { content_stats, stat_summary, automatic_winner_selection } = await started.api.sent(made.id)
    expect(automatic_winner_selection).toBeNull()
    expect(stat_summary?.messages_sent).toBe(400)
    const sent = content_stats.map(({ stat_summary: each }) => each?.messages_sent ?? 0)
    expect(sent[0]).toBeGreaterThan(150)
    expect(sent[1]).toBeGreaterThan(150)
    expect(new Set(await addressesIn(made.id)).size).toBe(400)
  })

  it('waits for the delay, decides by the metric and sends the rest the winner', async () => {
    const { api } = started
    const list = await listOf(200)
    const made = await sendNow(list.id, {
      contents: contents.map((each) => ({ ...each, format: 'html', html: `<p>${each.name}</p>` })),
      dispatch_attributes: { ...autowinner, autowinner_delay_amount: 1 }
    })
    const detail = async () => (await api.get<CampaignDetail>(`/campaigns/${made.id}`)).data
    await until(async () => (await detail()).automatic_winner_selection?.state === 'decision_delay')
    const tested = await outboxOf(started.dataDirectory, made.id)
    expect(tested.length).toBeGreaterThan(25)
    expect(tested.length).toBeLessThan(75)
    // Two recipients of B open it, and one of A.
    const opened = { A: 1, B: 2 }
    for (const name of ['A', 'B'] as const) {
      const messages = tested.filter(({ headers }) => headers.get('subject') === name)
      for (const { body } of messages.slice(0, opened[name])) {
        const pixel = /<img src="([^"]+)"/.exec(body)?.[1] ?? ''
        expect((await fetch(pixel)).headers.get('Content-Type')).toBe('image/gif')
      }
    }
    expect((await detail()).stat_summary).toMatchObject({ opens_unique: 3, opens_total: 3 })
    decideAt(made.id, Date.now())
    await api.put(`/campaigns/${made.id}`, { campaign: { name: made.name } })
    const { automatic_winner_selection: selection, dispatch } = await api.sent(made.id)
    expect(dispatch?.state).toBe('finished')
    expect(selection).toMatchObject({ state: 'finished', winning_content: { name: 'B' } })
  })

  it('repeats the delay after the clock was set back, and no more often', async () => {
    const { api } = started
    const list = await listOf(8)
    const made = await sendNow(list.id, {
      contents,
      dispatch_attributes: { ...autowinner, autowinner_delay_amount: 10 }
    })
    await until(
      async () => (await campaignOf(made.id)).automatic_winner_selection?.state === 'decision_delay'
    )
    const tenMinutes = 10 * 60_000
    // A day ago it would have been decided a day and ten minutes later.
    decideAt(made.id, Date.now() + tenMinutes + 24 * 3_600_000)
    await api.put(`/campaigns/${made.id}`, { campaign: { name: made.name } })
    await until(() => Promise.resolve(decisionTime(made.id) <= Date.now() + tenMinutes))
    expect(decisionTime(made.id)).toBeGreaterThan(Date.now() + tenMinutes - 60_000)
    expect((await campaignOf(made.id)).automatic_winner_selection?.state).toBe('decision_delay')
    await api.post(`/campaigns/${made.id}/cancel`)
  })

  it('without opens is won by the content with the lowest id, and its snapshots are stored', async () => {
    const list = await listOf(200)
    const made = await sendNow(list.id, { contents, dispatch_attributes: autowinner })
    const { automatic_winner_selection: selection, content_stats } = await started.api.sent(made.id)
    const [first, second] = content_stats.map(({ stat_summary }) => stat_summary?.messages_sent ?? 0)
    expect((first ?? 0) + (second ?? 0)).toBe(200)
    expect(second).toBeLessThan(60)
    const [a, b] = made.campaign_contents
    expect(selection).toMatchObject({ state: 'finished', winning_content: { id: a?.id, name: 'A' } })
    const groups = [...new Set(selection?.snapshots.map(({ snapshot }) => snapshot.snapshot_group))]
    expect(groups).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(selection?.snapshots.map(({ content, snapshot }) => [content, snapshot.snapshot_group])).toEqual([
      [{ id: a?.id, name: 'A', is_winner: true }, groups[0]],
      [{ id: b?.id, name: 'B', is_winner: false }, groups[0]]
    ])
    const sent = await outboxOf(started.dataDirectory, made.id)
    expect(new Set(sent.map(({ headers }) => headers.get('to'))).size).toBe(200)
    expect(sent).toHaveLength(200)
  })
})

describe('the share of a split test', () => {
  it.each([
    [8, '50.5', [2, 2]],
    [4, '50', [1, 1]],
    [5, '78', [2, 2]],
    [1000, '33.33', [166, 167]],
    [3, '100', [1, 2]]
  ])(
    'of %i recipients at %s %% is exact, and each content gets its part',
    async (people, percentage, parts) => {
      const list = await listOf(people)
      const dispatch_attributes = {
        ...autowinner,
        autowinner_percentage: percentage,
        // A long delay, so that the winner is not sent meanwhile. If all recipients are in the test, there is no delay.
        autowinner_delay_amount: 100,
        autowinner_delay_unit: 'days'
      }
      const made = await sendNow(list.id, { contents, dispatch_attributes })
      const isOver = ({ automatic_winner_selection: selection }: CampaignDetail): boolean =>
        selection !== null && selection.state !== 'split_testing'
      let current = await campaignOf(made.id)
      for (const began = Date.now(); !isOver(current) && Date.now() - began < 20_000; await pause(20)) {
        current = await campaignOf(made.id)
      }
      if (percentage === '100') current = await started.api.sent(made.id)
      expect(current.content_stats.map(({ stat_summary }) => stat_summary?.messages_sent)).toEqual(parts)
    }
  )
})

it('a campaign subtracts subscribers who left during sending from its recipients', async () => {
  const { api } = started
  const list = await listOf(3)
  const made = await sendNow(list.id, { dispatch_attributes: { speed: 3600 } })
  for (const began = Date.now(); Date.now() - began < 20_000; await pause(10)) {
    if ((await campaignOf(made.id)).stat_summary?.messages_sent === 1) break
  }
  const { data } = await api.get<{ id: number }[]>(`/mailing_lists/${list.id}/subscribers`)
  await api.delete(`/mailing_lists/${list.id}/subscribers/${data.at(-1)?.id}`)
  await api.sent(made.id)
  const report = await api.get<{
    campaign_report: { campaign: { id: number; stats: { recipients: unknown } } }[]
  }>('/system_campaigns?per_page=500')
  const { campaign } = report.data.campaign_report.find((each) => each.campaign.id === made.id) ?? {}
  expect(campaign?.stats.recipients).toEqual({ total: 2, sent: 2, skip: 0, remaining: 0 })
})

describe('a campaign whose message is hostile', () => {
  it.each([
    ['tags that never end', '<a '.repeat(150_000)],
    ['links that never end', '<a href="'.repeat(100_000)],
    ['bodies that never end', '<body '.repeat(100_000)]
  ])('blocks no other campaign: %s', async (_name, html) => {
    const { api } = started
    const list = await listOf(1)
    const made = await sendNow(list.id, { contents: [{ subject: 'Hello', format: 'html', html }] })
    const began = performance.now()
    await makeList(api)
    expect((await api.sent(made.id)).dispatch?.state).toBe('finished')
    // Quadratic, each of them took half a minute.
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('may have 20,000 links', async () => {
    const list = await listOf(1)
    const html = Array.from({ length: 20_000 }, (_, n) => `<a href="https://example.com/${n}">${n}</a>`).join(
      ''
    )
    const made = await sendNow(list.id, { contents: [{ subject: 'Hello', format: 'html', html }] })
    expect((await started.api.sent(made.id)).dispatch?.state).toBe('finished')
    const links = await started.api.get(`/campaigns/${made.id}/link_stats`)
    expect(links.num_records).toBe(20_000)
  })
})

it('a campaign that cannot begin fails with its reason', async () => {
  const { api } = started
  const [list, other] = [await listOf(1), await makeList(api)]
  const segment = await makeSegment(api, list.id, { other: other.id })
  const soon = Math.floor(Date.now() / 1000) + 2
  const dispatch_attributes = { from_email: 'sender@example.com', begins_at: soon }
  const made = await makeCampaign(api, list.id, {
    segmentation_criteria_ad_hoc: undefined,
    segmentation_criteria_id: segment.id,
    dispatch_attributes
  })
  await deleteList(api, other.id)
  expect((await api.sent(made.id)).dispatch?.state).toBe('failed')
  const { data } = await api.workbench<{ error_message: string }>('GET', `/campaigns/${made.id}/progress`)
  expect(data.error_message).toMatch(/^Sending cannot continue: the segment refers to mailing list/)
  const again = await api.post(`/mailing_lists/${list.id}/campaigns`, {
    campaign: {
      name: 'Again',
      segmentation_criteria_id: segment.id,
      contents: [{ subject: 'Hello', text: 'Hello' }],
      dispatch_attributes
    }
  })
  expect(again.error_message).toMatch(/^the segment refers to mailing list/)
  const exported = await api.post(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: { segment_id: segment.id }
  })
  expect(exported.error_message).toMatch(/^the segment refers to mailing list/)
})

describe('a preview', () => {
  it('sends each content to each address, in both formats apart when asked to', async () => {
    const { api } = started
    const list = await makeList(api)
    const made = await makeCampaign(api, list.id, { dispatch_attributes: sender })
    const preview = { recipients: ['a@example.com', 'b@example.com'], split_emails_by_format: true }
    expect(await api.post(`/campaigns/${made.id}/send_preview`, { preview })).toMatchObject({
      success: true,
      data: null
    })
    const filed = await messagesIn(
      join(started.dataDirectory, 'outbox', `previews-${started.app.organizationId}.mbox`)
    )
    const own = filed.filter(({ headers }) => headers.get('x-campaignid') === `s4:${made.x_campaign_id}`)
    expect(own.map(({ headers }) => [headers.get('to'), headers.get('content-type')?.split(';')[0]])).toEqual(
      [
        ['a@example.com', 'text/html'],
        ['a@example.com', 'text/plain'],
        ['b@example.com', 'text/html'],
        ['b@example.com', 'text/plain']
      ]
    )
    expect((await api.get<CampaignDetail>(`/campaigns/${made.id}`)).data.stat_summary).toBeNull()
  })

  it('is refused without content, and with an address that is none', async () => {
    const { api } = started
    const list = await makeList(api)
    const empty = await makeCampaign(api, list.id, { contents: [] })
    const preview = { recipients: ['a@example.com'] }
    expect(await api.post(`/campaigns/${empty.id}/send_preview`, { preview })).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'there is no content to send'
    })
    const made = await makeCampaign(api, list.id)
    expect(
      await api.post(`/campaigns/${made.id}/send_preview`, {
        preview: { recipients: ['a@example.com', 'nobody', ' '] }
      })
    ).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'recipients.1 is not a valid email address: "nobody", recipients.2 cannot be blank'
    })
  })

  it('of an autoresponder comes from its own sender, or from that of its list', async () => {
    const { api } = started
    const list = await makeList(api, { d_from_email: 'list@example.com', d_from_name: 'The list' })
    const own = { from_email: 'own@example.com', from_name: 'Its own' }
    for (const [useList, from] of [
      [true, 'The list <list@example.com>'],
      [false, 'Its own <own@example.com>']
    ] as const) {
      const made = await makeAutoresponder(api, list.id, `From ${from}`, {
        ...own,
        content_text: 'Hello',
        use_external_delivery_setting: useList
      })
      const preview = { recipients: [`of-${made.id}@example.com`] }
      expect((await api.post(`/autoresponders/${made.id}/send_preview`, { preview })).success).toBe(true)
      const filed = await messagesIn(
        join(started.dataDirectory, 'outbox', `previews-${started.app.organizationId}.mbox`)
      )
      const sent = filed.find(({ headers }) => headers.get('to') === `of-${made.id}@example.com`)
      expect(sent?.headers.get('from')).toBe(from)
    }
  })
})
