import type { Database } from 'better-sqlite3'
import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fieldValue, folded, isFound } from '../api/segments/condition-queries.ts'
import type { SortColumn } from '../api/segments/conditions.ts'
import { membersOf, type SegmentScope } from '../api/segments/queries.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import type { Schema } from '../database/schema.ts'
import { idRange } from './pieces.ts'
import type { SecondScanner } from './second-scanner.ts'
import { joinPieces, newScan, pieceScanner, scanPieces } from './shared-scan.ts'

/** The sort order of a custom field's values; options by their position. */
export type SortKind = 'text' | 'number' | 'option'

/** The sort order of subscribers; equal ones are sorted by id. */
export interface Sorting {
  by: { column: SortColumn } | { fieldId: number; kind: SortKind }
  descending: boolean
}

/** Selects subscribers of a list, in an order. */
export interface Choice extends SegmentScope {
  /** A text that is looked for in the email and in these fields; '' = in none. */
  search: string
  textFieldIds: number[]
  /** null = by id */
  sorting: Sorting | null
}

/** A reading connection, and a thread that scans with it. */
export interface ScanningConnection {
  database: Database
  db: Kysely<Schema>
  scanner: Pick<SecondScanner, 'scan'>
}

/**
 * Returns the ids of the selected subscribers in order. Scans the list in pieces, between which other
 * questions are answered; sorting the result is one query.
 * @throws the reason of the signal when aborted
 */
export async function chosenIds(
  connection: ScanningConnection,
  choice: Choice,
  signal: AbortSignal
): Promise<Float64Array> {
  const { database, db } = connection
  const isWhole = choice.clause.length === 0 && choice.search === ''
  if (!choice.sorting) return foundIds(connection, choice, signal)
  const found = isWhole ? null : await foundIds(connection, choice, signal)
  const ids = found && JSON.stringify(Array.from(found))
  const { sql: text, parameters } = db
    .selectFrom('subscribers')
    .select('subscribers.id')
    .where('mailing_list_id', '=', choice.mailingListId)
    .$if(ids !== null, (query) =>
      query.where(sql<SqlBool>`subscribers.id in (select value from json_each(${ids}))`)
    )
    .orderBy(sortKey(choice.sorting.by), (order) =>
      (choice.sorting?.descending ? order.desc() : order.asc()).nullsLast()
    )
    .orderBy('subscribers.id')
    .compile()
  await nextTurn()
  signal.throwIfAborted()
  return Float64Array.from(
    database
      .prepare(text)
      .pluck()
      .all(...parameters) as number[]
  )
}

/** Lists with fewer ids between their first and their last are scanned by one thread. */
const sharedFrom = 50_000

async function foundIds(
  { database, db, scanner }: ScanningConnection,
  { mailingListId, clause, search, textFieldIds }: Choice,
  signal: AbortSignal
): Promise<Float64Array> {
  const query = membersOf(db, mailingListId, clause)
    .select('subscribers.id')
    .$if(search !== '', (members) => members.where(isFound(search, textFieldIds)))
    .where('subscribers.id', '>', sql.val(0))
    .where('subscribers.id', '<=', sql.val(0))
    .orderBy('subscribers.id')
    .compile()
  const range = await idRange(db, mailingListId)
  if (!range) return new Float64Array()
  const scan = newScan({ text: query.sql, parameters: query.parameters.slice(0, -2) }, range)
  const isShared = range.last - range.first >= sharedFrom
  const others = isShared ? scanner.scan(scan) : null
  const found = await scanPieces(database, scan, signal)
  for (const [piece, ids] of (await others) ?? []) found.set(piece, ids)
  // Those that the other thread took before a fault.
  const scanPiece = pieceScanner(database, scan)
  for (let piece = 0; piece < scan.pieces; piece++) {
    if (found.has(piece)) continue
    await nextTurn()
    signal.throwIfAborted()
    found.set(piece, scanPiece(piece))
  }
  return joinPieces(found)
}

/** Blank values come last in both directions. */
function sortKey(by: Sorting['by']): RawBuilder<unknown> {
  if ('column' in by)
    return sql.ref(by.column === 'email' ? 'subscribers.email_key' : `subscribers.${by.column}`)
  const value = fieldValue(by.fieldId)
  if (by.kind === 'option') {
    return sql`(select position from custom_field_options where custom_field_options.id = ${value})`
  }
  return by.kind === 'text' ? folded(value) : value
}

/** Subscribers by their ids, in the order of these; those who are gone are left out. */
export async function subscribersByIds(db: Kysely<Schema>, ids: readonly number[]): Promise<SubscriberRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('subscribers').selectAll().where('id', 'in', ids).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}
