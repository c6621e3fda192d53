import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'

const added = sql<number>`counts ->> 'added'`
const addedSomebody = sql<SqlBool>`${added} > 0`
const keepsAdded = sql<SqlBool>`EXISTS (SELECT 1 FROM import_additions WHERE subscriber_import_id = subscriber_imports.id)`

/** The imports of a list that added subscribers and keep whom, the newest first. */
export function importsThatAdded(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<{ id: number; begins_at: number; added: number }[]> {
  return db
    .selectFrom('subscriber_imports')
    .select(['id', 'begins_at', added.as('added')])
    .where('mailing_list_id', '=', mailingListId)
    .where(addedSomebody)
    .where(keepsAdded)
    .orderBy('id', 'desc')
    .execute()
}

/** Whether a list has an import, and whether it is known whom that added: an earlier version did not keep it. */
export async function findImportOfList(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<{ isKnown: boolean } | undefined> {
  const row = await db
    .selectFrom('subscriber_imports')
    .select(sql<number>`NOT (${addedSomebody} AND NOT ${keepsAdded})`.as('is_known'))
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  return row && { isKnown: row.is_known === 1 }
}
