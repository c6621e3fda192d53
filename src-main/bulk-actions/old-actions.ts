import type { Kysely } from 'kysely'
import { bulkActionsToForget, unusedSelections } from '../api/bulk-actions/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'

/** Removes what undoing bulk actions needs that ended before a time (UNIX milliseconds), and whom nothing can bring back since. */
export async function forgetOldBulkActions(
  reader: Kysely<Schema>,
  writer: Writer,
  before: number
): Promise<void> {
  for (const { id } of await bulkActionsToForget(reader, before))
    while (await writer.run('bulkActions.forget', { id }));
  while (await writer.run('bulkActions.forgetAbsent', { before }));
}

/** Removes selections from before a time (UNIX milliseconds) that nothing came of, or that nothing needs any more. */
export async function dropOldSelections(
  reader: Kysely<Schema>,
  writer: Writer,
  before: number
): Promise<void> {
  for (const { id } of await unusedSelections(reader, before)) {
    await writer.run('bulkActions.dropSelection', { id })
  }
}
