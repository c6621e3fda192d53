import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/**
 * Returns the copies stored before `time` (UNIX milliseconds) whose imports all ended before `time`, and
 * those without any import.
 */
export function copiesUnusedSince(
  db: Kysely<Schema>,
  time: number
): Promise<{ path: string; stored_at: number }[]> {
  return db
    .selectFrom('upload_copies')
    .select(['path', 'stored_at'])
    .where('stored_at', '<', time)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('subscriber_imports')
            .select('id')
            .whereRef('source_path', '=', 'upload_copies.path')
            .where((ended) => ended.or([ended('finished_at', 'is', null), ended('finished_at', '>=', time)]))
        )
      )
    )
    .execute()
}
