import type { Database } from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { packIds } from '../api/bulk-actions/selected-ids.ts'
import type { SegmentCounts } from '../api/segments/queries.ts'
import { type SubscriberStatus, subscriberStatuses } from '../api/subscribers/schema.ts'
import { type Choice, chosenIds, type ScanningConnection } from './chosen.ts'
import type { FoundSelection, Narrowing } from './segment-reader.ts'

/** Subscribers whose status is read between two other questions. */
const countedAtOnce = 10_000

/**
 * Returns the selected subscribers at this moment: results cached for tables may be slightly out of date.
 * @throws the reason of the signal
 */
export async function findSelection(
  connection: ScanningConnection,
  choice: Choice,
  { only, except }: Narrowing,
  signal: AbortSignal
): Promise<FoundSelection> {
  const found = only
    ? existing(connection.database, choice.mailingListId, only)
    : await chosenIds(connection, { ...choice, sorting: null }, signal)
  const left = new Set(except)
  const ids = left.size > 0 ? found.filter((id) => !left.has(id)) : found
  return {
    subscribers: ids.length,
    leftOut: found.length - ids.length,
    statuses: await countStatuses(connection.database, ids, signal),
    parts: packIds(ids)
  }
}

function existing(database: Database, mailingListId: number, ids: number[]): Float64Array {
  const found = database
    .prepare<[number, string], number>(
      `SELECT id FROM subscribers WHERE mailing_list_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id`
    )
    .pluck()
    .all(mailingListId, JSON.stringify(ids))
  return Float64Array.from(found)
}

async function countStatuses(
  database: Database,
  ids: Float64Array,
  signal: AbortSignal
): Promise<SegmentCounts> {
  const counts = Object.fromEntries(subscriberStatuses.map((status) => [status, 0])) as SegmentCounts
  const count = database.prepare<[string], { status: SubscriberStatus; subscribers: number }>(
    `SELECT status, count(*) AS subscribers FROM subscribers
     WHERE id IN (SELECT value FROM json_each(?)) GROUP BY status`
  )
  for (let start = 0; start < ids.length; start += countedAtOnce) {
    const some = JSON.stringify(Array.from(ids.subarray(start, start + countedAtOnce)))
    for (const { status, subscribers } of count.all(some)) counts[status] += subscribers
    await nextTurn()
    signal.throwIfAborted()
  }
  return counts
}
