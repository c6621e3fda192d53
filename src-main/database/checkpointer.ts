import type { Database } from 'better-sqlite3'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../threads.ts'

/** Pages in the write-ahead log from which on they are copied into the database: fewer copies write a hot page less often. */
const due = 20_000
/** Pages that the writer copies itself, between two commands: it takes some 10 ms. */
const fewEnough = 200

/**
 * Copies the write-ahead log into the database beside the writer. SQLite would do it within a commit, where everything
 * that is to be written waits for it. The copying thread never catches up with an import that goes on writing, so long
 * jobs pause when it is far behind; once it is close, the writer copies the last pages itself and the log begins anew.
 */
export class Checkpointer {
  readonly #sqlite: Database
  readonly #thread: Worker
  #copying = false
  #log = 0

  /** @param onCopied called when the thread has copied what was there when it began */
  constructor(sqlite: Database, databasePath: string, onCopied: () => void) {
    this.#sqlite = sqlite
    sqlite.pragma('wal_autocheckpoint = 0')
    this.#thread = startThread(import.meta.url, 'checkpoint-thread', {
      name: 'checkpoint',
      workerData: databasePath
    })
    this.#thread.on('message', () => {
      this.#copying = false
      onCopied()
    })
  }

  /** Whether long jobs should wait until the thread has copied more. */
  get isBehind(): boolean {
    return this.#copying && this.#log >= 2 * due
  }

  /** To be called after each commit. */
  afterCommit(): void {
    const { log, checkpointed } = checkpoint(this.#sqlite, 'NOOP')
    this.#log = log
    if (this.#copying || log < due) return
    if (log - checkpointed <= fewEnough) checkpoint(this.#sqlite, 'PASSIVE')
    else {
      this.#copying = true
      this.#thread.postMessage('copy')
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}

/**
 * Copies what no reader still needs (PASSIVE), or nothing (NOOP).
 * @returns the pages in the log, and how many of them are in the database already
 */
export function checkpoint(
  sqlite: Database,
  mode: 'PASSIVE' | 'NOOP'
): { log: number; checkpointed: number } {
  const [state] = sqlite.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[]
  return state ?? { log: 0, checkpointed: 0 }
}
