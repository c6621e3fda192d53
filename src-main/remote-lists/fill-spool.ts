import type { Refusal } from '../base/refusal.ts'
import { startThread } from '../base/threads.ts'
import { askOnce } from '../remote-databases/ask-once.ts'
import { type DatabaseTarget, withRemoteDatabase } from '../remote-databases/remote-database.ts'
import { recipientColumnsOf } from './columns.ts'
import { isSkipped, type QueriedRecipient, readRecipient } from './recipients.ts'
import { SpoolWriter } from './spool.ts'

/** What was read into a file. */
export interface FilledSpool {
  fileKey: string
  /** Names of the columns that codes take values from. */
  columns: string[]
  /** Rows of the query. */
  rows: number
  recipients: number
  skipped: number
  /** Why the first rows were skipped. */
  faults: Refusal[]
  milliseconds: number
  /** When the database was asked, in UNIX milliseconds. */
  readAt: number
}

/** Reasons that are stored (docs/api.md, "Remote Lists"). */
const mostFaults = 5

export interface SpoolQuestion {
  target: DatabaseTarget
  query: string
  /** Of the file. */
  path: string
  /** Milliseconds. */
  timeLimit: number
}

/**
 * The same as {@link fillSpool} in a thread of its own, which ends also where a step of SQLite does not.
 * @throws ApiError validation_failed with why there are no recipients
 */
export function fillSpoolInThread(question: SpoolQuestion, signal: AbortSignal): Promise<FilledSpool> {
  const { target, timeLimit } = question
  return askOnce(() => startThread(import.meta.url, 'spool-thread', { name: 'recipients' }), question, {
    ...{ signal, timeLimit, name: target.name }
  })
}

/**
 * Reads all recipients of a query into a file, in memory that does not grow with them.
 * @throws RemoteDatabaseFault, QueryFault; then there is no file
 */
export async function fillSpool(
  { target, query, path, timeLimit }: SpoolQuestion,
  signal: AbortSignal
): Promise<FilledSpool> {
  const readAt = Date.now()
  const began = performance.now()
  return withRemoteDatabase(target, { signal, timeLimit }, async (database) => {
    const result = await database.read(query, { timeLimit })
    const columns = recipientColumnsOf(result.columns)
    const writer = new SpoolWriter(path)
    try {
      const faults: Refusal[] = []
      let rows = 0
      for (let batch = await result.next(); batch.length > 0; batch = await result.next()) {
        signal.throwIfAborted()
        const recipients: QueriedRecipient[] = []
        for (const row of batch) {
          const read = readRecipient(row, columns, ++rows)
          if (!isSkipped(read)) recipients.push(read)
          else if (faults.length < mostFaults) faults.push(read)
        }
        writer.add(recipients)
      }
      writer.complete()
      return {
        ...{ fileKey: writer.key, columns: columns.values.map(({ name }) => name), rows, faults },
        ...{ recipients: writer.recipients, skipped: rows - writer.recipients },
        ...{ milliseconds: performance.now() - began, readAt }
      }
    } catch (error) {
      writer.discard()
      throw error
    }
  })
}
