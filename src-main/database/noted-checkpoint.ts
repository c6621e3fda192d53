import type { Database } from 'better-sqlite3'
import SQLite from 'better-sqlite3'
import { isUnsynced, messageOf, storageFaultOf, Unsynced } from '../base/errors.ts'
import { closeWithoutCopying, preparedOn } from './connection.ts'
import { LastChangeNotes, notedLastChange } from './last-change.ts'
import { appendSums, markSumsUnknown, type PageBatch } from './page-sums.ts'
import { pagesInLog } from './write-ahead-log.ts'

/** Pages in the log of a database, and how many of them are in the database already. */
export interface LogState {
  log: number
  checkpointed: number
}

const nothing: LogState = { log: 0, checkpointed: 0 }
const maxTries = 50

/** Copies the write-ahead log into the database, once the checksums of what it writes are noted. */
export class NotedCheckpoint {
  readonly #sqlite: Database
  readonly #databasePath: string
  /** Holds a snapshot while the log is copied, so that nothing newer is copied and the log cannot start over. */
  readonly #guard: Database

  constructor(sqlite: Database, databasePath: string) {
    this.#sqlite = sqlite
    this.#databasePath = databasePath
    this.#guard = new SQLite(databasePath, { readonly: true })
  }

  /** @returns nothing where that is not known, since the disk is full or another program has the database */
  state(): LogState {
    return checkpoint(this.#sqlite, 'NOOP') ?? nothing
  }

  /**
   * Copies the log into the database, except what readers still need.
   * @returns the pages in the log, and how many of them are in the database; none if the disk rejected the
   * copy or the notes
   * @throws StorageFault damaged
   */
  run(): LogState {
    try {
      const state = this.#holdLog()
      if (!state || state.log === state.checkpointed) return state ?? this.state()
      const pages = pagesInLog(this.#databasePath, state.checkpointed, state.log)
      return (this.#note(pages) ? checkpoint(this.#sqlite, 'PASSIVE') : null) ?? nothing
    } finally {
      if (this.#guard.inTransaction) this.#guard.exec('COMMIT')
    }
  }

  get isDone(): boolean {
    try {
      const state = checkpoint(this.#sqlite, 'NOOP')
      return state !== null && state.log === state.checkpointed
    } catch (error) {
      if (storageFaultOf(error)?.kind === 'damaged') return false
      throw error
    }
  }

  close(): void {
    this.#guard.close()
  }

  /**
   * Starts a read between two commits, which fixes the end of the log.
   * @returns null if commits never pause
   */
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

  /** @returns whether it was noted: without that nothing is copied, and the log keeps everything */
  #note(pages: PageBatch | null): boolean {
    try {
      if (pages) appendSums(this.#databasePath, pages)
      // The log was deleted, and only SQLite still has it open. Losing its contents would be worse than
      // storing no checksums until the next start, which accepts the pages as they are.
      else markSumsUnknown(this.#databasePath)
      return true
    } catch (error) {
      if (!storageFaultOf(error)) process.stderr.write(`Pages could not be noted: ${messageOf(error)}\n`)
      return false
    }
  }
}

/** Ends a connection, so that SQLite has nothing to copy at the end of the last one. */
export function endWith(database: Database, checkpoint: NotedCheckpoint, last: LastChangeNotes): void {
  // SQLite deletes the log next, so a note that refers to it would look like a lost log.
  const isDone = checkpoint.isDone && noteEnd(database.name, last)
  last.close()
  checkpoint.close()
  if (isDone) database.close()
  else closeWithoutCopying(database)
}

function noteEnd(databasePath: string, last: LastChangeNotes): boolean {
  const noted = notedLastChange(databasePath)
  try {
    if (typeof noted !== 'string') last.note({ ...noted, log: null }, true)
    return true
  } catch (error) {
    process.stderr.write(`The end could not be noted: ${messageOf(error)}\n`)
    return false
  }
}

/** @returns null where the disk is full, or another program has the database */
function checkpoint(sqlite: Database, mode: 'PASSIVE' | 'NOOP'): LogState | null {
  try {
    const state = preparedOn(sqlite, `PRAGMA wal_checkpoint(${mode})`).get() as LogState | undefined
    return state && state.log >= 0 ? state : null
  } catch (error) {
    if (isUnsynced(error)) throw new Unsynced()
    const storage = storageFaultOf(error)
    // On a full disk the log keeps everything, and the next checkpoint continues where this one stopped.
    if (storage && storage.kind !== 'damaged') return null
    throw storage ?? error
  }
}
