import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'

const added = sql<number>`counts ->> 'added'`
const addedSomebody = sql<SqlBool>`${added} > 0`
/** Some ids of a range are unused, so a range has at least as many ids as subscribers. */
const keepsAll = sql<SqlBool>`(SELECT ifnull(sum(last_id - first_id + 1), 0) FROM import_additions
  WHERE subscriber_import_id = subscriber_imports.id) >= ${added}`

/** Returns the imports of a list that added subscribers and know them, newest first, without undone ones. */
export function importsThatAdded(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<{ id: number; begins_at: number; added: number }[]> {
  return (
    db
      .selectFrom('subscriber_imports')
      .select(['id', 'begins_at', added.as('added')])
      .where('mailing_list_id', '=', mailingListId)
      .where(addedSomebody)
      .where(keepsAll)
      // The added subscribers were deleted by an undo, and the undo lists those that it skipped.
      .where('id', 'not in', (undone) => undone.selectFrom('import_undos').select('subscriber_import_id'))
      .orderBy('id', 'desc')
      .execute()
  )
}

/**
 * Returns whether a list has an import, and whether the added subscribers are known: an earlier version did
 * not store them.
 */
export async function findImportOfList(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<{ isKnown: boolean } | undefined> {
  const row = await db
    .selectFrom('subscriber_imports')
    .select(sql<number>`${keepsAll}`.as('is_known'))
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  return row && { isKnown: row.is_known === 1 }
}
