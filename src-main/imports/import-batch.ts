import type { Database, Statement } from 'better-sqlite3'
import { type FieldDefinition, readValues } from '../api/custom-fields/rules.ts'
import { emailKey } from '../api/subscribers/rules.ts'
import type { StatusChange } from '../api/subscribers/record-changes.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { type ImportOutcome, type ImportSettings, importOutcomes } from '../api/subscriber-imports/schema.ts'
import type { CommandContext } from '../database/command.ts'
import type { ImportBatch } from './plan.ts'
import { mappedFieldIds, missingRequiredFields } from './rows.ts'
import { SeenIds } from './seen-ids.ts'
import { ValueMerger } from './value-merger.ts'
import type { SubscriberTally } from '../api/subscriber-counts/tally.ts'

// The fast path of the import: prepared statements on the writer's connection, for many rows at once.

/** The writer's state between the batches of an import. */
export interface ImportSession {
  mailingListId: number
  settings: ImportSettings
  /** An update overwrites the custom fields that the file fills, defaults included, and keeps the others. */
  values: ValueMerger
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
  const filled = [...mappedFieldIds({ fields, settings }), ...defaults.keys()]
  const known = fields.map(({ id }) => id)
  return {
    mailingListId,
    settings,
    values: new ValueMerger([...known, ...filled], keepsBlanks ? [] : filled),
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

interface Statements {
  byEmails: Statement<unknown[], Keyed>
  byAlternateKeys: Statement<unknown[], Keyed>
  addedFrom: Statement<[number, number, number], number>
  update: Statement<unknown[]>
  updateValues: Statement<unknown[]>
  updateValuesOfMany: Statement<unknown[]>
  inserts: Map<string, Statement<unknown[]>>
}

interface Keyed extends Existing {
  key: string
}

/** Most rows of one statement: each value that is bound has its price, each statement too. */
export const rowsPerStatement = 50

const prepared = new WeakMap<Database, Statements>()

function statementsOf(database: Database): Statements {
  const statements = prepared.get(database) ?? prepareStatements(database)
  prepared.set(database, statements)
  return statements
}

function prepareStatements(database: Database): Statements {
  const list = (value: string): string => Array.from({ length: rowsPerStatement }, () => value).join(', ')
  const existing = (key: string): string =>
    `SELECT ${key} AS key, id, status, custom_fields, confirmed, email_format FROM subscribers
     WHERE mailing_list_id = ? AND ${key} IN (${list('?')})`
  return {
    byEmails: database.prepare(`${existing('email_key')} AND alternate_key IS NULL`),
    byAlternateKeys: database.prepare(existing('alternate_key')),
    addedFrom: database
      .prepare<[number, number, number], number>(
        'SELECT id FROM subscribers WHERE mailing_list_id = ? AND id BETWEEN ? AND ?'
      )
      .pluck(),
    update: database.prepare(
      `UPDATE subscribers SET status = ?, confirmed = ?, email_format = ?, custom_fields = ?, updated_at = ?
       WHERE id = ?`
    ),
    // Without the columns that stay: SQLite would check their constraints again.
    updateValues: database.prepare('UPDATE subscribers SET custom_fields = ?, updated_at = ? WHERE id = ?'),
    updateValuesOfMany: database.prepare(
      `UPDATE subscribers SET custom_fields = changed.column2, updated_at = @now
       FROM (VALUES ${list('(?, ?)')}) AS changed WHERE id = changed.column1`
    ),
    inserts: new Map()
  }
}

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
    const chunk = nextPlaces(batch, next, left >= rowsPerStatement ? rowsPerStatement : 1)
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
  /** Ids and values that are not written yet. Later rows do not read them: a second row of a subscriber is a duplicate. */
  #newValues: [id: number, customFields: string][] = []

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
    // Rows are inserted first and looked up where they clash; where most rows clashed before, it is faster the
    // other way round.
    const known = session.mostlyKnown ? this.#find(places) : new Map<number, Existing>()
    const others = places.filter((place) => !known.has(place))
    const clashing = mayAdd ? this.#insert(others) : others
    const found = this.#find(clashing)
    for (const place of known.size > 0 ? places : clashing) {
      if (this.#outcomes[place - this.#from] === code.added) continue
      const existing = known.get(place) ?? found.get(place)
      if (existing) this.#applyToExisting(place, existing)
      else if (!session.refusesNew) this.#outcomes[place - this.#from] = code.skipped_over_limit
    }
    session.mostlyKnown = known.size + clashing.length > places.length / 2
  }

  #find(places: readonly number[]): Map<number, Existing> {
    return findExisting(this.#database, this.#session, this.#batch, places)
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
    const values = overwrittenValues(this.#session, existing, this.#batch, place)
    if (values === null) return
    this.#update(existing, values)
    const { id, status, confirmed, email_format, custom_fields } = existing
    this.#tally.moved(status, values.status)
    if (values.status !== status) this.#statuses.set(id, [status, values.status])
    this.#overwritten.push([id, status, confirmed, email_format, custom_fields])
  }

  #update(existing: Existing, values: OverwrittenValues): void {
    const { status, confirmed, email_format, custom_fields } = values
    const isSameBesides =
      status === existing.status && confirmed === existing.confirmed && email_format === existing.email_format
    if (!isSameBesides) {
      const { update } = statementsOf(this.#database)
      update.run(status, confirmed, email_format, custom_fields, this.#now, existing.id)
      return
    }
    this.#newValues.push([existing.id, custom_fields])
    if (this.#newValues.length < rowsPerStatement) return
    const { updateValuesOfMany } = statementsOf(this.#database)
    updateValuesOfMany.run(this.#newValues.flat(), { now: this.#now })
    this.#newValues = []
  }

  /**
   * Writes what is left.
   * @param next the first place that was not applied
   */
  result(next: number): BatchResult {
    const { addedIds } = this
    const { updateValues } = statementsOf(this.#database)
    for (const [id, values] of this.#newValues) updateValues.run(values, this.#now, id)
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

/** Returns the places of at most so many rows that passed their checks, from a place on, and the place after them. */
export function nextPlaces(
  batch: ImportBatch,
  from: number,
  most: number
): { places: number[]; end: number } {
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
  if (rows.length === rowsPerStatement) {
    const { changes } = insertStatement(database, batch, rowsPerStatement).run(rows.flat(), shared)
    if (changes === rowsPerStatement) return []
    const { addedFrom } = statementsOf(database)
    const added = new Set(addedFrom.all(session.mailingListId, firstId, firstId + rowsPerStatement - 1))
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
  const named = [...outcomes.keys()].filter((place) => {
    const outcome = outcomes[place]
    return outcome !== code.failed && outcome !== code.skipped_over_limit
  })
  for (let from = 0; from < named.length; from += rowsPerStatement) {
    const places = named.slice(from, from + rowsPerStatement)
    for (const { id } of findExisting(database, session, batch, places).values()) session.seen.add(id)
  }
}

function emailKeyAt(batch: ImportBatch, place: number): string {
  return batch.emailKeys?.[place] ?? emailKey(batch.emails[place] ?? '')
}

/**
 * Finds the subscribers that have the keys of some rows.
 * @param places of at most {@link rowsPerStatement} rows
 * @returns by the places of those whose key is on the list
 */
export function findExisting(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  places: readonly number[]
): Map<number, Existing> {
  const found = new Map<number, Existing>()
  if (places.length === 0) return found
  const { byEmails, byAlternateKeys } = statementsOf(database)
  const keys = places.map((place) => keyAt(batch, place))
  // The statement takes a fixed number of keys; one that is given twice is found once.
  const filled = [...keys, ...Array<string>(rowsPerStatement - keys.length).fill(keys[0] ?? '')]
  const rows = (batch.alternateKeys ? byAlternateKeys : byEmails).all(session.mailingListId, ...filled)
  const rowOfKey = new Map(rows.map((row) => [row.key, row]))
  for (const [index, place] of places.entries()) {
    const row = rowOfKey.get(keys[index] ?? '')
    if (row) found.set(place, row)
  }
  return found
}

/** Returns the primary key of a row. */
export function keyAt(batch: ImportBatch, place: number): string {
  return batch.alternateKeys ? (batch.alternateKeys[place] ?? '') : emailKeyAt(batch, place)
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
    ? session.values.merge(existing.custom_fields, batch.customFields[place] ?? '{}')
    : existing.custom_fields
  const isSame =
    status === existing.status &&
    confirmed === existing.confirmed &&
    email_format === existing.email_format &&
    custom_fields === existing.custom_fields
  return isSame ? null : { status, custom_fields, confirmed, email_format }
}
