import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { periodAround, readDays, readTime } from '../../src-main/api/statistics/periods.ts'
import {
  hoursOfCampaign,
  keepsRecipients,
  linksOfCampaign,
  messagesSent,
  statisticsOfCampaigns,
  summaryOfSlices,
  systemCampaigns
} from '../../src-main/api/statistics/queries.ts'
import { noCounters, sumCounters, summaryOf } from '../../src-main/api/statistics/rules.ts'
import { counterNames, type Counters, rateNames } from '../../src-main/api/statistics/schema.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { begunCampaign } from '../support/campaigns.ts'

function counted(counters: Partial<Counters>): Counters {
  return { ...noCounters(), ...counters }
}

it('a period of a report is the whole day or month of the zone that an instant is in, also at the turn of the year', () => {
  const instant = Date.parse('2026-01-01T03:00:00Z')
  const period = (unit: 'daily' | 'monthly') => {
    const { from, before } = periodAround(instant, unit, 'America/New_York')
    return [new Date(from).toISOString(), new Date(before).toISOString()]
  }
  expect(period('daily')).toEqual(['2025-12-31T05:00:00.000Z', '2026-01-01T05:00:00.000Z'])
  expect(period('monthly')).toEqual(['2025-12-01T05:00:00.000Z', '2026-01-01T05:00:00.000Z'])
})

describe('a summary', () => {
  it('has the rates of the published example', () => {
    const counters = counted({
      messages_sent: 277,
      delivered: 277,
      opens_total: 299,
      opens_unique: 101,
      clicks_total: 22,
      clicks_unique: 22,
      unsubs_total: 30,
      unsubs_unique: 23,
      bounces_total: 2,
      bounces_unique_hard: 2,
      bounces_unique_remote: 2
    })
    expect(summaryOf(counters, { 511: 2 })).toMatchObject({
      accepted: 275,
      accepted_rate: 0.99278,
      open_rate: 0.36727,
      click_rate: 0.08,
      click_to_open_rate: 0.21782,
      open_ratio: 2.9604,
      bounce_rate: 0.00722,
      unsub_rate: 0.08364,
      bounce_rate_hard: 1,
      bounce_rate_soft: 0,
      bounces_unique_by_code: { 511: 2 },
      duplicate_opens: 198,
      duplicate_unsubs: 7,
      unopened: 174,
      unbounced: 275,
      bounced: 2,
      in_queue: 0,
      max_unique_activities: 101
    })
  })

  it('has rates of 0.0 where nothing was counted', () => {
    const summary = summaryOf(noCounters(), null)
    for (const rate of rateNames) expect([rate, summary[rate]]).toEqual([rate, 0])
  })

  it('counts messages as queued that were sent but neither delivered nor refused on our side', () => {
    const summary = summaryOf(
      counted({ messages_sent: 10, delivered: 6, bounces_unique_local: 1, bounces_total: 1 }),
      null
    )
    expect(summary).toMatchObject({ in_queue: 3, in_queue_rate: 0.3, accepted: 6, bounces_unique: 1 })
  })

  it('of several contents adds their bounces up, code by code', () => {
    const slices = [{ 511: 2, 421: 1 }, null, { 511: 3 }].map((byCode) => ({
      counters: counted({}),
      byCode
    }))
    expect(summaryOfSlices(slices).bounces_unique_by_code).toEqual({ 421: 1, 511: 5 })
    expect(summaryOfSlices(slices.slice(1, 2)).bounces_unique_by_code).toBeNull()
  })

  it('of several contents is computed from their summed counters', () => {
    const counters = fc.record(
      Object.fromEntries(counterNames.map((name) => [name, fc.nat(1000)]))
    ) as fc.Arbitrary<Counters>
    fc.assert(
      fc.property(fc.array(counters), (all) => {
        const sums = sumCounters(all)
        for (const name of counterNames) {
          expect(sums[name]).toBe(all.reduce((sum, each) => sum + each[name], 0))
        }
      })
    )
  })
})

