import type { Database, Statement } from 'better-sqlite3'
import { type FieldDefinition, readValues, type StoredValues } from '../api/custom-fields/rules.ts'
import { emailKey } from '../api/subscribers/rules.ts'
import type { StatusChange } from '../api/subscribers/record-changes.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { type ImportOutcome, type ImportSettings, importOutcomes } from '../api/subscriber-imports/schema.ts'
import type { CommandContext } from '../database/command.ts'
import type { ImportBatch } from './plan.ts'
import { mappedFieldIds, missingRequiredFields } from './rows.ts'
import { SeenIds } from './seen-ids.ts'
import type { SubscriberTally } from '../api/subscriber-counts/tally.ts'

// The fast path of the import: prepared statements on the writer's connection, row by row.

/** The writer's state between the batches of an import. */
export interface ImportSession {
  mailingListId: number
  settings: ImportSettings
  /** The custom fields that the file fills, defaults included: an update overwrites these and keeps the others. */
  overwrittenFieldIds: number[]
  /** New subscribers would lack a required field. */
  refusesNew: boolean
  /** Subscribers that a row of this import named. */
  seen: SeenIds
  /** True if the list had most of the last rows. */
  mostlyKnown: boolean
}

/** @param keepsBlanks whether a blank cell leaves the value of a subscriber who is updated */
export function newImportSession(
  mailingListId: number,
  fields: readonly FieldDefinition[],
  settings: ImportSettings,
  keepsBlanks = false
): ImportSession {
  const defaults = readValues(fields, settings.default_custom_fields, () => undefined)
  return {
    mailingListId,
    settings,
    overwrittenFieldIds: keepsBlanks ? [] : [...mappedFieldIds({ fields, settings }), ...defaults.keys()],
    refusesNew: missingRequiredFields({ fields, settings }) !== null,
    seen: new SeenIds(),
    mostlyKnown: false
  }
}

/** A subscriber as it was before a row overwrote it, for the undoing: id, then the columns in this order. */
export type Overwritten = [
  id: number,
  status: SubscriberStatus,
  confirmed: number | null,
  emailFormat: string | null,
  customFields: string
]

export interface BatchResult {
  /** The outcome of each processed row as an index into importOutcomes, starting at the row with which this call began. */
  outcomes: Uint8Array
  addedIds: number[]
  /** The range of added ids; some may be unused. null = none was added. */
  addedRange: { first: number; last: number } | null
  updatedIds: number[]
  /** The changed subscribers, as they were before. */
  overwritten: Overwritten[]
  statuses: Map<number, StatusChange>
  nextId: number
}

/** A subscriber on the list that a row names. */
export interface Existing {
  id: number
  status: SubscriberStatus
  custom_fields: string
  confirmed: number | null
  email_format: string | null
}

export const code = Object.fromEntries(importOutcomes.map((outcome, index) => [outcome, index])) as Record<
  ImportOutcome,
  number
>

interface Lookups {
  byEmail: Statement<[number, string], Existing>
  byAlternateKey: Statement<[number, string], Existing>
  addedFrom: Statement<[number, number, number], number>
  update: Statement<unknown[]>
}

const prepared = new WeakMap<Database, { lookups: Lookups; inserts: Map<string, Statement<unknown[]>> }>()

function statementsOf(database: Database) {
  let statements = prepared.get(database)
  if (!statements) {
    statements = { lookups: prepareLookups(database), inserts: new Map() }
    prepared.set(database, statements)
  }
  return statements
}

function prepareLookups(database: Database): Lookups {
  const existing = 'SELECT id, status, custom_fields, confirmed, email_format FROM subscribers'
  return {
    byEmail: database.prepare(
      `${existing} WHERE mailing_list_id = ? AND email_key = ? AND alternate_key IS NULL`
    ),
    byAlternateKey: database.prepare(`${existing} WHERE mailing_list_id = ? AND alternate_key = ?`),
    addedFrom: database
      .prepare<[number, number, number], number>(
        'SELECT id FROM subscribers WHERE mailing_list_id = ? AND id BETWEEN ? AND ?'
      )
      .pluck(),
    update: database.prepare(
      `UPDATE subscribers SET status = ?, confirmed = ?, email_format = ?, custom_fields = ?, updated_at = ?
       WHERE id = ?`
    )
  }
}

