import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { periodAround } from '../../src-main/api/statistics/periods.ts'
import { summaryOfSlices } from '../../src-main/api/statistics/queries.ts'
import { noCounters, sumCounters, summaryOf } from '../../src-main/api/statistics/rules.ts'
import { counterNames, type Counters, rateNames } from '../../src-main/api/statistics/schema.ts'

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

  it('tells what is still in the queue: sent, neither delivered nor refused by our own side', () => {
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

  it('of several contents is that of their sums', () => {
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
