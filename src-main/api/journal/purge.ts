import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/**
 * Deletes some of the journal of contents.
 * @returns true if there may be more
 */
export async function purgeJournal(
  db: Kysely<Schema>,
  sliceIds: readonly number[],
  atOnce: number
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('message_journal')
    .where((where) =>
      where(
        where.refTuple('stat_slice_id', 'subscriber_id', 'number'),
        'in',
        where
          .selectFrom('message_journal')
          .select(['stat_slice_id', 'subscriber_id', 'number'])
          .where('stat_slice_id', 'in', sliceIds)
          .limit(atOnce)
          .$asTuple('stat_slice_id', 'subscriber_id', 'number')
      )
    )
    .executeTakeFirst()
  if (numDeletedRows === BigInt(atOnce)) return true
  await db.deleteFrom('journal_counts').where('stat_slice_id', 'in', sliceIds).execute()
  return false
}
