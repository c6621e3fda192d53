import type { Database } from 'better-sqlite3'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fieldValue, folded, isFound } from '../api/segments/condition-queries.ts'
import type { SortColumn } from '../api/segments/conditions.ts'
import { membersOf, type SegmentScope } from '../api/segments/queries.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import type { Schema } from '../database/schema.ts'

/** How values of a custom field are ordered; options by their place among the options. */
export type SortKind = 'text' | 'number' | 'option'

/** What subscribers are ordered by; those who are equal in it by id. */
export interface Sorting {
  by: { column: SortColumn } | { fieldId: number; kind: SortKind }
  descending: boolean
}

/** Which subscribers of a list, in which order. */
export interface Choice extends SegmentScope {
  /** A text that is looked for in the email and in these fields; '' = in none. */
  search: string
  textFieldIds: number[]
  /** null = by id */
  sorting: Sorting | null
}

/** Ids that are looked at before something else may go first. */
const idsAtOnce = 50_000

/**
 * The ids of the chosen subscribers, in their order. In the order of ids it looks at the list piece by piece, and other
 * questions are answered between two of them; any other order is one query.
 * @throws the reason of the signal, once it is aborted
 */
export async function chosenIds(
  database: Database,
  db: Kysely<Schema>,
  choice: Choice,
  signal: AbortSignal
): Promise<Float64Array> {
  const chosen = membersOf(db, choice.mailingListId, choice.clause)
    .select('subscribers.id')
    .$if(choice.search !== '', (query) => query.where(isFound(choice.search, choice.textFieldIds)))
  if (choice.sorting) {
    const { sql: text, parameters } = inOrder(chosen, choice.sorting).orderBy('subscribers.id').compile()
    return Float64Array.from(
      database
        .prepare(text)
        .pluck()
        .all(...parameters) as number[]
    )
  }
  const { first, last } = await db
    .selectFrom('subscribers')
    .select((select) => [
      select.fn.min<number | null>('id').as('first'),
      select.fn.max<number | null>('id').as('last')
    ])
    .where('mailing_list_id', '=', choice.mailingListId)
    .executeTakeFirstOrThrow()
  const pieces: number[][] = []
  if (first === null || last === null) return new Float64Array()
  const { sql: text, parameters } = chosen
    .where('subscribers.id', '>', sql.val(first))
    .where('subscribers.id', '<=', sql.val(last))
    .orderBy('subscribers.id')
    .compile()
  const piece = database.prepare(text).pluck()
  const others = parameters.slice(0, -2)
  for (let after = first - 1; after < last; after += idsAtOnce) {
    pieces.push(piece.all(...others, after, after + idsAtOnce) as number[])
    await nextTurn()
    signal.throwIfAborted()
  }
  return joined(pieces)
}

function joined(pieces: number[][]): Float64Array {
  const ids = new Float64Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let place = 0
  for (const piece of pieces) {
    ids.set(piece, place)
    place += piece.length
  }
  return ids
}

/** Blank values come last in both directions. */
function inOrder(chosen: ReturnType<typeof membersOf>, { by, descending }: Sorting) {
  return chosen
    .select('subscribers.id')
    .orderBy(sortKey(by), (order) => (descending ? order.desc() : order.asc()).nullsLast())
}

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
