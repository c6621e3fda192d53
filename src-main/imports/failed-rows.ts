import { type Refusal } from '../base/refusal.ts'
import { AskedThread } from '../base/asked-thread.ts'
import { startThread } from '../base/threads.ts'
import type { CsvFormat } from '../csv/format.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    failedRows: FailedRows
  }
}

export interface FailedLog {
  path: string
  format: CsvFormat
  /** The meaning of each column, as in column_mapping. */
  columns: readonly (string | null)[]
}

export interface FailedRow {
  /** Its place in the log, from 0. */
  place: number
  /** Its first line in the file, from 1. */
  line: number
  cells: string[]
  /** Why it failed, in English as in the log, and as data. */
  complaint: string
  fault: Refusal
  /** The column that is to blame, from 0; null where it is the row as a whole. */
  column: number | null
}

export interface FailedRowsPage {
  rows: FailedRow[]
  total: number
  /** The reasons of uncorrected rows, most frequent first. */
  reasons: { reason: string; fault: Refusal; rows: number }[]
}

export type FailedRowsQuestion = { log: FailedLog } & (
  | {
      ask: 'page'
      /** null = all */
      reason: string | null
      /** Places of rows that are left out: they were corrected. */
      without: number[]
      position: number
      limit: number
    }
  | { ask: 'lines'; places: number[] }
)

/** Reads logs of failed rows in a thread of its own: they may be as long as the file was. */
export class FailedRows {
  readonly #thread = new AskedThread<FailedRowsQuestion, unknown>(() =>
    startThread(import.meta.url, 'failed-rows-thread', { data: null, name: 'failed rows' })
  )

  page(
    log: FailedLog,
    part: Omit<Extract<FailedRowsQuestion, { ask: 'page' }>, 'ask' | 'log'>
  ): Promise<FailedRowsPage> {
    return this.#thread.ask({ ask: 'page', log, ...part }) as Promise<FailedRowsPage>
  }

  lines(log: FailedLog, places: number[]): Promise<Map<number, number>> {
    return this.#thread.ask({ ask: 'lines', log, places }) as Promise<Map<number, number>>
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
