import { type Command, type CommandContext, inBackground, recordRow } from '../database/command.ts'
import { Faults } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import type { ExportPlan } from './plan.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { fieldNamed } from '../api/custom-fields/rules.ts'
import { selectionRow } from '../api/bulk-actions/queries.ts'
import { stateCommands } from '../api/jobs/state-commands.ts'
import { localListById, mailingListById, type MailingListRow } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { resolveConditions } from '../api/segments/settled.ts'
import { clauseOf, requireListsOf, segmentOfList } from '../api/segments/queries.ts'
import { importColumns, isImportColumn } from '../api/subscriber-imports/rules.ts'
import { subscriberStatuses } from '../api/subscribers/schema.ts'
import {
  countWithStatuses,
  exportRow,
  type ExportRow,
  runningExportStates,
  settingsOf,
  type StoredExportSettings
} from '../api/subscriber-exports/queries.ts'
import type { SubscriberExportInput } from '../api/subscriber-exports/schema.ts'

interface CreateInput {
  organizationId: number
  /** The exported selection and its user; null = by segment. */
  selected: { selectionId: number; userId: number } | null
  mailingListId: number
  export: SubscriberExportInput
}

/** Stores an export, to be run at once. @returns its id */
const createSubscriberExport: Command<CreateInput, number> = async (context, input) => {
  const list = await localListById(
    context.db,
    input.organizationId,
    input.mailingListId,
    'subscriber exports'
  )
  const selection =
    input.selected &&
    (await selectionRow(
      context.db,
      { organizationId: input.organizationId, userId: input.selected.userId },
      input.selected.selectionId
    ))
  const { segment_id: segmentId, statuses, columns, file_format } = input.export
  const segment =
    segmentId === undefined || segmentId === null ? null : await segmentOfList(context.db, list.id, segmentId)
  if (segment) await requireListsOf(context.db, clauseOf(segment))
  const { time_zone_name: timeZone } = await organizationById(context.db, input.organizationId)
  const settings: StoredExportSettings = {
    segment_id: segment?.id ?? null,
    clause: segment ? resolveConditions(clauseOf(segment), { now: context.clock, timeZone }) : [],
    statuses: statuses ? [...new Set(statuses)] : [...subscriberStatuses],
    columns: await readColumns(context, list, columns),
    file_format
  }
  const { id } = await context.db
    .insertInto('subscriber_exports')
    .values({
      organization_id: input.organizationId,
      mailing_list_id: list.id,
      state: 'idle',
      settings: JSON.stringify(settings),
      selection_id: selection?.id ?? null,
      number_of_records: selection?.subscribers ?? null,
      records_exported: 0,
      after_id: 0,
      bytes_written: 0,
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordRow(context, 'subscriber_export', 'create', {
    id,
    organization_id: input.organizationId,
    mailing_list_id: list.id
  })
  return id
}

/**
 * Returns the columns of the file, with field names spelled as on the list. If none are given, returns all columns that an import
 * can read.
 */
async function readColumns(
  context: CommandContext,
  list: MailingListRow,
  given: string[] | undefined
): Promise<string[]> {
  const fields = await fieldsOfList(context.db, list.organization_id, list.id)
  const available = importColumns
    .filter((name) => name !== 'email_format' || list.has_format === 1)
    .filter((name) => name !== 'confirmed' || list.has_confirmed === 1)
  if (!given) return [...available, ...fields.map(({ name }) => name)]
  const faults = new Faults()
  const columns = given.map((name) => {
    const column = isImportColumn(name) ? name : fieldNamed(fields, name)?.name
    if (column === undefined || (isImportColumn(name) && !available.includes(name))) {
      faults.add(refusal('no_column_of_list', { field: 'columns', name }))
    }
    return column ?? name
  })
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined) faults.add(refusal('column_twice', { field: 'columns', name: twice }))
  faults.throwIfAny()
  return columns
}

/** Hands an export to its thread. @returns null when it is not to be worked on (any more) */
const handOutExport: Command<{ id: number }, ExportPlan | null> = async (context, { id }) => {
  const row = await runningExport(context, id)
  if (!row) return null
  const list = await mailingListById(context.db, row.organization_id, row.mailing_list_id)
  const organization = await organizationById(context.db, row.organization_id)
  const settings = settingsOf(row)
  await requireListsOf(context.db, settings.clause)
  const isWhole = settings.clause.length === 0 && row.selection_id === null
  const isCounted = isWhole || row.number_of_records !== null
  await change(context, row, {
    state: isCounted ? 'exporting' : 'estimating',
    started_at: row.started_at ?? context.now,
    ...(isWhole && {
      number_of_records: await countWithStatuses(context.db, list.id, settings.statuses)
    })
  })
  return {
    id,
    mailingListId: list.id,
    selectionId: row.selection_id,
    clause: settings.clause,
    isCounted,
    settings,
    fields: await fieldsOfList(context.db, row.organization_id, list.id),
    timeZone: organization.time_zone_name,
    progress: { records: row.records_exported, afterId: row.after_id, bytes: row.bytes_written }
  }
}

/**
 * Stores the number of subscribers in an export's segment.
 * @returns false if the export was stopped
 */
const recordExportEstimate: Command<{ id: number; records: number }, boolean> = async (
  context,
  { id, records }
) => {
  const row = await runningExport(context, id)
  if (row) await change(context, row, { state: 'exporting', number_of_records: records })
  return row !== undefined
}

/**
 * Stores the checkpoint of an export.
 * @returns false if the export was stopped
 */
const recordExportProgress = inBackground<{ id: number; progress: ExportPlan['progress'] }, boolean>(
  async (context, { id, progress }) => {
    const row = await runningExport(context, id)
    if (!row) return false
    await change(context, row, {
      // It may have been paused and unpaused meanwhile.
      state: 'exporting',
      records_exported: progress.records,
      after_id: progress.afterId,
      bytes_written: progress.bytes
    })
    return true
  }
)

/** State changes by users and by the export's thread. */
export const exportStates = stateCommands({
  noun: 'an export',
  waiting: 'idle',
  running: runningExportStates,
  find: exportRow,
  findRunning: runningExport,
  change
})

const recordRemovedFile: Command<{ id: number }, void> = async (context, { id }) => {
  await context.db
    .updateTable('subscriber_exports')
    .set({ file_removed_at: context.now })
    .where('id', '=', id)
    .execute()
}

async function runningExport(
  context: CommandContext,
  id: number
): Promise<Omit<ExportRow, 'mailing_list_name'> | undefined> {
  return context.db
    .selectFrom('subscriber_exports')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', runningExportStates)
    .executeTakeFirst()
}

async function change(
  context: CommandContext,
  row: Pick<ExportRow, 'id' | 'organization_id' | 'mailing_list_id'>,
  columns: Partial<Omit<ExportRow, 'id' | 'created_at' | 'mailing_list_name'>>
): Promise<void> {
  await context.db
    .updateTable('subscriber_exports')
    .set({ ...columns, updated_at: context.now })
    .where('id', '=', row.id)
    .execute()
  recordRow(context, 'subscriber_export', 'update', row)
}

export const subscriberExportCommands = {
  create: createSubscriberExport,
  ...exportStates,
  begin: handOutExport,
  noteEstimate: recordExportEstimate,
  recordProgressOf: recordExportProgress,
  recordRemovedFile
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    subscriberExports: typeof subscriberExportCommands
  }
}
