import { type Command, type CommandContext, inBackground, recordRow } from '../../database/command.ts'
import { stateCommands } from '../jobs/state-commands.ts'
import type { FileFormat } from '../subscriber-imports/schema.ts'
import { addSuppressed } from '../suppression-lists/commands.ts'
import { suppressionListById } from '../suppression-lists/queries.ts'
import type { SuppressedRow } from '../suppression-lists/rules.ts'
import { runningStates, suppressedAddressImportById, type SuppressedAddressImportRow } from './queries.ts'

interface CreateInput {
  organizationId: number
  userId: number
  suppressionListId: number
  filename: string
  /** Relative to the data directory. */
  path: string
  /** See fingerprintOf. */
  fingerprint: string
  format: FileFormat
}

/** Stores an import, to be run at once. @throws ApiError not_found */
const createSuppressedAddressImport: Command<CreateInput, SuppressedAddressImportRow> = async (
  context,
  { organizationId, userId, suppressionListId, filename, path, fingerprint, format }
) => {
  await suppressionListById(context.db, organizationId, suppressionListId)
  const row = await context.db
    .insertInto('suppressed_address_imports')
    .values({
      organization_id: organizationId,
      suppression_list_id: suppressionListId,
      user_id: userId,
      state: 'scheduled',
      source_filename: filename,
      source_path: path,
      source_fingerprint: fingerprint,
      file_format: JSON.stringify(format),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'suppressed_address_import', 'create', row)
  return row
}

/** Hands an import to its thread. @returns undefined when it is not to be worked on (any more) */
const startSuppressedAddressImport: Command<{ id: number }, SuppressedAddressImportRow | undefined> = async (
  context,
  { id }
) => {
  const row = await runningImport(context, id)
  return row && change(context, row, { state: 'splitting', started_at: row.started_at ?? context.now })
}

/**
 * Stores the number of records in the file.
 * @returns false if the import was stopped
 */
const recordSuppressedAddressCount: Command<{ id: number; records: number }, boolean> = async (
  context,
  { id, records }
) => {
  const row = await runningImport(context, id)
  if (row) await change(context, row, { state: 'importing', number_of_records: records })
  return row !== undefined
}

interface WriteInput {
  id: number
  /** The number of records in this step, and of those that contain nothing to suppress. */
  read: number
  skipped: number
  rows: SuppressedRow[]
}

const writeSuppressedAddresses = inBackground<WriteInput, boolean>(
  async (context, { id, read, skipped, rows }) => {
    const row = await runningImport(context, id)
    if (!row) return false
    const added = await addSuppressed(context, row, rows)
    await change(context, row, {
      // It may have been paused and unpaused meanwhile.
      state: 'importing',
      records_read: row.records_read + read,
      addresses_added: row.addresses_added + added,
      records_skipped: row.records_skipped + skipped
    })
    return true
  }
)

/** State changes by users and by the import's thread. */
export const suppressedAddressImportStates = stateCommands({
  noun: 'an import',
  waiting: 'scheduled',
  running: runningStates,
  find: suppressedAddressImportById,
  findRunning: runningImport,
  change
})

function runningImport(context: CommandContext, id: number): Promise<SuppressedAddressImportRow | undefined> {
  return context.db
    .selectFrom('suppressed_address_imports')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', runningStates)
    .executeTakeFirst()
}

async function change(
  context: CommandContext,
  { id }: SuppressedAddressImportRow,
  columns: Partial<Omit<SuppressedAddressImportRow, 'id' | 'created_at'>>
): Promise<SuppressedAddressImportRow> {
  const row = await context.db
    .updateTable('suppressed_address_imports')
    .set({ ...columns, updated_at: context.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'suppressed_address_import', 'update', row)
  return row
}

export const suppressedAddressImportCommands = {
  create: createSuppressedAddressImport,
  ...suppressedAddressImportStates,
  begin: startSuppressedAddressImport,
  noteRecords: recordSuppressedAddressCount,
  write: writeSuppressedAddresses
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    suppressedAddressImports: typeof suppressedAddressImportCommands
  }
}
