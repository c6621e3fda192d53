import type { Kysely, Selectable } from 'kysely'
import type { ImportUndoKeptTable, ImportUndosTable } from '../api/subscriber-imports/tables.ts'
import type { Schema } from '../database/schema.ts'

export type ImportUndoRow = Selectable<ImportUndosTable>

/** The undoing of an import, under way or done. */
export function importUndo(db: Kysely<Schema>, importId: number): Promise<ImportUndoRow | undefined> {
  return db
    .selectFrom('import_undos')
    .selectAll()
    .where('subscriber_import_id', '=', importId)
    .executeTakeFirst()
}

/** The custom fields that an import created and that are still there. */
export function fieldsCreatedBy(
  db: Kysely<Schema>,
  importId: number
): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom('import_fields')
    .innerJoin('custom_fields', 'custom_fields.id', 'import_fields.custom_field_id')
    .select(['custom_fields.id', 'custom_fields.name'])
    .where('subscriber_import_id', '=', importId)
    .where('deleted_at', 'is', null)
    .orderBy('custom_fields.id')
    .execute()
}

export async function hasImportChanges(db: Kysely<Schema>, importId: number): Promise<boolean> {
  const row = await db
    .selectFrom('import_changes')
    .select('id')
    .where('subscriber_import_id', '=', importId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the first import that is being undone. */
export function nextUndo(db: Kysely<Schema>): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('import_undos')
    .select('subscriber_import_id as id')
    .where('finished_at', 'is', null)
    .orderBy('subscriber_import_id')
    .limit(1)
    .executeTakeFirst()
}

export function keptSubscribers(
  db: Kysely<Schema>,
  importId: number,
  afterId: number,
  limit: number
): Promise<Selectable<ImportUndoKeptTable>[]> {
  return db
    .selectFrom('import_undo_kept')
    .selectAll()
    .where('subscriber_import_id', '=', importId)
    .where('subscriber_id', '>', afterId)
    .orderBy('subscriber_id')
    .limit(limit)
    .execute()
}
