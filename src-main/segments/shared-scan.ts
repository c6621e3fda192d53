import type { Database } from 'better-sqlite3'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A scan of a list, whose pieces several threads take one after the other. */
export interface SharedScan {
  /** A query of ids. Its last two parameters are the id after which it reads, and the last one. */
  text: string
  parameters: readonly unknown[]
  /** The lowest and the highest id. */
  first: number
  last: number
  idsPerPiece: number
  pieces: number
  /** An Int32: the next piece that no thread has taken. */
  next: SharedArrayBuffer
}

/** Ids in ascending order, by the number of the piece. */
export type FoundPieces = Map<number, Float64Array>

/** Some 10 ms of work: other questions wait that long. */
const idsPerPiece = 8192
/** A list may have few of the ids between its first and its last. */
const maxPieces = 4000

export function newScan(
  query: Pick<SharedScan, 'text' | 'parameters'>,
  { first, last }: { first: number; last: number }
): SharedScan {
  const ids = last - first + 1
  const size = Math.max(idsPerPiece, Math.ceil(ids / maxPieces))
  const next = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  return { ...query, first, last, idsPerPiece: size, pieces: Math.ceil(ids / size), next }
}

/**
 * Scans pieces until all are taken, and answers other questions in between.
 * @throws the reason of the signal when aborted; the other threads then stop as well
 */
export async function scanPieces(
  database: Database,
  scan: SharedScan,
  signal?: AbortSignal
): Promise<FoundPieces> {
  const next = new Int32Array(scan.next)
  const scanPiece = pieceScanner(database, scan)
  const found: FoundPieces = new Map()
  try {
    for (let piece; (piece = Atomics.add(next, 0, 1)) < scan.pieces;) {
      await nextTurn()
      signal?.throwIfAborted()
      found.set(piece, scanPiece(piece))
    }
    return found
  } catch (error) {
    // Nothing is left for the threads that help. A fault of one of those leaves its pieces to this one.
    if (signal) Atomics.store(next, 0, scan.pieces)
    throw error
  }
}

/** Returns what finds the ids of a piece by its number. */
export function pieceScanner(
  database: Database,
  { text, parameters, first, last, idsPerPiece: size }: SharedScan
): (piece: number) => Float64Array {
  const statement = database.prepare<unknown[], number>(text).pluck()
  return (piece) => {
    const after = first - 1 + piece * size
    const upTo = Math.min(after + size, last)
    return Float64Array.from(statement.all(...parameters, after, upTo))
  }
}

/** Joins pieces in order. */
export function joinPieces(found: FoundPieces): Float64Array {
  const ordered = [...found].sort(([a], [b]) => a - b)
  const ids = new Float64Array(ordered.reduce((sum, [, piece]) => sum + piece.length, 0))
  let place = 0
  for (const [, piece] of ordered) {
    ids.set(piece, place)
    place += piece.length
  }
  return ids
}
