import type { Reading } from '../../contact-files/schema.ts'
import type { Refusal } from '../../base/refusal.ts'
import { storeRefusal } from '../../base/stored-refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { type FieldDefinition, fieldNamed } from '../../api/custom-fields/rules.ts'
import { localListById } from '../../api/mailing-lists/queries.ts'
import type { ImportSettings } from '../../api/subscriber-imports/schema.ts'
import { subscriberImportCommands } from '../commands.ts'
import { settingsOf } from '../interpreted-rows.ts'
import type { ImportSource } from '../source.ts'
import { importScheduleById, type ImportScheduleRow } from './queries.ts'

const tables: RecordTables = { entity: 'import_schedule', table: 'import_schedules', parts: [] }

export type ScheduledOptions = Omit<
  ImportSettings,
  'column_mapping' | 'default_custom_fields' | 'file_format'
>

interface Create {
  organizationId: number
  mailingListId: number
  schedule: {
    databaseConnectionId: number
    query: string
    reading: Reading
    options: ScheduledOptions
    everyMinutes: number
  }
}

const minute = 60_000

/** Has an import repeated; it begins the first time after one interval. */
const createImportSchedule: Command<Create, number> = async (
  context,
  { organizationId, mailingListId, schedule }
) => {
  await localListById(context.db, organizationId, mailingListId, 'subscriber imports')
  const { id } = await context.db
    .insertInto('import_schedules')
    .values({
      mailing_list_id: mailingListId,
      database_connection_id: schedule.databaseConnectionId,
      query: schedule.query,
      reading: JSON.stringify(schedule.reading),
      options: JSON.stringify(schedule.options),
      every_minutes: schedule.everyMinutes,
      is_enabled: 1,
      next_at: context.clock + schedule.everyMinutes * minute,
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'import_schedule', 'create', { organizationId, mailingListId }, id)
  return id
}

interface Update {
  organizationId: number
  id: number
  changes: { query?: string; is_enabled?: boolean; every_minutes?: number; begins_now?: boolean }
}

/** Changes a repeated import. With another query, which the caller has tried, one that could not begin is tried again at once. */
const updateImportSchedule: Command<Update, void> = async (context, { organizationId, id, changes }) => {
  const before = await importScheduleById(context.db, organizationId, id)
  const query = changes.query ?? before.query
  const every = changes.every_minutes ?? before.every_minutes
  const isOn = changes.is_enabled ?? before.is_enabled === 1
  const isCorrected = before.fault !== null && query !== before.query
  const waitsAnew = every !== before.every_minutes || (isOn && before.is_enabled === 0)
  const begins = changes.begins_now || isCorrected ? context.clock : context.clock + every * minute
  await recordEdit(context, tables, ownerOf(organizationId, before), id, () =>
    context.db
      .updateTable('import_schedules')
      .set({
        ...{ query, every_minutes: every, is_enabled: Number(isOn), updated_at: context.now },
        ...((changes.begins_now || isCorrected || waitsAnew) && { next_at: begins }),
        ...(isCorrected && { fault: null })
      })
      .where('id', '=', id)
      .execute()
  )
}

const deleteImportSchedule: Command<{ organizationId: number; id: number }, void> = async (
  context,
  { organizationId, id }
) => {
  const row = await importScheduleById(context.db, organizationId, id)
  const named = { id, name: row.query.slice(0, 100) }
  await recordDeletion(context, tables, ownerOf(organizationId, row), named, () =>
    context.db.deleteFrom('import_schedules').where('id', '=', id).execute()
  )
}

interface Begin {
  id: number
  /** The one that returned the rows. */
  query: string
  source: ImportSource
}

/**
 * Begins the import of rows that were read, and sets when it is repeated.
 * @returns false if it was turned off or deleted meanwhile, or has another query by now
 */
const beginScheduledImport: Command<Begin, boolean> = async (context, { id, query, source }) => {
  const found = await scheduleWithOrganization(context, id)
  if (found?.is_enabled !== 1 || found.query !== query) return false
  const { organization_id: organizationId, mailing_list_id: mailingListId } = found
  const fields = await fieldsOfList(context.db, organizationId, mailingListId)
  const reading = withExistingFields(JSON.parse(found.reading) as Reading, fields)
  const importId = await subscriberImportCommands.create(context, {
    ...{ organizationId, mailingListId, reading, source },
    settings: settingsOf(reading, JSON.parse(found.options) as ScheduledOptions),
    ...{ autoresponders: {}, beginsAt: null, corrects: null }
  })
  await context.db
    .updateTable('import_schedules')
    .set({ last_import_id: importId, fault: null, next_at: context.clock + found.every_minutes * minute })
    .where('id', '=', id)
    .execute()
  announce(context, found)
  return true
}

/** Maps columns to the fields that an earlier run has created for them. */
function withExistingFields(reading: Reading, fields: readonly FieldDefinition[]): Reading {
  const columns = reading.columns.map((column) => {
    const field = column.new_field_type && column.target !== null && fieldNamed(fields, column.target)
    return field ? { ...column, target: field.name, new_field_type: null } : column
  })
  return { ...reading, columns }
}

/** Stores why rows could not be read; it is tried again after an interval. */
const failScheduledImport: Command<{ id: number; fault: Refusal }, void> = async (context, { id, fault }) => {
  const found = await scheduleWithOrganization(context, id)
  if (!found) return
  await context.db
    .updateTable('import_schedules')
    .set({ fault: storeRefusal(fault), next_at: context.clock + found.every_minutes * minute })
    .where('id', '=', id)
    .execute()
  announce(context, found)
}

function scheduleWithOrganization({ db }: CommandContext, id: number) {
  return db
    .selectFrom('import_schedules')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .selectAll('import_schedules')
    .select('organization_id')
    .where('import_schedules.id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

function ownerOf(organizationId: number, { mailing_list_id: mailingListId }: ImportScheduleRow) {
  return { organizationId, mailingListId }
}

function announce(
  context: CommandContext,
  {
    id,
    mailing_list_id: mailingListId,
    organization_id: organizationId
  }: ImportScheduleRow & { organization_id: number }
): void {
  const owner = { organizationId, mailingListId, firstId: id, lastId: id }
  context.record({ entity: 'import_schedule', action: 'update', isUnlogged: true, ...owner })
}

export const importScheduleCommands = {
  create: createImportSchedule,
  update: updateImportSchedule,
  delete: deleteImportSchedule,
  begin: beginScheduledImport,
  fail: failScheduledImport
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    importSchedules: typeof importScheduleCommands
  }
}
