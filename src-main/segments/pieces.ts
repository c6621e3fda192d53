import type { Kysely } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Schema } from '../database/schema.ts'

/** The duration of a piece of work in milliseconds: other questions wait that long. */
const pieceTime = 50
const firstPiece = 5_000

/**
 * Scans the subscribers of a list in pieces, between which other questions are answered.
 * @param look receives subscribers with ids above `after` up to `upTo`
 * @throws the reason of the signal when aborted
 */
export async function byPieces(
  db: Kysely<Schema>,
  mailingListId: number,
  signal: AbortSignal,
  look: (after: number, upTo: number) => void
): Promise<void> {
  const range = await idRange(db, mailingListId)
  if (!range) return
  const { first, last } = range
  let size = firstPiece
  for (let after = first - 1; after < last;) {
    await nextTurn()
    signal.throwIfAborted()
    const began = performance.now()
    look(after, Math.min(after + size, last))
    after += size
    const took = Math.max(1, performance.now() - began)
    size = Math.ceil(size * Math.min(4, Math.max(0.1, pieceTime / took)))
  }
}

/** Returns the lowest and the highest id of a list's subscribers; null for an empty list. */
export async function idRange(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<{ first: number; last: number } | null> {
  const { first, last } = await db
    .selectFrom('subscribers')
    .select((select) => [
      select.fn.min<number | null>('id').as('first'),
      select.fn.max<number | null>('id').as('last')
    ])
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirstOrThrow()
  return first === null || last === null ? null : { first, last }
}
