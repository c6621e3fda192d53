import { statSync } from 'node:fs'
import { join } from 'node:path'
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
 * Whether the database is what was written to it. It is looked at when the application starts; until that has ended, nothing is copied
 * into the database from its log, so that what is wrong stays as it is. Once something is found nothing is written any more.
 */
export class Integrity {
  readonly #databasePath: string
  readonly #wasCutOff: boolean
  readonly #thread = new AskedThread<IntegrityQuestion, string[]>(() =>
    startThread(import.meta.url, 'integrity-thread', { name: 'integrity' })
  )
  /** What is done without the thread. */
  #quick: Promise<unknown> = Promise.resolve()
  #writer: Writer | null = null
  #isExamined = false
  #isClosed = false
  #accepting: Promise<void> | null = null
  #faults: string[] = []

  /** @param wasCutOff whether the application that had the data last was ended in the middle */
  constructor(dataDirectory: string, wasCutOff: boolean) {
    this.#databasePath = join(dataDirectory, 'listwright.db')
    this.#wasCutOff = wasCutOff
  }

  get state(): IntegrityState {
    if (this.#faults.length > 0) return 'damaged'
    return this.#isExamined ? 'sound' : 'checking'
  }

  /** What is wrong, a sentence each. */
  get faults(): readonly string[] {
    return this.#faults
  }

  /**
   * Looks at the database before anything opens it. What is found is told once there is a writer.
   * @throws Error where the disk is full or another program has it, so that nothing can be said
   */
  async examine(): Promise<void> {
    try {
      // A first start has nothing to look at yet.
      if (this.#hasDatabase()) for (const fault of await this.#ask('examine')) this.#add(fault)
    } catch (error) {
      this.#notExamined(error)
    }
    this.#isExamined = true
  }

  /** Looks whether the last changes are there, before anything more is written; the rest can be looked at beside that. */
  examineEnd(): void {
    try {
      if (this.#hasDatabase()) for (const fault of examineEnd(this.#databasePath)) this.#add(fault)
    } catch (error) {
      this.#notExamined(error)
    }
  }

  /** Has the writer do as was found, and tells what it finds itself. @param examination under way */
  watch(writer: Writer, examination: Promise<void>): void {
    this.#writer = writer
    writer.onDamage(() => this.report())
    if (this.#faults.length > 0) writer.refuse()
    examination.then(() => this.#afterExamination(writer)).catch((error: unknown) => this.#postpone(error))
  }

  /** To be called when a connection met damage. */
  report(): void {
    this.#add('Parts of the database cannot be read: its structure is damaged.')
  }

  /**
   * Takes a damaged database for right as it is, from now on; one that is not damaged is left alone.
   * @throws ApiError validation_failed where its structure is broken, so that it cannot be worked with
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
    // What was met meanwhile was not what somebody agreed to.
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
    // Somebody may have met damage meanwhile.
    if (this.#faults.length > 0) return
    writer.goOn()
    // Takes seconds, and the pages are what was written: only what was written wrongly is found.
    if (this.#wasCutOff) for (const fault of await this.#ask('structure')) this.#add(fault)
    // Rarely asked again, and a thread takes memory.
    await this.#thread.close()
  }

  /** What keeps pages from being noted, such as a full disk, is waited for: what is written stays in the log meanwhile. */
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

  /** What could not be done now is left to the next start: until then everything stays in the log. */
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
