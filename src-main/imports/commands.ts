import type { ImportBatchesTable, RowOrder } from '../api/subscriber-imports/tables.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import { isAbsolute, join } from 'node:path'
import {
  type Command,
  type CommandContext,
  inBackground,
  recordRow,
  Unfinished
} from '../database/command.ts'
import { nextSubscriberId, useSubscriberIds } from '../api/subscribers/ids.ts'
import {
  applyImportBatch,
  type ImportSession,
  newImportSession,
  recallImportBatch as recallBatch
} from './import-batch.ts'
import { correctedPlaces } from './correction-queries.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import { Faults, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { type Reading, readingOf } from '../contact-files/schema.ts'
import { createdFields } from '../contact-files/interpreter.ts'
import { interpretedSettings } from './interpreted-rows.ts'
import { type ImportBatch, type ImportPlan, type PackedBatch, rowOrderFor } from './plan.ts'
import { unpackBatch } from './row-packer.ts'
import type { ImportSource } from './source.ts'
import { currentSettings } from '../settings/queries.ts'
import { type AutoresponderRow, autorespondersOf } from '../api/autoresponders/queries.ts'
import { queueReactionsOfMany } from '../api/autoresponders/reactions.ts'
import { customFieldCommands } from '../api/custom-fields/commands.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import { stateCommands } from '../api/jobs/state-commands.ts'
import { localListById, mailingListById, type MailingListRow } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { refuseWhileRekeying } from '../api/mailing-lists/rekey-commands.ts'
import { roomFor } from '../api/subscriber-counts/queries.ts'
import { importRow, type ImportRow, type StoredSettings } from '../api/subscriber-imports/queries.ts'
import { plainMapping, runningStates } from '../api/subscriber-imports/rules.ts'
import {
  type AutorespondersInput,
  type ImportCounts,
  type ImportSettings,
  addCounts,
  zeroCounts
} from '../api/subscriber-imports/schema.ts'
import { checkMapping } from '../api/subscriber-imports/settings.ts'
import { recordSubscribers } from '../api/subscribers/record-changes.ts'
import { deleteImportChanges, recordImportChanges } from './undo-commands.ts'

interface CreateInput {
  organizationId: number
  mailingListId: number
  settings: ImportSettings
  /** null for an import of the API, whose settings are complete. */
  reading: Reading | null
  autoresponders: AutorespondersInput
  source: ImportSource
  /** UNIX milliseconds; null = now */
  beginsAt: number | null
  /** The import whose failed rows are corrected, and their places in its log; null = none. */
  corrects: { id: number; places: number[] } | null
}

