import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/threads.ts'
import { askForUser, askOnce } from '../../remote-databases/ask-once.ts'
import type { RowsQuestion } from './write-rows.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    databaseRows: DatabaseRows
  }
}

/** Checks queries, and writes their rows into files, outside of the API's thread. */
export class DatabaseRows {
  /** @throws ApiError validation_failed if the query fails, or does not return the columns */
  async check(question: Omit<RowsQuestion, 'path'>, signal: AbortSignal): Promise<void> {
    const checked = { ...question, path: null }
    await askForUser(startRowsThread, checked, limitsOf(checked, signal))
  }

  /** @returns how many rows @throws ApiError validation_failed with why there are none */
  write(question: RowsQuestion & { path: string }, signal: AbortSignal): Promise<number> {
    return askForUser(startRowsThread, question, limitsOf(question, signal))
  }
}

/** The same in a job. @throws as {@link DatabaseRows.write} */
export function writeRowsInThread(
  question: RowsQuestion & { path: string },
  signal: AbortSignal
): Promise<number> {
  return askOnce(startRowsThread, question, limitsOf(question, signal))
}

/** Returns a name for the file of a database's rows: its own, without what would be a folder. */
export function rowsFileOf({ name }: { name: string }): string {
  return `${name.replaceAll(/[\\/]/g, '-')}.csv`
}

function startRowsThread(): Worker {
  return startThread(import.meta.url, 'rows-thread', { name: 'database rows' })
}

function limitsOf({ target, timeLimit }: RowsQuestion, signal: AbortSignal) {
  return { signal, timeLimit, name: target.name }
}
