import type { Refusal } from '../base/refusal.ts'
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
}

/** Reasons that are stored (docs/api.md, "Remote Lists"). */
const mostFaults = 5

/**
 * Reads all recipients of a query into a file, in memory that does not grow with them.
 * @param timeLimit in milliseconds
 * @throws RemoteDatabaseFault, QueryFault; then there is no file
 */
export async function fillSpool(
  target: DatabaseTarget,
  query: string,
  { path, timeLimit, signal }: { path: string; timeLimit: number; signal: AbortSignal }
): Promise<FilledSpool> {
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
        milliseconds: performance.now() - began
      }
    } catch (error) {
      writer.discard()
      throw error
    }
  })
}
