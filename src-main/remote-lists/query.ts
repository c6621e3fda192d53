import { type Refusal } from '../base/refusal.ts'
import {
  type DatabaseTarget,
  type RemoteColumn,
  type RemoteResult,
  type RemoteRow,
  withRemoteDatabase
} from '../remote-databases/remote-database.ts'
import { type RecipientColumns, recipientColumnsOf } from './columns.ts'
import { isSkipped, readRecipient } from './recipients.ts'

/** A query that is tried before anything is sent. */
export interface QueryQuestion {
  /** `preview` reads the first rows, `check` all of them. */
  ask: 'preview' | 'check'
  target: DatabaseTarget
  query: string
  /** Milliseconds. */
  timeLimit: number
}

/** What a query returns. */
export interface QueryResult {
  columns: RemoteColumn[]
  /** The first rows; none of a check. */
  rows: RemoteRow[]
  /** How many rows were read. */
  read: number
  /** True if these are all rows. */
  isComplete: boolean
  /** Rows that are no recipients. */
  skipped: number
  /** Why the first ones are not. */
  faults: Refusal[]
  milliseconds: number
}

/** Rows of a preview. */
const previewedRows = 100
/** The most reasons that a preview or a check returns. */
const mostFaults = 100
/** The longest value of a preview, in characters. */
const longestShown = 200

/**
 * Runs a query as a campaign would, and sends nothing.
 * @throws RemoteDatabaseFault, QueryFault
 */
export function tryQuery(
  { ask, target, query, timeLimit }: QueryQuestion,
  signal: AbortSignal
): Promise<QueryResult> {
  const began = performance.now()
  return withRemoteDatabase(target, { signal, timeLimit }, async (database) => {
    const result = await database.read(query, { timeLimit })
    const columns = recipientColumnsOf(result.columns)
    const found = await readRows(result, columns, ask === 'preview' ? previewedRows : Infinity, signal)
    return { columns: [...result.columns], ...found, milliseconds: Math.round(performance.now() - began) }
  })
}

async function readRows(
  result: RemoteResult,
  columns: RecipientColumns,
  most: number,
  signal: AbortSignal
): Promise<Omit<QueryResult, 'columns' | 'milliseconds'>> {
  const found = { rows: [] as RemoteRow[], read: 0, isComplete: false, skipped: 0, faults: [] as Refusal[] }
  for (let batch = await result.next(); batch.length > 0; batch = await result.next()) {
    signal.throwIfAborted()
    for (const row of batch) {
      if (found.read === most) return found
      const read = readRecipient(row, columns, ++found.read)
      if (isSkipped(read)) {
        found.skipped++
        if (found.faults.length < mostFaults) found.faults.push(read)
      }
      if (most !== Infinity) found.rows.push(row.map(shown))
    }
  }
  return { ...found, isComplete: true }
}

function shown(value: string | null): string | null {
  return value !== null && value.length > longestShown ? `${value.slice(0, longestShown)}…` : value
}
