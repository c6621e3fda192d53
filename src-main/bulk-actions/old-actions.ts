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

/** Removes selections from before a time (UNIX milliseconds) that nothing came of, or that nothing needs any more. */
export async function deleteOldSelections(
  reader: Kysely<Schema>,
  writer: Writer,
  before: number
): Promise<void> {
  for (const { id } of await unusedSelections(reader, before)) {
    await writer.run('bulkActions.deleteSelection', { id })
  }
}
