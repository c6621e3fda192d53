import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AskedThread } from '../base/asked-thread.ts'
import { messageOf, storageFaultOf, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { startThread } from '../base/threads.ts'
import { answerOn, type IntegrityQuestion } from './answer.ts'
import { examineEnd } from './examine.ts'
import type { Writer } from '../database/writer.ts'
import type { IntegrityState } from './schema.ts'
import { openForGood } from './verify-pages.ts'
import { databasePathIn } from '../database/database-path.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    integrity: Integrity
  }
}

/** A database of so many bytes, with its log, is looked at in a few milliseconds, which is less than a thread takes to start. */
const smallEnough = 4 * 1024 * 1024
/** Milliseconds after which it is tried again to note the pages. */
const prepareAgain = 30_000

/**
 * Detects whether the database was changed by something else. It is examined at the start; until then nothing
 * is copied from its log, so that a fault stays as it is. Once damage is found, nothing is written any more.
 */
export class Integrity {
  readonly #databasePath: string
  readonly #wasCutOff: boolean
  readonly #thread = new AskedThread<IntegrityQuestion, string[]>(() =>
    startThread(import.meta.url, 'integrity-thread', { name: 'integrity' })
  )
  /** Work that runs without the thread. */
  #quick: Promise<unknown> = Promise.resolve()
  #writer: Writer | null = null
  #examination: Promise<void> = Promise.resolve()
  #isExamined = false
  #isClosed = false
  #accepting: Promise<void> | null = null
  #faults: string[] = []

  constructor(dataDirectory: string, wasCutOff: boolean) {
    this.#databasePath = databasePathIn(dataDirectory)
    this.#wasCutOff = wasCutOff
  }

  get state(): IntegrityState {
    if (this.#faults.length > 0) return 'damaged'
    return this.#isExamined ? 'sound' : 'checking'
  }

  get faults(): readonly string[] {
    return this.#faults
  }

  /**
   * Examines the database before it is opened. Damage is reported once there is a writer.
   * @throws Error if the disk is full or another program has the database open, so that nothing can be
   * determined
   */
  examine(): Promise<void> {
    this.#examination = this.#examineAll()
    return this.#examination
  }

  /** Resolves once the examination has ended, whatever its result. */
  async examined(): Promise<void> {
    await this.#examination.catch(() => undefined)
  }

  async #examineAll(): Promise<void> {
    try {
      // At the first start there is nothing to examine.
      if (this.#hasDatabase()) for (const fault of await this.#ask('examine')) this.#add(fault)
    } catch (error) {
      this.#notExamined(error)
    }
    this.#isExamined = true
  }

  /** Checks for missing last changes before anything is written; the rest can be examined in parallel. */
  examineEnd(): void {
    try {
      if (this.#hasDatabase()) for (const fault of examineEnd(this.#databasePath)) this.#add(fault)
    } catch (error) {
      this.#notExamined(error)
    }
  }

  /**
   * Gives the result to the writer, and reports damage that the writer finds.
   * @param examination in progress
   */
  watch(writer: Writer, examination: Promise<void>): void {
    this.#writer = writer
    writer.onDamage(() => this.report())
    if (this.#faults.length > 0) writer.refuse()
    examination.then(() => this.#afterExamination(writer)).catch((error: unknown) => this.#postpone(error))
  }

  report(): void {
    this.#add('Parts of the database cannot be read: its structure is damaged.')
  }

  /**
   * Accepts a damaged database as it is; does nothing for a sound one.
   * @throws ApiError validation_failed if its structure is broken
   */
  accept(): Promise<void> {
    this.#accepting ??= this.#accept().finally(() => (this.#accepting = null))
    return this.#accepting
  }

  async #accept(): Promise<void> {
    const accepted = [...this.#faults]
    if (accepted.length === 0) return
    const faults = await this.#ask('structure')
    if (faults.length > 0) throw validationFailed(refusal('data_unusable', { faults: faults.join('; ') }))
    await this.#ask('accept')
    // The user did not accept damage found in the meantime.
    this.#faults = this.#faults.filter((fault) => !accepted.includes(fault))
    if (this.#faults.length === 0) this.#writer?.goOn()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#quick.catch(() => undefined)
    await this.#thread.close()
  }

  async #afterExamination(writer: Writer): Promise<void> {
    if (this.#faults.length > 0) return
    await this.#prepare()
    // Another thread may have found damage in the meantime.
    if (this.#faults.length > 0) return
    writer.goOn()
    // This takes seconds and finds only what was written wrongly: the checksums of the pages were compared
    // already.
    if (this.#wasCutOff) for (const fault of await this.#ask('structure')) this.#add(fault)
    // It is rarely needed again, and a thread takes memory.
    await this.#thread.close()
  }

  /** Waits for what prevents storing checksums, such as a full disk; meanwhile writes stay in the log. */
  async #prepare(): Promise<void> {
    for (;;) {
      try {
        await this.#ask('prepare')
        return
      } catch (error) {
        if (this.#isClosed) throw error
        process.stderr.write(`Pages could not be noted: ${messageOf(error)}\n`)
        await pause(prepareAgain, undefined, { ref: false })
        if (this.#isClosed) throw error
      }
    }
  }

  #hasDatabase(): boolean {
    return (statSync(this.#databasePath, { throwIfNoEntry: false })?.size ?? 0) > 0
  }

  /** @throws Error where that says nothing about the database: a disk that is full, or a lock, is no damage */
  #notExamined(error: unknown): void {
    const storage = storageFaultOf(error)
    if (this.#isClosed || (storage && storage.kind !== 'damaged')) throw error
    this.#add(`The database could not be checked: ${messageOf(error)}`)
  }

  /** Leaves the examination to the next start; until then everything stays in the log. */
  #postpone(error: unknown): void {
    if (this.#isClosed) return
    try {
      this.#notExamined(error)
    } catch (passing) {
      process.stderr.write(`${messageOf(passing)}\n`)
    }
  }

  #add(fault: string): void {
    if (this.#faults.includes(fault)) return
    this.#faults.push(fault)
    process.stderr.write(`${fault}\n`)
    this.#writer?.refuse()
  }

  async #ask(ask: IntegrityQuestion['ask']): Promise<string[]> {
    const databasePath = this.#databasePath
    const question = { ask, databasePath, file: openForGood(databasePath) }
    if (ask === 'structure' || !isSmall(databasePath)) return this.#thread.ask(question)
    const answer = answerOn(question)
    this.#quick = answer
    return answer
  }
}

function isSmall(databasePath: string): boolean {
  const sizes = ['', '-wal'].map(
    (part) => statSync(databasePath + part, { throwIfNoEntry: false })?.size ?? 0
  )
  return sizes.reduce((sum, size) => sum + size, 0) <= smallEnough
}