describe('the days of a report', () => {
  const now = Date.parse('2026-03-31T22:30:00Z')
  const days = (range: Parameters<typeof readDays>[0], timeZone = 'UTC') => {
    const { from, before } = readDays(range, timeZone, now)
    return [new Date(from).toISOString(), new Date(before).toISOString()]
  }

  it('are by default those of this month and of the two before it, in the zone', () => {
    expect(days({})).toEqual(['2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'])
    expect(days({}, 'Europe/Berlin')).toEqual(['2026-01-31T23:00:00.000Z', '2026-04-30T22:00:00.000Z'])
  })

  it('begin with the first given day and end with the last', () => {
    expect(days({ start_date: '20240229', end_date: '20240229' })).toEqual([
      '2024-02-29T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z'
    ])
    expect(() => days({ start_date: '20240301', end_date: '20240229' })).toThrow(
      'start_date must not be after end_date'
    )
  })

  it.each(['20230229', '20231301', '20230100', '2023-01-01', '00000101', '230101', '99990101x'])(
    'must be real days, written as YYYYMMDD: %s',
    (start_date) => {
      expect(() => days({ start_date, end_date: '20300101' })).toThrow(
        'start_date must be a day such as 20140131'
      )
    }
  )

  it('may be limited by a time; what is not one is refused, and the parameter is named', () => {
    expect(readTime('from', undefined, 'UTC')).toBeUndefined()
    expect(readTime('from', '2026-01-01T00:00:00', 'Europe/Berlin')).toBe(Date.parse('2025-12-31T23:00:00Z'))
    expect(() => readTime('from', 'soon', 'UTC')).toThrow(/^from must be an ISO 8601 time/)
  })
})

