import type { Kysely } from 'kysely'
import { bulkActionsToForget, unusedSelections } from '../api/bulk-actions/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'

/**
 * Deletes the undo data of bulk actions that ended before a time (UNIX milliseconds), and the absent
 * subscribers that no action can restore any more.
 */
export async function deleteOldBulkActionData(
  reader: Kysely<Schema>,
  writer: Writer,
  before: number
): Promise<void> {
  for (const { id } of await bulkActionsToForget(reader, before))
    while (await writer.run('bulkActions.forget', { id }));
  while (await writer.run('bulkActions.deleteAbsent', { before }));
}

/** Deletes selections that were created before a time (UNIX milliseconds) and that no bulk action or unfinished export needs. */
export async function deleteOldSelections(
  reader: Kysely<Schema>,
  writer: Writer,
  before: number
): Promise<void> {
  for (const { id } of await unusedSelections(reader, before)) {
    await writer.run('bulkActions.deleteSelection', { id })
  }
}
