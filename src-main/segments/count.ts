import type { Kysely } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { countMembers, type SegmentCounts, type SegmentScope } from '../api/segments/queries.ts'
import { subscriberStatuses } from '../api/subscribers/schema.ts'
import type { Schema } from '../database/schema.ts'

/** Subscribers scanned between two other questions; some 30 ms of work. */
const countedAtOnce = 20_000

/** Counts the members of a segment by status: a look at every subscriber of the list, so not for the API's thread. */
export async function countSegment(db: Kysely<Schema>, scope: SegmentScope): Promise<SegmentCounts> {
  const totals = Object.fromEntries(subscriberStatuses.map((status) => [status, 0])) as SegmentCounts
  for (let afterId: number | null = 0; afterId !== null; await nextTurn()) {
    const { counts, lastId } = await countMembers(db, scope, afterId, countedAtOnce)
    for (const status of subscriberStatuses) totals[status] += counts[status]
    afterId = lastId
  }
  return totals
}
