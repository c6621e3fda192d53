import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'

const added = sql<number>`counts ->> 'added'`
const addedSomebody = sql<SqlBool>`${added} > 0`
/** Of ids that were given out, some went to nobody: there are as many as were added, or more. */
const keepsAll = sql<SqlBool>`(SELECT ifnull(sum(last_id - first_id + 1), 0) FROM import_additions
  WHERE subscriber_import_id = subscriber_imports.id) >= ${added}`

/** The imports of a list that added subscribers and keep whom, the newest first; without those that were undone. */
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
      // Those whom it added are gone, and who stayed is named by its undoing.
      .where('id', 'not in', (undone) => undone.selectFrom('import_undos').select('subscriber_import_id'))
      .orderBy('id', 'desc')
      .execute()
  )
}

/** Whether a list has an import, and whether it is known whom that added: an earlier version did not keep it. */
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
