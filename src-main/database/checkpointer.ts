import type { Database } from 'better-sqlite3'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { endThread, startThread } from '../base/threads.ts'
import { storageFaultOf } from '../base/errors.ts'
import { closeWithoutCopying } from './connection.ts'
import type { LastChangeNotes } from './last-change.ts'
import { endWith, NotedCheckpoint } from './noted-checkpoint.ts'

/** Pages in the write-ahead log from which on they are copied into the database: fewer copies write a hot page less often. */
const due = 20_000
/** The same for a log that fills slowly, in which few pages are hot: less to copy is less for others to wait for. */
const dueWhenSlow = 1_000
/** A log that reaches dueWhenSlow later than this fills slowly, in milliseconds. */
const slowly = 1000
/** Pages that the writer copies itself, between two commands: it takes few milliseconds. */
const fewEnough = 50
/** Pages that are copied so soon that long jobs can wait for it, so that the log is caught up with. */
const nearlyAll = 500
/** Time without copying after the disk was full, in milliseconds. */
const holdOffTime = 5000
/** Copies of the last pages after which the writer does it, when so much is written that none reaches the end. */
const maxLastCopies = 10

/** The result of a copy by the thread. */
export type CopyEnd = 'reached the end' | 'is behind' | 'met damage'

const none = { log: 0, checkpointed: 0 }

/**
 * Copies the write-ahead log into the database in parallel to the writer. SQLite would do it within a commit
 * and delay all writes. The copying thread never catches up with a running import, so long jobs pause when it
 * is far behind, and again for its last pages. Only the copy that reaches the end of the log syncs the disk;
 * then the writer copies the few remaining pages itself, and the log restarts. Nothing is copied before
 * {@link begin}.
 */
export class Checkpointer {
  readonly #sqlite: Database
  readonly #own: NotedCheckpoint
  readonly #databasePath: string
  readonly #onCopied: () => void
  readonly #onDamage: () => void
  /** Started for the first copy: what writes little is done before. */
  #thread: Worker | null = null
  #isHeld = true
  #copying = false
  /** Copies of the last pages so far; 0 while there are more. */
  #lastCopies = 0
  /** True if the last copy reached the end of the log at that time. */
  #reachedEnd = false
  #log = 0
  /** By performance.now(). */
  #heldOffUntil = 0
  /** When the log restarted, by performance.now(). */
  #began = 0

  /**
   * @param onCopied called when the thread has copied the log as it was when it began
   * @param onDamage called when a copy found damage
   */
  constructor(
    sqlite: Database,
    databasePath: string,
    { onCopied, onDamage }: { onCopied: () => void; onDamage: () => void }
  ) {
    this.#sqlite = sqlite
    this.#databasePath = databasePath
    this.#onCopied = onCopied
    this.#onDamage = onDamage
    this.#own = new NotedCheckpoint(sqlite, databasePath)
  }

  get hasBegun(): boolean {
    return !this.#isHeld
  }

  begin(): void {
    this.#isHeld = false
  }

  hold(): void {
    this.#isHeld = true
  }

  /** True if long jobs should wait until the thread has copied more. */
  get isBehind(): boolean {
    return this.#copying && (this.#lastCopies > 0 || this.#log >= 2 * due)
  }

  /**
   * Pauses checkpoints for a few seconds: when the disk is full, the remaining space is needed to record which jobs stopped.
   * @returns once no copy is in progress
   */
  async holdOff(): Promise<void> {
    this.#heldOffUntil = performance.now() + holdOffTime
    if (this.#copying && this.#thread) await once(this.#thread, 'message')
  }

  afterCommit(): void {
    if (this.#isHeld || performance.now() < this.#heldOffUntil) return
    const { log, checkpointed } = this.#careful(() => this.#own.state()) ?? none
    if (log < this.#log) this.#began = performance.now()
    this.#log = log
    const isDue = log >= due || (log >= dueWhenSlow && performance.now() - this.#began > slowly)
    if (this.#copying || !isDue) return
    const left = log - checkpointed
    if ((left <= fewEnough && this.#reachedEnd) || this.#lastCopies >= maxLastCopies) {
      this.#careful(() => this.#own.run())
      this.#lastCopies = 0
      return
    }
    this.#copying = true
    this.#lastCopies = left <= nearlyAll ? this.#lastCopies + 1 : 0
    this.#thread ??= this.#startThread()
    this.#thread.postMessage('copy')
  }

  #startThread(): Worker {
    const thread = startThread(import.meta.url, 'checkpoint-thread', {
      name: 'checkpoint',
      data: this.#databasePath
    })
    thread.on('message', (ended: CopyEnd) => {
      this.#copying = false
      this.#reachedEnd = ended === 'reached the end'
      if (ended === 'met damage') this.#onDamage()
      this.#onCopied()
    })
    return thread
  }

  get logLength(): number {
    return this.#own.state().log
  }

  /** Ends the thread that copies, however far it has come. To be called when nothing more is written, so that no other one is started. */
  async finish(): Promise<void> {
    if (this.#thread) await endThread(this.#thread)
  }

  /**
   * Copies the rest, and closes the writer's connection.
   * @param last receives the final position
   * @throws Unsynced if the disk failed to store the copy; everything is still in the log
   */
  close(last: LastChangeNotes): void {
    try {
      if (!this.#isHeld) this.#careful(() => this.#own.run())
      endWith(this.#sqlite, this.#own, last)
    } catch (error) {
      // SQLite would retry while closing, skip the lost pages, as they count as copied, and delete the log.
      this.#own.close()
      closeWithoutCopying(this.#sqlite)
      throw error
    }
  }

  #careful<Result>(act: () => Result): Result | null {
    try {
      return act()
    } catch (error) {
      if (storageFaultOf(error)?.kind !== 'damaged') throw error
      this.#onDamage()
      return null
    }
  }
}
