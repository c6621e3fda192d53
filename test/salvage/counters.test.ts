import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { recount } from '../../src-main/api/subscriber-counts/recount.ts'
import { replaceSums } from '../../src-main/database/page-sums.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { openForGood, sumsOf } from '../../src-main/integrity/verify-pages.ts'
import {
  countAgain,
  countedSubscribers,
  countedTables,
  subscribersIn
} from '../../src-main/salvage/counters.ts'
import { DamagedPages } from '../../src-main/salvage/pages.ts'
import { handedOut, tablesOf } from '../../src-main/salvage/source.ts'
import { begunCampaign } from '../support/campaigns.ts'

const hour = 3_600_000
const people = [{}, {}, { status: 'bounced' as const }]

it('the stored counters of subscribers, lists, links and campaigns are recalculated', async () => {
  const { bench, mailingListId, plan } = await begunCampaign(undefined, {}, { people })
  const { sqlite } = bench
  const sliceId = plan?.message.contents[0]?.sliceId ?? 0
  const event = sqlite.prepare(
    `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, link_id, is_unique_of_link, occurred_at)
     VALUES (?, ?, 1, 'a@example.com', ?, ?, ?, ?)`
  )
  sqlite
    .prepare("INSERT INTO stat_links (id, stat_slice_id, url, clicks_total) VALUES (1, ?, 'x', 9)")
    .run(sliceId)
  event.run(sliceId, 'open', 1, null, null, 5 * hour + 7)
  event.run(sliceId, 'open', 0, null, null, 6 * hour + 7)
  event.run(sliceId, 'click', 1, 1, 1, 6 * hour)
  // More than there are events, in the last of two hours.
  const counters = sqlite.prepare(
    'INSERT INTO stat_counters (stat_slice_id, hour, unsubs_total) VALUES (?, ?, ?)'
  )
  counters.run(sliceId, hour, 1)
  counters.run(sliceId, 2 * hour, 2)
  event.run(sliceId, 'unsub', 1, null, null, hour)
  for (const table of countedTables) sqlite.exec(`DELETE FROM ${table}`)
  sqlite.exec(
    "DELETE FROM id_sequences; UPDATE suppression_lists SET addresses = 99; INSERT INTO change_log (at, entity, action, organization_id, first_id, last_id) VALUES (0, 'subscriber', 'delete', 1, 70, 70)"
  )
  await countAgain(
    sqlite,
    new Map([
      ['campaigns', 44],
      ['images', 3]
    ])
  )
  expect((await recount(kyselyOver(sqlite))).drifts).toEqual([])
  const counts = sqlite.prepare(
    'SELECT status, subscribers FROM mailing_list_counts WHERE mailing_list_id = ? ORDER BY status'
  )
  expect(counts.raw().all(mailingListId)).toEqual([
    ['active', 2],
    ['bounced', 1]
  ])
  const byHour = sqlite.prepare(
    'SELECT hour, opens_total, opens_unique, clicks_total, unsubs_total FROM stat_counters ORDER BY hour'
  )
  // What is missing goes into the last hour that there is; what is too much is taken off, from the last hour backwards.
  expect(byHour.raw().all()).toEqual([
    [hour, 0, 0, 0, 1],
    [2 * hour, 2, 1, 1, 0]
  ])
  expect(
    sqlite.prepare('SELECT clicks_total, clicks_unique, clicks_unique_by_link FROM stat_links').raw().all()
  ).toEqual([[1, 1, 1]])
  // Ids are never handed out again.
  expect(sqlite.prepare("SELECT next_id FROM id_sequences WHERE name = 'subscribers'").pluck().get()).toBe(71)
  const sequence = sqlite.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck()
  expect([sequence.get('campaigns'), sequence.get('images')]).toEqual([44, 3])
})

it('events of a content for which no hour has counts are counted in the hour of the first one', async () => {
  const { bench, plan } = await begunCampaign()
  const sliceId = plan?.message.contents[0]?.sliceId ?? 0
  bench.sqlite
    .prepare(
      `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, occurred_at)
       VALUES (?, 'open', 1, 'a@example.com', 1, ?)`
    )
    .run(sliceId, 5 * hour + 7)
  for (const table of countedTables) bench.sqlite.exec(`DELETE FROM ${table}`)
  await countAgain(bench.sqlite, new Map())
  expect(bench.sqlite.prepare('SELECT hour, opens_total FROM stat_counters').raw().all()).toEqual([
    [5 * hour, 1]
  ])
})

it('the former number of subscribers is taken only from trustworthy counts', async () => {
  const { bench } = await begunCampaign(undefined, {}, { people })
  bench.sqlite.pragma('wal_checkpoint(TRUNCATE)')
  const path = join(bench.directory, 'listwright.db')
  const opened = () => {
    const pages = new DamagedPages({ databasePath: path, file: openForGood(path) })
    onTestFinished(() => pages.close())
    return pages
  }
  expect(subscribersIn(bench.sqlite)).toBe(3)
  const whole = opened()
  const tables = tablesOf(whole, bench.sqlite)
  expect(countedSubscribers(whole, tables)).toBe(3)
  expect(handedOut(whole).get('campaigns')).toBe(1)
  expect(
    countedSubscribers(
      whole,
      tables.map((table) => ({ ...table, root: null }))
    )
  ).toBe(0)
  // A page of counts that was changed may say anything.
  const sums = sumsOf(openForGood(path))
  const root = tables.find(({ name }) => name === 'mailing_list_counts')?.root ?? 0
  sums.sums[root - 1] = (sums.sums[root - 1] ?? 0) ^ 1
  await replaceSums(path, sums)
  expect(countedSubscribers(opened(), tables)).toBe(0)
})
