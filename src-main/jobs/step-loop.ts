import { setTimeout as pause } from 'node:timers/promises'
import type { Change } from '../database/command.ts'
import type { ChangedEntity } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../base/errors.ts'
import { untilStored } from './until-stored.ts'

/** Background work in small steps. */
export interface StepWork<Item> {
  /** The failed work, as the beginning of a sentence. */
  name: string
  /** The first item of which something is left to do. */
  next: () => Promise<Item | undefined>
  /**
   * Does a short step.
   * @returns true if more of the item is left
   */
  step: (item: Item) => Promise<boolean>
  /** True if a change may have created work. */
  isMadeBy: (change: Change) => boolean
}

/**
 * Does the work of a kind as it comes, one item after the other. What a full disk or a lock keeps from being written is tried
 * again; after another fault the work waits for the next change of its kind, or the next start.
 */
export class StepLoop<Item> {
  readonly #work: StepWork<Item>
  #running: Promise<void> | null = null
  #isAsked = false
  #closed = false

  constructor(work: StepWork<Item>, writer: Pick<Writer, 'onChanges'>) {
    this.#work = work
    writer.onChanges((changes) => {
      if (changes.some(work.isMadeBy)) this.wake()
    })
  }

  wake(): void {
    if (this.#closed) return
    this.#isAsked = true
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isAsked && !this.#closed) {
      this.#isAsked = false
      try {
        await this.#finishAll()
      } catch (error) {
        process.stderr.write(`${this.#work.name} stopped: ${messageOf(error)}\n`)
      }
    }
    // No await between the last check and this line, so a later request starts another run.
    this.#running = null
  }

  async #finishAll(): Promise<void> {
    const { next, step } = this.#work
    for (let item = await next(); item !== undefined && !this.#closed; item = await next()) {
      const current = item
      const again = (): Promise<boolean | undefined> =>
        untilStored(
          () => step(current),
          () => this.#closed
        )
      while (await again());
    }
  }
}

/** The data that a deleted record leaves behind, deleted step by step. */
export interface PurgeWork {
  /** The failed work, as the beginning of a sentence. */
  name: string
  /** The kinds of records that were deleted. */
  entities: readonly ChangedEntity[]
  /** The first deleted record of which something is left. */
  next: () => Promise<{ id: number } | undefined>
  /**
   * Deletes some of the rest.
   * @returns true if there may be more
   */
  purge: (record: { id: number }) => Promise<boolean>
}

/** Removes what deleted records leave behind, while others have their turn. */
export function purger(
  { name, entities, next, purge }: PurgeWork,
  writer: Pick<Writer, 'onChanges'>
): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name,
      next,
      step: (record) => leavingTime(() => purge(record)),
      isMadeBy: (change) => entities.includes(change.entity) && change.action === 'delete'
    },
    writer
  )
}

/**
 * The limit of the pause between steps, in milliseconds: a step's time may include waiting, and closing the
 * application waits for the pause.
 */
const maxPause = 500

/** Does a step that writes much, and then leaves the disk twice as long for what others write. */
export async function leavingTime<Result>(step: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await step()
  await pause(Math.min(maxPause, 2 * (performance.now() - began)))
  return result
}