/** Rows of one INSERT: each value that is bound has its price, each statement too. */
const rowsPerInsert = 50

const optionalColumns = [
  ['alternate_key', 'alternateKeys'],
  ['status', 'statuses'],
  ['confirmed', 'confirmed'],
  ['email_format', 'formats'],
  ['subscribe_time', 'subscribeTimes'],
  ['subscribe_ip', 'subscribeIps'],
  ['remove_time', 'removeTimes'],
  ['remove_ip', 'removeIps']
] as const

/** Values that all rows share are bound once, by name. */
const sharedValues: Record<string, string> = {
  status: '@status',
  confirmed: '@confirmed',
  email_format: '@email_format',
  subscribe_time: '@now'
}

function insertStatement(database: Database, batch: ImportBatch, rows: number): Statement<unknown[]> {
  const present = optionalColumns.filter(([, key]) => batch[key] !== undefined)
  const shape = `${rows} ${present.map(([column]) => column).join()}`
  const { inserts } = statementsOf(database)
  let statement = inserts.get(shape)
  if (!statement) {
    const value = (column: string): string => {
      const shared = sharedValues[column]
      if (!present.some(([name]) => name === column)) return shared ?? 'NULL'
      return shared ? `ifnull(?, ${shared})` : '?'
    }
    const row = `(?, @list, ?, ?, ?, @now, @now, ${optionalColumns.map(([column]) => value(column)).join(', ')})`
    statement = database.prepare(
      `INSERT INTO subscribers (id, mailing_list_id, email, email_key, custom_fields, created_at, updated_at,
         ${optionalColumns.map(([column]) => column).join(', ')})
       VALUES ${Array.from({ length: rows }, () => row).join(', ')} ON CONFLICT DO NOTHING`
    )
    inserts.set(shape, statement)
  }
  return statement
}

/** Statements after which the writer is asked whether to pause: some two milliseconds. */
const insertsPerStep = 5

/**
 * Applies the rows of a batch to the list from the row `from` on, until its end or until the writer asks to pause: adds,
 * overwrites or skips each by the import's settings.
 * @param room how many subscribers may still be added; Infinity without a limit
 */
export async function applyImportBatch(
  { sqlite: database, now, shouldPause }: Pick<CommandContext, 'sqlite' | 'now' | 'shouldPause'>,
  session: ImportSession,
  batch: ImportBatch,
  tally: SubscriberTally,
  { from, firstId, room }: { from: number; firstId: number; room: number }
): Promise<BatchResult> {
  const rows = batch.emails.length
  const run = new BatchRun(database, session, batch, tally, now, from, firstId)
  let next = from
  for (let step = 1; next < rows; step++) {
    const left = room - run.addedIds.length
    const chunk = nextPlaces(batch, next, left >= rowsPerInsert ? rowsPerInsert : 1)
    next = chunk.end
    run.apply(chunk.places, !session.refusesNew && left > 0)
    if (step % insertsPerStep === 0 && next < rows && (await shouldPause())) break
  }
  return run.result(next)
}

class BatchRun {
  readonly #database: Database
  readonly #session: ImportSession
  readonly #batch: ImportBatch
  readonly #tally: SubscriberTally
  readonly #now: number
  readonly #from: number
  readonly #firstId: number
  #nextId: number
  readonly #outcomes: Uint8Array
  readonly addedIds: number[] = []
  readonly #updatedIds: number[] = []
  readonly #overwritten: Overwritten[] = []
  readonly #statuses = new Map<number, StatusChange>()

  constructor(
    database: Database,
    session: ImportSession,
    batch: ImportBatch,
    tally: SubscriberTally,
    now: number,
    from: number,
    firstId: number
  ) {
    this.#database = database
    this.#session = session
    this.#batch = batch
    this.#tally = tally
    this.#now = now
    this.#from = from
    this.#firstId = firstId
    this.#nextId = firstId
    this.#outcomes = new Uint8Array(batch.emails.length - from).fill(code.failed)
  }

