import { refusal } from '../../base/refusal.ts'
import { startThread } from '../../base/threads.ts'
import { askOnce } from '../../remote-databases/ask-once.ts'
import type { RowsQuestion } from './write-rows.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    databaseRows: DatabaseRows
  }
}

/** Writes the rows of queries into files, outside of the API's thread. */
export class DatabaseRows {
  /** @returns how many rows @throws ApiError validation_failed with why there are none */
  write(question: RowsQuestion, signal: AbortSignal): Promise<number> {
    const { target, timeLimit } = question
    return askOnce(() => startThread(import.meta.url, 'rows-thread', { name: 'database rows' }), question, {
      ...{ signal, timeLimit },
      late: refusal('query_too_slow', { name: target.name, seconds: Math.round(timeLimit / 1000) })
    })
  }
}
