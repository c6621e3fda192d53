import { packJson, unpackJson } from '../base/packed-json.ts'
import {
  type Command,
  type CommandContext,
  inBackground,
  recordRow,
  Unfinished
} from '../database/command.ts'
import type { BatchResult, Overwritten } from './import-batch.ts'
import type { ImportChangesTable, KeptReason } from '../api/subscriber-imports/tables.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { currentSettings } from '../settings/queries.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { type FieldDefinition, meaningfulValues, type StoredValues } from '../api/custom-fields/rules.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { refuseWhileRekeying } from '../api/mailing-lists/rekey-commands.ts'
import { recordSubscribers, type StatusChange } from '../api/subscribers/record-changes.ts'
import { alternateKeyOf } from '../api/subscribers/rules.ts'
import { importRow, type ImportRow } from '../api/subscriber-imports/queries.ts'
import { importUndo } from './undo-queries.ts'

// Undoing an import: added subscribers are deleted, overwritten ones get their former values. Those changed
// since are skipped and named.

export async function recordImportChanges(
  context: CommandContext,
  importId: number,
  { addedRange, overwritten }: BatchResult
): Promise<void> {
  if (!addedRange && overwritten.length === 0) return
  const added = addedRange ? addedRange.last - addedRange.first + 1 : 0
  await storeChanges(context.db, {
    subscriber_import_id: importId,
    written_at: context.now,
    first_added_id: addedRange?.first ?? null,
    last_added_id: addedRange?.last ?? null,
    overwritten: overwritten.length > 0 ? await packJson(overwritten) : null,
    subscribers: added + overwritten.length
  })
}

const storeChanges = compiledQuery<Omit<ImportChangesTable, 'id' | 'undone'>, unknown>((db, value) =>
  db.insertInto('import_changes').values({
    subscriber_import_id: value('subscriber_import_id'),
    written_at: value('written_at'),
    first_added_id: value('first_added_id'),
    last_added_id: value('last_added_id'),
    overwritten: value('overwritten'),
    subscribers: value('subscribers')
  })
)

/** Removes what undoing an import needs and what its undoing left; the logs of the import go at the same time. */
export async function deleteImportChanges(context: CommandContext, importId: number): Promise<void> {
  for (const table of ['import_changes', 'import_undo_kept'] as const) {
    await context.db.deleteFrom(table).where('subscriber_import_id', '=', importId).execute()
  }
}

interface ImportInput {
  organizationId: number
  id: number
}

/**
 * Starts to undo an ended import.
 * @throws ApiError validation_failed if it cannot be undone (any more)
 */
const startImportUndo: Command<ImportInput, void> = async (context, { organizationId, id }) => {
  const row = await importRow(context.db, organizationId, id)
  await localListById(context.db, organizationId, row.mailing_list_id, 'subscriber imports')
  await refuseWhileRekeying(context, row.mailing_list_id)
  if (row.finished_at === null) {
    throw validationFailed(refusal('undo_of_running_import', { state: row.state }))
  }
  if (row.logs_purged_at !== null) {
    throw validationFailed(refusal('import_too_old'))
  }
  if (await importUndo(context.db, id)) throw validationFailed(refusal('import_undone_already'))
  const { changed, adds } = await context.db
    .selectFrom('import_changes')
    .select((select) => [
      select.fn.sum<number | null>('subscribers').as('changed'),
      select.fn.count<number>('first_added_id').as('adds')
    ])
    .where('subscriber_import_id', '=', id)
    .executeTakeFirstOrThrow()
  if (changed === null) throw validationFailed(refusal('import_without_changes'))
  if (adds > 0 && (await currentSettings(context.db)).service_disable_subscriber_deletion) {
    throw validationFailed(refusal('removal_disabled'))
  }
  await context.db
    .insertInto('import_undos')
    .values({ subscriber_import_id: id, total: changed, started_at: context.now })
    .execute()
  recordRow(context, 'subscriber_import', 'update', row)
}

/** Subscribers per step: short enough that other writes do not wait noticeably. */
const subscribersPerStep = 50

interface Undoing {
  row: ImportRow
  /** The primary key of the list; undefined = the email. */
  keyField: FieldDefinition | undefined
  fields: readonly FieldDefinition[]
  writtenAt: number
  tally: SubscriberTally
  counts: { removed: number; restored: number; kept: number }
}