const createSubscriberImport: Command<CreateInput, number> = async (context, input) => {
  const list = await localListById(
    context.db,
    input.organizationId,
    input.mailingListId,
    'subscriber imports'
  )
  await refuseWhileRekeying(context, list.id)
  const created = input.reading ? await createFields(context, list, input.reading) : []
  const fields = await fieldsOfList(context.db, input.organizationId, input.mailingListId)
  checkMapping(input.settings, list, fields)
  const settings: StoredSettings = {
    ...input.settings,
    subscriber_defaults: defaultsOf(input.settings, list),
    autoresponders: readAutoresponders(await autorespondersOf(context.db, list.id), input.autoresponders)
  }
  const { id } = await context.db
    .insertInto('subscriber_imports')
    .values({
      organization_id: input.organizationId,
      mailing_list_id: list.id,
      state: 'scheduled',
      begins_at: input.beginsAt ?? context.clock,
      begins_at_once: input.beginsAt === null || input.beginsAt <= context.clock ? 1 : 0,
      settings: JSON.stringify(settings),
      reading: input.reading && JSON.stringify(input.reading),
      source_type: input.source.type,
      source_filename: input.source.filename,
      source_path: input.source.path,
      source_url: input.source.url,
      records_imported: 0,
      counts: JSON.stringify(zeroCounts()),
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const field of created) {
    await context.db
      .insertInto('import_fields')
      .values({ subscriber_import_id: id, custom_field_id: field.id })
      .execute()
  }
  if (input.corrects) {
    await refuseCorrected(context, input.corrects)
    await context.db
      .insertInto('import_corrections')
      .values({
        subscriber_import_id: id,
        corrects_id: input.corrects.id,
        places: JSON.stringify(input.corrects.places)
      })
      .execute()
  }
  recordRow(context, 'subscriber_import', 'create', {
    id,
    organization_id: input.organizationId,
    mailing_list_id: list.id
  })
  return id
}

/** Creates the custom fields that an import begins with, in its own transaction: a refusal leaves none behind. */
async function createFields(
  context: CommandContext,
  list: MailingListRow,
  reading: Reading
): Promise<FieldDefinition[]> {
  const created: FieldDefinition[] = []
  for (const field of createdFields(reading)) {
    created.push(
      await customFieldCommands.create(context, {
        organizationId: list.organization_id,
        mailingListId: list.id,
        field
      })
    )
  }
  return created
}

/** @throws ApiError validation_failed for a row that was corrected already, or is named twice */
async function refuseCorrected(
  { db }: CommandContext,
  { id, places }: { id: number; places: number[] }
): Promise<void> {
  const corrected = await correctedPlaces(db, id)
  for (const place of places) {
    if (corrected.has(place)) throw validationFailed(refusal('row_corrected_already', { row: place + 1 }))
    corrected.add(place)
  }
}

/** The defaults for new subscribers, without what the list has no attribute for (docs/api.md, "Subscriber imports"). */
function defaultsOf(
  { subscriber_defaults: { status, confirmed, format } }: ImportSettings,
  list: MailingListRow
): ImportSettings['subscriber_defaults'] {
  return {
    status,
    ...(list.has_confirmed === 1 && confirmed !== undefined && { confirmed }),
    ...(list.has_format === 1 && format !== undefined && { format })
  }
}

/** The autoresponders that a request names by id or by name; with both, the id wins (docs/api.md, "Subscriber imports"). */
function readAutoresponders(
  all: AutoresponderRow[],
  { subscription, api }: AutorespondersInput
): StoredSettings['autoresponders'] {
  const faults = new Faults()
  const find = (when: 'trigger_new' | 'trigger_updated'): { id: number; name: string } | null => {
    const { id, name } = api?.[when] ?? {}
    if (!id && !name) return null
    const key = name?.trim().toLowerCase()
    const found = all.find((each) => (id ? each.id === id : each.name_key === key))
    if (!found) {
      const field = `autoresponders.api.${when}`
      faults.add(refusal('autoresponder_not_on_list', { field, autoresponder: id ?? `"${name}"` }))
    }
    return found ? { id: found.id, name: found.name } : null
  }
  const named = { trigger_new: find('trigger_new'), trigger_updated: find('trigger_updated') }
  faults.throwIfAny()
  return {
    subscription: {
      trigger: subscription?.trigger ?? false,
      also_trigger_on_updated_subscribers: subscription?.also_trigger_on_updated_subscribers ?? false
    },
    api: named
  }
}

interface RunningImport extends ImportSession {
  reacting: { onNew: AutoresponderRow[]; onUpdated: AutoresponderRow[] }
  timeZone: string
}

const sessions = new Map<number, RunningImport>()

/** Hands an import to its thread. @returns null when it is not to be worked on (any more) */
const handOutImport: Command<{ id: number; dataDirectory: string }, ImportPlan | null> = async (
  context,
  { id, dataDirectory }
) => {
  const row = await runningImport(context, id)
  if (!row) return null
  const list = await mailingListById(context.db, row.organization_id, row.mailing_list_id)
  const fields = await fieldsOfList(context.db, row.organization_id, row.mailing_list_id)
  const organization = await organizationById(context.db, row.organization_id)
  const committed = await context.db
    .selectFrom('import_batches')
    .select(['rows', 'outcomes'])
    .where('subscriber_import_id', '=', id)
    .orderBy('batch')
    .execute()
  const settings = settingsToRead(row, fields)
  const reading = readingOf(row)
  // A file that was downloaded earlier has a fingerprint.
  const isMissing = row.source_url !== null && row.source_fingerprint === null
  await changeState(context, row, {
    state: isMissing ? 'downloading' : 'splitting',
    started_at: row.started_at ?? context.now
  })
  context.onRollback(() => sessions.delete(id))
  sessions.set(id, {
    ...newImportSession(
      list.id,
      fields,
      interpretedSettings(settings, reading, fields),
      reading?.blank_cells === 'keep'
    ),
    reacting: reactingTo(await autorespondersOf(context.db, list.id), settings.autoresponders),
    timeZone: organization.time_zone_name
  })
  return {
    id,
    settings,
    reading,
    fields,
    primaryKeyFieldId: list.primary_key_custom_field_id,
    timeZone: organization.time_zone_name,
    download:
      isMissing && row.source_url !== null
        ? {
            url: row.source_url,
            allowsPrivate: (await currentSettings(context.db)).service_url_imports_allow_private_addresses
          }
        : null,
    path: isAbsolute(row.source_path) ? row.source_path : join(dataDirectory, row.source_path),
    committed: committed.map(({ rows, outcomes }) => ({ rows, outcomes: new Uint8Array(outcomes) }))
  }
}

function settingsToRead(row: ImportRow, fields: readonly FieldDefinition[]): StoredSettings {
  const settings = JSON.parse(row.settings) as StoredSettings
  return {
    ...settings,
    column_mapping: plainMapping(settings.column_mapping, fields),
    // The rows of a json import came as text and are stored as UTF-8, whatever the format says about the
    // original file.
    file_format: {
      ...settings.file_format,
      ...(row.source_type === 'json' && { character_set: 'UTF-8' })
    }
  }
}

function reactingTo(
  all: AutoresponderRow[],
  { subscription, api }: StoredSettings['autoresponders']
): RunningImport['reacting'] {
  const fromImport = subscription.trigger
    ? all.filter(
        (each) => each.trigger === 'subscription' && each.trigger_include_subscribers_from_import === 1
      )
    : []
  const named = (reference: { id: number } | null): AutoresponderRow[] =>
    all.filter((each) => each.id === reference?.id)
  const onUpdate = subscription.also_trigger_on_updated_subscribers ? fromImport : []
  return {
    onNew: [...new Set([...fromImport, ...named(api.trigger_new)])],
    onUpdated: [...new Set([...onUpdate, ...named(api.trigger_updated)])]
  }
}

/** The file is there and is being read; refuses one that changed since an earlier run. */
export const startSplitting: Command<{ id: number; fingerprint: string }, void> = async (
  context,
  { id, fingerprint }
) => {
  const row = await runningImport(context, id)
  if (row?.source_fingerprint && row.source_fingerprint !== fingerprint) {
    throw validationFailed(refusal('file_changed_meanwhile', { filename: row.source_filename }))
  }
  await context.db
    .updateTable('subscriber_imports')
    .set({ source_fingerprint: fingerprint })
    .where('id', '=', id)
    .execute()
  if (row && row.state !== 'splitting') await changeState(context, row, { state: 'splitting' })
}

/** The file of an import that was to be downloaded is there. */
export const recordDownload: Command<{ id: number; fingerprint: string }, void> = async (
  context,
  { id, fingerprint }
) => {
  await context.db
    .updateTable('subscriber_imports')
    .set({ source_fingerprint: fingerprint, updated_at: context.now })
    .where('id', '=', id)
    .execute()
}

/** Stores when a failed download is tried again (UNIX milliseconds); null = it is running. */
export const recordDownloadRetry: Command<{ id: number; retryAt: number | null }, void> = async (
  context,
  { id, retryAt }
) => {
  const row = await runningImport(context, id)
  if (row) await changeState(context, row, { state: 'downloading', retry_at: retryAt })
}

/**
 * Stores the number of records and starts writing rows.
 * @returns the order of the rows; null if the import was paused or cancelled
 */
export const startImporting: Command<{ id: number; records: number }, RowOrder | null> = async (
  context,
  { id, records }
) => {
  const row = await runningImport(context, id)
  if (!row) return null
  const row_order = row.row_order ?? rowOrderFor(records, await roomFor(context.db, row.organization_id))
  await changeState(context, row, { state: 'importing', number_of_records: records, row_order })
  return row_order
}

/**
 * Rejects a batch that follows one that was not written completely: the next run would take it for that one.
 */
async function expectNext(context: CommandContext, { id, index, done }: WriteInput): Promise<void> {
  const [last] = await lastBatch(context.db, { id })
  const follows = done
    ? last?.batch === index && last.written === done.length
    : (last?.batch ?? -1) === index - 1 && last?.written === last?.rows
  if (!follows) throw new Error(`batch ${index} of import ${id} does not follow the one before`)
}

const lastBatch = compiledQuery<{ id: number }, { batch: number; rows: number; written: number }>(
  (db, value) =>
    db
      .selectFrom('import_batches')
      .select((select) => ['batch', 'rows', select.fn<number>('length', ['outcomes']).as('written')])
      .where('subscriber_import_id', '=', value('id'))
      .orderBy('batch', 'desc')
      .limit(1)
)

const storeBatch = compiledQuery<ImportBatchesTable, unknown>((db, value) =>
  db
    .insertInto('import_batches')
    .values({
      subscriber_import_id: value('subscriber_import_id'),
      batch: value('batch'),
      rows: value('rows'),
      outcomes: value('outcomes')
    })
    .onConflict((conflict) => conflict.doUpdateSet({ outcomes: (row) => row.ref('excluded.outcomes') }))
)

const storeCounts = compiledQuery<{ id: number; records: number; counts: string; now: number }, unknown>(
  (db, value) =>
    db
      .updateTable('subscriber_imports')
      .set({ records_imported: value('records'), counts: value('counts'), updated_at: value('now') })
      .where('id', '=', value('id'))
)

interface WriteInput {
  id: number
  /** Its place among the import's batches, from 0. */
  index: number
  batch: PackedBatch | ImportBatch
  /** The outcomes of its first rows, if the writer paused within the batch. */
  done?: Uint8Array
}

/**
 * Applies one batch. Records the outcome of each row, so that no row is added or counted twice after an
 * interruption, and the changes that an undo needs.
 * @returns an index into importOutcomes for each row, or null when the import was paused or cancelled
 */
const writeImportBatch = inBackground<WriteInput, Uint8Array | null>(async (context, input) => {
  const row = await runningImport(context, input.id)
  const session = sessions.get(input.id)
  if (!row || !session) return null
  context.origin = { via: 'subscriber_import', causeId: row.id, userId: null }
  // After a rollback the session would treat the rows of this batch as duplicates, so the next run starts a
  // new session.
  context.onRollback(() => sessions.delete(input.id))
  const tally = new SubscriberTally(row.mailing_list_id)
  await expectNext(context, input)
  const batch = 'bytes' in input.batch ? unpackBatch(input.batch) : input.batch
  const before = input.done ?? new Uint8Array()
  const result = await applyImportBatch(context, session, batch, tally, {
    from: before.length,
    firstId: await nextSubscriberId(context),
    room: await roomFor(context.db, row.organization_id)
  })
  const outcomes = Buffer.concat([before, result.outcomes])
  await tally.save(context)
  await useSubscriberIds(context, result.nextId)
  await storeBatch(context.db, {
    subscriber_import_id: row.id,
    batch: input.index,
    rows: batch.emails.length,
    outcomes
  })
  await recordImportChanges(context, row.id, result)
  if (result.addedRange) await recordAddedIds(context, row.id, result.addedRange)
  await storeCounts(context.db, {
    id: row.id,
    records: row.records_imported + result.outcomes.length,
    counts: JSON.stringify(addCounts(JSON.parse(row.counts) as ImportCounts, result.outcomes)),
    now: context.now
  })
  const { reacting, timeZone } = session
  await queueReactionsOfMany(context, reacting.onNew, result.addedIds, timeZone)
  await queueReactionsOfMany(context, reacting.onUpdated, result.updatedIds, timeZone)
  recordSubscribers(context, row, 'create', result.addedIds)
  recordSubscribers(
    context,
    row,
    'update',
    result.overwritten.map(([id]) => id),
    result.statuses
  )
  // Listeners receive changes of subscribers; if none changed, they learn that the import continued.
  if (result.addedIds.length + result.overwritten.length === 0)
    recordRow(context, 'subscriber_import', 'update', row)
  return outcomes.length < batch.emails.length
    ? new Unfinished({ ...input, batch, done: outcomes })
    : outcomes
})

/**
 * Stores the ids that an import added. Ids that continue the last range extend it, so a whole import is
 * mostly one entry.
 */
async function recordAddedIds(
  { db }: CommandContext,
  importId: number,
  { first, last }: { first: number; last: number }
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('import_additions')
    .set({ last_id: last })
    .where('subscriber_import_id', '=', importId)
    .where('last_id', '=', first - 1)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  await db
    .insertInto('import_additions')
    .values({ subscriber_import_id: importId, first_id: first, last_id: last })
    .execute()
}

/**
 * Tells the writer about rows that an earlier run committed: the first of a batch, or all.
 * @returns their outcomes
 */
export const recallImportBatch = inBackground<
  { id: number; batch: PackedBatch; outcomes: Uint8Array },
  Uint8Array | null
>(async (context, { id, batch, outcomes }) => {
  const session = sessions.get(id)
  if (!session || !(await runningImport(context, id))) return null
  context.onRollback(() => sessions.delete(id))
  recallBatch(context.sqlite, session, unpackBatch(batch), outcomes)
  return outcomes
})

/**
 * Records that the logs of an import were deleted, 7 days after its end (docs/api.md, "Limits"): it can no
 * longer be undone.
 */
export const recordPurgedLogs: Command<{ id: number }, void> = async (context, { id }) => {
  await deleteImportChanges(context, id)
  await context.db
    .updateTable('subscriber_imports')
    .set({ logs_purged_at: context.now })
    .where('id', '=', id)
    .execute()
}

async function runningImport({ db }: CommandContext, id: number): Promise<ImportRow | undefined> {
  const [row] = await runningImports(db, { id })
  return row
}

const runningImports = compiledQuery<{ id: number }, ImportRow>((db, value) =>
  db
    .selectFrom('subscriber_imports')
    .selectAll()
    .where('id', '=', value('id'))
    .where('state', 'in', runningStates)
)

/** State changes by users and by the import's thread. */
export const importStates = stateCommands({
  noun: 'an import',
  waiting: 'scheduled',
  running: runningStates,
  find: importRow,
  findRunning: runningImport,
  change: changeState
})

async function changeState(
  context: CommandContext,
  row: ImportRow,
  columns: Partial<
    Pick<
      ImportRow,
      | 'state'
      | 'started_at'
      | 'number_of_records'
      | 'row_order'
      | 'error_message'
      | 'retry_at'
      | 'finished_at'
    >
  >
): Promise<void> {
  if (columns.finished_at) {
    await context.db.deleteFrom('import_batches').where('subscriber_import_id', '=', row.id).execute()
  }
  await context.db
    .updateTable('subscriber_imports')
    .set({ retry_at: null, ...columns, updated_at: context.now })
    .where('id', '=', row.id)
    .execute()
  if (columns.finished_at || columns.state === 'paused') sessions.delete(row.id)
  recordRow(context, 'subscriber_import', 'update', row)
}

export const subscriberImportCommands = {
  create: createSubscriberImport,
  ...importStates,
  begin: handOutImport,
  recordDownload,
  recordDownloadRetry,
  startSplitting,
  startImporting,
  writeBatch: writeImportBatch,
  recallBatch: recallImportBatch,
  recordPurgedLogs
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    subscriberImports: typeof subscriberImportCommands
  }
}