  apply(places: number[], mayAdd: boolean): void {
    const session = this.#session
    const { known, others } = lookUpBeforeInsert(this.#database, session, this.#batch, places)
    const clashing = mayAdd ? this.#insert(others) : others
    for (const place of known.size > 0 ? places : clashing) {
      if (this.#outcomes[place - this.#from] === code.added) continue
      const existing = known.get(place) ?? findExisting(this.#database, session, this.#batch, place)
      if (existing) this.#applyToExisting(place, existing)
      else if (!session.refusesNew) this.#outcomes[place - this.#from] = code.skipped_over_limit
    }
    session.mostlyKnown = known.size + clashing.length > places.length / 2
  }

  #insert(places: number[]): number[] {
    const clashing = insertRows(this.#database, this.#session, this.#batch, places, this.#nextId, this.#now)
    for (const [index, place] of places.entries()) {
      if (clashing.includes(place)) continue
      const id = this.#nextId + index
      this.#session.seen.add(id)
      this.#tally.added(id, statusOf(this.#session, this.#batch, place))
      this.#outcomes[place - this.#from] = code.added
      this.addedIds.push(id)
    }
    this.#nextId += places.length
    return clashing
  }

  #applyToExisting(place: number, existing: Existing): void {
    const outcome = outcomeForExisting(this.#session, existing)
    this.#outcomes[place - this.#from] = code[outcome]
    if (outcome !== 'updated') return
    this.#updatedIds.push(existing.id)
    const statusNow = overwrite(
      this.#database,
      this.#session,
      existing,
      this.#batch,
      place,
      this.#tally,
      this.#now
    )
    if (statusNow === null) return
    const { id, status, confirmed, email_format, custom_fields } = existing
    if (statusNow !== status) this.#statuses.set(id, [status, statusNow])
    this.#overwritten.push([id, status, confirmed, email_format, custom_fields])
  }

  /** @param next the first place that was not applied */
  result(next: number): BatchResult {
    const { addedIds } = this
    return {
      outcomes: this.#outcomes.subarray(0, next - this.#from),
      addedIds,
      addedRange: addedIds.length > 0 ? { first: this.#firstId, last: this.#nextId - 1 } : null,
      updatedIds: this.#updatedIds,
      overwritten: this.#overwritten,
      statuses: this.#statuses,
      nextId: this.#nextId
    }
  }
}

/**
 * Rows are inserted first and looked up where they clash; where most rows clashed before, it is faster the other way
 * round.
 */
function lookUpBeforeInsert(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  places: number[]
): { known: Map<number, Existing>; others: number[] } {
  const known = new Map<number, Existing>()
  if (!session.mostlyKnown) return { known, others: places }
  for (const place of places) {
    const existing = findExisting(database, session, batch, place)
    if (existing) known.set(place, existing)
  }
  return { known, others: places.filter((place) => !known.has(place)) }
}

function nextPlaces(batch: ImportBatch, from: number, most: number): { places: number[]; end: number } {
  const places: number[] = []
  let end = from
  for (; end < batch.emails.length && places.length < most; end++) {
    if (batch.emails[end] !== '') places.push(end)
  }
  return { places, end }
}

function statusOf(session: ImportSession, batch: ImportBatch, place: number): SubscriberStatus {
  return (batch.statuses?.[place] ?? session.settings.subscriber_defaults.status) as SubscriberStatus
}

/**
 * Inserts the rows at these places under consecutive ids.
 * @returns the places whose key exists on the list
 */
function insertRows(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  places: number[],
  firstId: number,
  now: number
): number[] {
  const { subscriber_defaults: defaults } = session.settings
  const shared = {
    list: session.mailingListId,
    now,
    status: defaults.status,
    confirmed: defaults.confirmed === undefined ? null : Number(defaults.confirmed),
    email_format: defaults.format ?? null
  }
  const rows = places.map((place, index) => valuesOf(batch, place, firstId + index))
  if (rows.length === rowsPerInsert) {
    const { changes } = insertStatement(database, batch, rowsPerInsert).run(rows.flat(), shared)
    if (changes === rowsPerInsert) return []
    const { addedFrom } = statementsOf(database).lookups
    const added = new Set(addedFrom.all(session.mailingListId, firstId, firstId + rowsPerInsert - 1))
    return places.filter((_, index) => !added.has(firstId + index))
  }
  const insert = insertStatement(database, batch, 1)
  return places.filter((_, index) => insert.run(rows[index], shared).changes === 0)
}

/** Returns the bound values of a row, in the order of insertStatement. */
function valuesOf(batch: ImportBatch, place: number, id: number): unknown[] {
  const email = batch.emails[place] ?? ''
  const values: unknown[] = [id, email, emailKeyAt(batch, place), batch.customFields[place]]
  for (const [, key] of optionalColumns) {
    const column = batch[key]
    if (column) values.push(column[place] ?? null)
  }
  return values
}

/** Marks the subscribers that an earlier run of the import named, so that later rows are known as duplicates. */
export function recallImportBatch(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  outcomes: Uint8Array
): void {
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome === code.failed || outcome === code.skipped_over_limit) continue
    const existing = findExisting(database, session, batch, place)
    if (existing) session.seen.add(existing.id)
  }
}

/** Returns the key of a row's email. */
export function emailKeyAt(batch: ImportBatch, place: number): string {
  return batch.emailKeys?.[place] ?? emailKey(batch.emails[place] ?? '')
}

/** The subscriber that has the key of a row. */
export function findExisting(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  place: number
): Existing | undefined {
  const { byEmail, byAlternateKey } = statementsOf(database).lookups
  return batch.alternateKeys
    ? byAlternateKey.get(session.mailingListId, batch.alternateKeys[place] ?? '')
    : byEmail.get(session.mailingListId, emailKeyAt(batch, place))
}

/** Returns the outcome of a row whose key exists, and marks that subscriber as seen. */
export function outcomeForExisting(session: ImportSession, existing: Existing): ImportOutcome {
  if (!session.seen.add(existing.id)) return 'skipped_duplicate'
  if (!session.settings.overwrite) return 'skipped_overwrite'
  if (!session.settings.overwrite_when_status[existing.status]) return `skipped_${existing.status}`
  return 'updated'
}

export type OverwrittenValues = Pick<Existing, 'status' | 'custom_fields' | 'confirmed' | 'email_format'>

/**
 * Returns the subscriber with the row's values as far as the settings overwrite them; null if nothing
 * differs.
 */
export function overwrittenValues(
  session: ImportSession,
  existing: Existing,
  batch: ImportBatch,
  place: number
): OverwrittenValues | null {
  const { overwrite_what: what } = session.settings
  const status = ((what.status && batch.statuses?.[place]) || existing.status) as SubscriberStatus
  const confirmed = (what.confirmed ? batch.confirmed?.[place] : null) ?? existing.confirmed
  const email_format = (what.format && batch.formats?.[place]) || existing.email_format
  const custom_fields = what.custom_fields
    ? mergeCustomFields(session, existing.custom_fields, batch.customFields[place] ?? '{}')
    : existing.custom_fields
  const isSame =
    status === existing.status &&
    confirmed === existing.confirmed &&
    email_format === existing.email_format &&
    custom_fields === existing.custom_fields
  return isSame ? null : { status, custom_fields, confirmed, email_format }
}

/** Overwrites what the settings name. @returns the status now; null where nothing differed */
function overwrite(
  database: Database,
  session: ImportSession,
  existing: Existing,
  batch: ImportBatch,
  place: number,
  tally: SubscriberTally,
  now: number
): SubscriberStatus | null {
  const values = overwrittenValues(session, existing, batch, place)
  if (values === null) return null
  const { status, confirmed, email_format, custom_fields } = values
  statementsOf(database).lookups.update.run(status, confirmed, email_format, custom_fields, now, existing.id)
  tally.moved(existing.status, status)
  return status
}

/** A blank cell of a column clears the field; fields without a column stay. */
function mergeCustomFields(session: ImportSession, before: string, row: string): string {
  if (before === row) return before
  const values = JSON.parse(before) as StoredValues
  for (const id of session.overwrittenFieldIds) delete values[id]
  // Integer-like keys come out in ascending order, so equal values give equal text.
  const merged = JSON.stringify({ ...values, ...(JSON.parse(row) as StoredValues) })
  return merged === before ? before : merged
}
