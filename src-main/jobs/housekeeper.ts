import { messageOf } from '../base/errors.ts'

/** Something that is kept for some time and then removed. */
export interface RetentionRule {
  /** The deleted records, as the subject of a sentence: "Old logs of imports". */
  name: string
  /** In milliseconds; a function for a value from the settings. */
  keptFor: number | (() => Promise<number>)
  /** Deletes what is older than a time in UNIX milliseconds. */
  removeBefore: (time: number) => Promise<void>
}

/** Interval of clock checks in milliseconds: the application may never run for long. */
const interval = 10 * 60 * 1000
/** The rules are applied after so many clock checks, hence every hour. */
const looksBetween = 6

/** Applies the retention rules at the start and every hour. What failed is tried again then. */
export class Housekeeper {
  readonly #rules: readonly RetentionRule[]
  readonly #isClockBelieved: (now: number) => Promise<boolean>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null
  #closed = false

  constructor(rules: readonly RetentionRule[], isClockBelieved: (now: number) => Promise<boolean>) {
    this.#rules = rules
    this.#isClockBelieved = isClockBelieved
  }

  start(): void {
    let looks = 0
    const run = (): void => {
      const now = Date.now()
      const isDue = looks++ % looksBetween === 0
      this.#running ??= (isDue ? this.tidy(now) : this.#isClockBelieved(now).then(() => undefined))
        .catch((error: unknown) => {
          process.stderr.write(`Looking for old data failed: ${messageOf(error)}\n`)
        })
        .finally(() => (this.#running = null))
    }
    run()
    this.#timer = setInterval(run, interval).unref()
  }

  /** Stops the timer and resolves once the rule being applied has finished. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#running
  }

  /**
   * Applies all rules once.
   * @param now UNIX milliseconds
   */
  async tidy(now: number): Promise<void> {
    if (!(await this.#isClockBelieved(now))) return
    for (const { name, keptFor, removeBefore } of this.#rules) {
      if (this.#closed) return
      try {
        await removeBefore(now - (typeof keptFor === 'number' ? keptFor : await keptFor()))
      } catch (error) {
        process.stderr.write(`${name} were not removed: ${messageOf(error)}\n`)
      }
    }
  }
}
