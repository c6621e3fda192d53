import type { Database } from 'better-sqlite3'
import SQLite from 'better-sqlite3'
import { rmSync } from 'node:fs'
import { storageFaultOf } from '../base/errors.ts'
import { openForWriting } from './connection.ts'
import { appendSums, sumsPath } from './page-sums.ts'
import { pagesInLog } from './write-ahead-log.ts'

/** Pages in the log of a database, and how many of them are in the database already. */
export interface LogState {
  log: number
  checkpointed: number
}

const nothing: LogState = { log: 0, checkpointed: 0 }
/** Tries at a moment in which nobody commits. */
const maxTries = 50

/** Copies the write-ahead log into the database, once the checksums of what it writes are noted. */
export class NotedCheckpoint {
  readonly #sqlite: Database
  readonly #databasePath: string
  /** Reads what is copied: nothing later is then, and the log does not begin anew meanwhile. */
  readonly #guard: Database

  constructor(sqlite: Database, databasePath: string) {
    this.#sqlite = sqlite
    this.#databasePath = databasePath
    this.#guard = new SQLite(databasePath, { readonly: true })
  }

  state(): LogState {
    return checkpoint(this.#sqlite, 'NOOP')
  }

  /**
   * Copies what is in the log now and no reader still needs.
   * @returns the pages in the log, and how many of them are in the database; none when the disk took no copy
   */
  run(): LogState {
    try {
      const state = this.#holdLog()
      if (!state || state.log === state.checkpointed) return state ?? this.state()
      const pages = pagesInLog(this.#databasePath, state.checkpointed, state.log)
      if (pages) appendSums(this.#databasePath, pages)
      // Somebody took the log away, which only SQLite has open still: what is in it counts more than a note of it.
      else rmSync(sumsPath(this.#databasePath), { force: true })
      return checkpoint(this.#sqlite, 'PASSIVE')
    } catch (error) {
      // A full disk takes no copy; the log keeps everything, and the next copy begins where this one stopped.
      if (storageFaultOf(error)) return nothing
      throw error
    } finally {
      if (this.#guard.inTransaction) this.#guard.exec('COMMIT')
    }
  }

  close(): void {
    this.#guard.close()
  }

  /** Begins to read between two commits, so that it is known how far into the log. @returns null where others commit all the time */
  #holdLog(): LogState | null {
    for (let tries = 0; tries < maxTries; tries++) {
      const before = this.state()
      this.#guard.exec('BEGIN')
      this.#guard.prepare('SELECT 1 FROM sqlite_schema').get()
      const after = this.state()
      if (before.log === after.log && before.checkpointed === after.checkpointed) return after
      this.#guard.exec('COMMIT')
    }
    return null
  }
}

/** Copies what one that was killed left in the log of a database that nobody has open. */
export function takeInLog(databasePath: string): void {
  const database = openForWriting(databasePath)
  try {
    const checkpoint = new NotedCheckpoint(database, databasePath)
    checkpoint.run()
    checkpoint.close()
  } finally {
    database.close()
  }
}

function checkpoint(sqlite: Database, mode: 'PASSIVE' | 'NOOP'): LogState {
  try {
    const [state] = sqlite.pragma(`wal_checkpoint(${mode})`) as LogState[]
    return state ?? nothing
  } catch (error) {
    if (storageFaultOf(error)) return nothing
    throw error
  }
}
