import type { Database, Statement } from 'better-sqlite3'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import { emailKey } from '../api/subscribers/rules.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import { type ImportOutcome, type ImportSettings, importOutcomes } from '../api/subscriber-imports/schema.ts'
import type { ImportBatch } from '../imports/plan.ts'
import type { SeenIds } from './seen-ids.ts'
import type { SubscriberTally } from './subscriber-tally.ts'

// The fast path of the import: prepared statements on the writer's connection, row by row.

/** What the writer keeps in mind between the batches of one import. */
export interface ImportSession {
  mailingListId: number
  settings: ImportSettings
  /** The custom fields that the file fills, defaults included: an update overwrites these and keeps the others. */
  overwrittenFieldIds: number[]
  /** New subscribers would lack a required field. */
  refusesNew: boolean
  /** Subscribers that a row of this import named. */
  seen: SeenIds
}

export interface BatchResult {
  /** An index into importOutcomes for each row. */
  outcomes: Uint8Array
  addedIds: { first: number; last: number } | null
  updatedIds: number[]
  /** Those of updatedIds of whom something differs now. */
  changedIds: number[]
  nextId: number
}

interface Existing {
  id: number
  status: SubscriberStatus
  custom_fields: string
  confirmed: number | null
  email_format: string | null
}

const code = Object.fromEntries(importOutcomes.map((outcome, index) => [outcome, index])) as Record<
  ImportOutcome,
  number
>

interface Lookups {
  byEmail: Statement<[number, string], Existing>
  byAlternateKey: Statement<[number, string], Existing>
  addedFrom: Statement<[number, number, number], number>
  update: Statement<unknown[]>
}

/** Statements of a connection; there is one writer, so there is one entry. */
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

/** The columns of a batch that differ from row to row, and where their values are. */
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

/** An INSERT of so many rows, for batches with these columns; rows that clash with another subscriber are left out. */
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

/**
 * Applies the rows of a batch to the list: adds, overwrites or skips each by the import's settings.
 * @param room how many subscribers may still be added; Infinity without a limit
 */
export function applyImportBatch(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  tally: SubscriberTally,
  { now, firstId, room }: { now: number; firstId: number; room: number }
): BatchResult {
  const outcomes = new Uint8Array(batch.emails.length).fill(code.failed)
  const updatedIds: number[] = []
  const changedIds: number[] = []
  let nextId = firstId
  let added = 0
  const places = [...outcomes.keys()].filter((place) => batch.emails[place] !== '')
  for (let from = 0; from < places.length;) {
    const rows = places.length - from >= rowsPerInsert && room - added >= rowsPerInsert ? rowsPerInsert : 1
    const chunk = places.slice(from, from + rows)
    from += rows
    const mayAdd = !session.refusesNew && added < room
    const clashing = mayAdd ? insertRows(database, session, batch, chunk, nextId, now) : chunk
    for (const [index, place] of chunk.entries()) {
      if (clashing.includes(place)) continue
      const id = nextId + index
      session.seen.add(id)
      tally.added(id, statusOf(session, batch, place))
      outcomes[place] = code.added
      added++
    }
    if (mayAdd) nextId += rows
    for (const place of clashing) {
      const existing = findExisting(database, session, batch, place)
      if (!existing) {
        if (!session.refusesNew) outcomes[place] = code.skipped_over_limit
        continue
      }
      const outcome = outcomeForExisting(session, existing)
      outcomes[place] = code[outcome]
      if (outcome !== 'updated') continue
      updatedIds.push(existing.id)
      if (overwrite(database, session, existing, batch, place, tally, now)) changedIds.push(existing.id)
    }
  }
  const addedIds = added > 0 ? { first: firstId, last: nextId - 1 } : null
  return { outcomes, addedIds, updatedIds, changedIds, nextId }
}

function statusOf(session: ImportSession, batch: ImportBatch, place: number): SubscriberStatus {
  return (batch.statuses?.[place] ?? session.settings.subscriber_defaults.status) as SubscriberStatus
}

/** Inserts the rows at these places under consecutive ids. @returns the places whose key the list has already */
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
  const values: unknown[] = []
  for (const [index, place] of places.entries()) {
    const email = batch.emails[place] ?? ''
    values.push(firstId + index, email, emailKey(email), batch.customFields[place])
    for (const [, key] of optionalColumns) {
      const column = batch[key]
      if (column) values.push(column[place])
    }
  }
  const { changes } = insertStatement(database, batch, places.length).run(values, shared)
  if (changes === places.length) return []
  const { addedFrom } = statementsOf(database).lookups
  const added = new Set(addedFrom.all(session.mailingListId, firstId, firstId + places.length - 1))
  return places.filter((_, index) => !added.has(firstId + index))
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

function findExisting(
  database: Database,
  session: ImportSession,
  batch: ImportBatch,
  place: number
): Existing | undefined {
  const { byEmail, byAlternateKey } = statementsOf(database).lookups
  return batch.alternateKeys
    ? byAlternateKey.get(session.mailingListId, batch.alternateKeys[place] ?? '')
    : byEmail.get(session.mailingListId, emailKey(batch.emails[place] ?? ''))
}

function outcomeForExisting(session: ImportSession, existing: Existing): ImportOutcome {
  if (!session.seen.add(existing.id)) return 'skipped_duplicate'
  if (!session.settings.overwrite) return 'skipped_overwrite'
  if (!session.settings.overwrite_when_status[existing.status]) return `skipped_${existing.status}`
  return 'updated'
}

/** Overwrites what the settings name. @returns whether anything differed */
function overwrite(
  database: Database,
  session: ImportSession,
  existing: Existing,
  batch: ImportBatch,
  place: number,
  tally: SubscriberTally,
  now: number
): boolean {
  const { overwrite_what: what } = session.settings
  const status = ((what.status && batch.statuses?.[place]) || existing.status) as SubscriberStatus
  const confirmed = (what.confirmed ? batch.confirmed?.[place] : null) ?? existing.confirmed
  const format = (what.format && batch.formats?.[place]) || existing.email_format
  const customFields = what.custom_fields
    ? mergeCustomFields(session, existing.custom_fields, batch.customFields[place] ?? '{}')
    : existing.custom_fields
  if (
    status === existing.status &&
    confirmed === existing.confirmed &&
    format === existing.email_format &&
    customFields === existing.custom_fields
  ) {
    return false
  }
  statementsOf(database).lookups.update.run(status, confirmed, format, customFields, now, existing.id)
  tally.moved(existing.status, status)
  return true
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