const continueImportUndo = inBackground<{ id: number }, boolean>(async (context, input) => {
  const row = await context.db
    .selectFrom('subscriber_imports')
    .selectAll()
    .where('id', '=', input.id)
    .executeTakeFirstOrThrow()
  context.origin = { via: 'import_undo', causeId: row.id, userId: null }
  const change = await context.db
    .selectFrom('import_changes')
    .selectAll()
    .where('subscriber_import_id', '=', row.id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!change) {
    await context.db
      .updateTable('import_undos')
      .set({ finished_at: context.now })
      .where('subscriber_import_id', '=', row.id)
      .execute()
    recordRow(context, 'subscriber_import', 'update', row)
    return false
  }
  const fields = await fieldsOfList(context.db, row.organization_id, row.mailing_list_id)
  const list = await context.db
    .selectFrom('mailing_lists')
    .select('primary_key_custom_field_id')
    .where('id', '=', row.mailing_list_id)
    .executeTakeFirstOrThrow()
  const undoing: Undoing = {
    row,
    fields,
    keyField: fields.find(({ id }) => id === list.primary_key_custom_field_id),
    writtenAt: change.written_at,
    tally: new SubscriberTally(row.mailing_list_id),
    counts: { removed: 0, restored: 0, kept: 0 }
  }
  const { first_added_id: first, last_added_id: last } = change
  const added = first !== null && last !== null ? last - first + 1 : 0
  const overwritten = change.overwritten ? ((await unpackJson(change.overwritten)) as Overwritten[]) : []
  let undone = change.undone
  let paused = false
  while (undone < change.subscribers && !paused) {
    const end = Math.min(
      undone + subscribersPerStep,
      undone < added ? added : change.subscribers,
      change.subscribers
    )
    if (first !== null && undone < added) await removeAdded(context, undoing, first + undone, first + end - 1)
    else await restore(context, undoing, overwritten.slice(undone - added, end - added))
    undone = end
    paused = undone < change.subscribers && (await context.shouldPause())
  }
  await undoing.tally.save(context)
  await recordProgressOf(context, undoing, undone - change.undone)
  if (paused) {
    await context.db.updateTable('import_changes').set({ undone }).where('id', '=', change.id).execute()
    return new Unfinished(input)
  }
  await context.db.deleteFrom('import_changes').where('id', '=', change.id).execute()
  return true
})

/** Removes those of the added subscribers who did not change since. */
async function removeAdded(
  context: CommandContext,
  undoing: Undoing,
  firstId: number,
  lastId: number
): Promise<void> {
  const { row, writtenAt, tally, counts } = undoing
  const removed = await context.db
    .deleteFrom('subscribers')
    .where('id', '>=', firstId)
    .where('id', '<=', lastId)
    .where('mailing_list_id', '=', row.mailing_list_id)
    .where('updated_at', '=', writtenAt)
    .returning(['id', 'status'])
    .execute()
  for (const { id, status } of removed) tally.removed(id, status)
  counts.removed += removed.length
  recordSubscribers(
    context,
    row,
    'delete',
    removed.map(({ id }) => id)
  )
  const left = await context.db
    .selectFrom('subscribers')
    .select(['id', 'email'])
    .where('id', '>=', firstId)
    .where('id', '<=', lastId)
    .where('mailing_list_id', '=', row.mailing_list_id)
    .execute()
  for (const subscriber of left) await keep(context, undoing, subscriber, 'changed')
}

/** Restores the overwritten subscribers that were not changed or deleted since. */
async function restore(context: CommandContext, undoing: Undoing, overwritten: Overwritten[]): Promise<void> {
  const { row, writtenAt, tally, counts, keyField, fields } = undoing
  const current = await context.db
    .selectFrom('subscribers')
    .select(['id', 'email', 'status', 'alternate_key', 'updated_at'])
    .where(
      'id',
      'in',
      overwritten.map(([id]) => id)
    )
    .where('mailing_list_id', '=', row.mailing_list_id)
    .execute()
  const byId = new Map(current.map((subscriber) => [subscriber.id, subscriber]))
  const restored: number[] = []
  const statuses = new Map<number, StatusChange>()
  for (const [id, status, confirmed, email_format, former] of overwritten) {
    const subscriber = byId.get(id)
    if (!subscriber) continue
    const values = meaningfulValues(fields, JSON.parse(former) as StoredValues)
    if (subscriber.updated_at !== writtenAt) {
      await keep(context, undoing, subscriber, 'changed')
    } else if (keyField && alternateKeyOf(keyField, values) !== subscriber.alternate_key) {
      await keep(context, undoing, subscriber, 'primary_key')
    } else {
      await context.db
        .updateTable('subscribers')
        .set({
          status,
          confirmed,
          email_format,
          custom_fields: JSON.stringify(values),
          updated_at: context.now
        })
        .where('id', '=', id)
        .execute()
      tally.moved(subscriber.status, status)
      if (subscriber.status !== status) statuses.set(id, [subscriber.status, status])
      restored.push(id)
    }
  }
  counts.restored += restored.length
  recordSubscribers(context, row, 'update', restored, statuses)
}

async function keep(
  context: CommandContext,
  { row, counts }: Undoing,
  subscriber: { id: number; email: string },
  reason: KeptReason
): Promise<void> {
  await context.db
    .insertInto('import_undo_kept')
    .values({
      subscriber_import_id: row.id,
      subscriber_id: subscriber.id,
      email: subscriber.email,
      reason
    })
    .execute()
  counts.kept++
}

async function recordProgressOf(
  context: CommandContext,
  { row, counts }: Undoing,
  handled: number
): Promise<void> {
  await context.db
    .updateTable('import_undos')
    .set((value) => ({
      done: value('done', '+', handled),
      removed: value('removed', '+', counts.removed),
      restored: value('restored', '+', counts.restored),
      kept: value('kept', '+', counts.kept)
    }))
    .where('subscriber_import_id', '=', row.id)
    .execute()
  // Listeners receive changes of subscribers. If all were skipped, this tells them that the undo continued.
  if (counts.removed + counts.restored === 0) recordRow(context, 'subscriber_import', 'update', row)
}

export const importUndoCommands = {
  begin: startImportUndo,
  continue: continueImportUndo
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    importUndos: typeof importUndoCommands
  }
}