describe('what was counted of a campaign', () => {
  const contents = ['First', 'Second'].map((subject) => ({ subject, text: 'x', format: 'text' as const }))

  async function counting() {
    const campaign = await begunCampaign(contents)
    const [first = 0, second = 0] = campaign.plan?.message.contents.map(({ sliceId }) => sliceId) ?? []
    const sent = (sliceId: number, counters: Partial<Counters>) =>
      campaign.bench.run('deliveries.recordSent', {
        id: campaign.id,
        progress: { afterId: 1, position: 1 },
        counted: [{ sliceId, counters: counted(counters), subscriberIds: [] }],
        suppressed: 0,
        recipients: []
      })
    const { sqlite } = campaign.bench
    const bounce = sqlite.prepare(
      `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, bounce_code, occurred_at)
       VALUES (?, ?, 1, 'a@example.com', ?, ?, 0)`
    )
    return { ...campaign, first, second, sent, bounce, db: kyselyOver(sqlite) }
  }

  it('is shown per content, with the codes of its bounces', async () => {
    const { id, db, first, second, sent, bounce } = await counting()
    await sent(first, { messages_sent: 3 })
    await sent(first, { messages_sent: 2, skips_error: 1 })
    for (const code of ['511', '511', '421']) bounce.run(first, 'bounce', 1, code)
    // Not counted: a second bounce of a subscriber, one without a code, and other events.
    bounce.run(first, 'bounce', 0, '511')
    bounce.run(first, 'bounce', 1, null)
    bounce.run(second, 'scomp', 1, '511')
    const statistics = (await statisticsOfCampaigns(db, [id])).get(id)
    expect(statistics?.slices).toMatchObject([
      { sliceId: first, byCode: { 421: 1, 511: 2 }, counters: { messages_sent: 5, skips_error: 1 } },
      { sliceId: second, byCode: null, counters: noCounters() }
    ])
    expect((await statisticsOfCampaigns(db, [id + 1])).get(id + 1)).toBeUndefined()
    expect(await hoursOfCampaign(db, id)).toMatchObject([{ messages_sent: 5, skips_error: 1 }])
  })

  it('is listed by link, for addresses that match a pattern, page by page', async () => {
    const { id, db, bench, first, second, plan } = await counting()
    const urls = ['https://example.com/B', 'https://example.com/a?x=[1]', 'https://example.org']
    await bench.run('deliveries.recordLinks', { id, sliceId: first, urls })
    await bench.run('deliveries.recordLinks', { id, sliceId: second, urls: ['https://example.com/c'] })
    const all = { page: 0, per_page: 10 }
    const found = async (filter: Parameters<typeof linksOfCampaign>[2], page = all) => {
      const { rows, total } = await linksOfCampaign(db, id, filter, page)
      return [rows.map(({ url }) => url.replace('https://', '')), total]
    }
    expect(await found({})).toEqual([
      ['example.com/a?x=[1]', 'example.com/B', 'example.com/c', 'example.org'],
      4
    ])
    expect(await found({ url: 'HTTPS://example.com/*' }, { page: 1, per_page: 2 })).toEqual([
      ['example.com/c'],
      3
    ])
    expect(await found({ url: '*?x=[1]' })).toEqual([['example.com/a?x=[1]'], 1])
    expect(await found({ contentId: plan?.message.contents[1]?.id })).toEqual([['example.com/c'], 1])
  })

  it('is reported for each hour that begins in a period, if messages were sent in it', async () => {
    const { id, db, first, sent } = await counting()
    await sent(first, { skips_error: 1 })
    const [before] = await hoursOfCampaign(db, id)
    const hour = before?.hour ?? 0
    const within = (from: number, until: number) => messagesSent(db, 1, { from, before: until })
    expect(await within(hour, hour + 1)).toEqual([])
    await sent(first, { messages_sent: 7 })
    const told = [
      {
        hour,
        campaign_id: id,
        campaign_name: 'News',
        autoresponder_id: null,
        autoresponder_name: null,
        messages_sent: 7
      }
    ]
    expect(await within(hour, hour + 1)).toEqual(told)
    expect(await within(hour - 3_600_000, hour)).toEqual([])
    expect(await within(hour + 1, hour + 3_600_000)).toEqual([])
    expect(await messagesSent(db, 2, { from: hour, before: hour + 1 })).toEqual([])
  })

  it('is reported to system administrators by when the campaign began, with or without campaigns that are being sent', async () => {
    const { id, db, bench, row } = await counting()
    const { started_at: began } = row('SELECT started_at FROM dispatches') as { started_at: number }
    const reported = async (filter: Partial<Parameters<typeof systemCampaigns>[1]>) => {
      const { rows, total } = await systemCampaigns(
        db,
        { excludeActive: false, ...filter },
        { page: 0, per_page: 10 }
      )
      expect(rows).toHaveLength(total)
      return rows
    }
    expect(await reported({})).toMatchObject([
      { mailing_list: { name: 'Readers' }, campaign: { id, name: 'News', state: 'sending', paused: false } }
    ])
    expect(await reported({ from: began, before: began + 1 })).toHaveLength(1)
    expect(await reported({ from: began + 1 })).toEqual([])
    expect(await reported({ before: began })).toEqual([])
    expect(await reported({ excludeActive: true })).toEqual([])
    await bench.run('deliveries.end', { id, end: { is: 'finished' } })
    expect(await reported({ excludeActive: true })).toHaveLength(1)
    await bench.run('campaigns.delete', { organizationId: 1, id, kind: 'campaign' })
    expect(await reported({})).toEqual([])
  })

  it('includes the recipients, unless an earlier version of the application sent it', async () => {
    const { id, db, bench } = await counting()
    expect(await keepsRecipients(db, id)).toBe(true)
    expect(await keepsRecipients(db, id + 1)).toBe(true)
    bench.sqlite.exec('UPDATE stats SET keeps_recipients = 0')
    expect(await keepsRecipients(db, id)).toBe(false)
  })
})
