import type { Kysely } from 'kysely'
import type { CommandInput } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { StepLoop } from '../../jobs/step-loop.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    suppressionRequests: SuppressionRequests
  }
}

/** Carries out requests for many suppressed addresses, piece by piece; see api/suppression-lists/commands.ts. */
export class SuppressionRequests {
  readonly #writer: Writer
  readonly #awaited = new Set<number>()
  /** Processes requests of an earlier run, and those that could not be written. */
  readonly #loop: StepLoop<{ id: number }>
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#writer = writer
    this.#loop = new StepLoop(
      {
        name: 'Suppressing addresses',
        next: () =>
          reader
            .selectFrom('suppression_requests')
            .select('id')
            .where('id', 'not in', [...this.#awaited])
            .orderBy('id')
            .executeTakeFirst(),
        step: ({ id }) => writer.run('suppressionLists.continueSuppression', { id }),
        isMadeBy: () => false
      },
      writer
    )
  }

  resume(): void {
    this.#loop.wake()
  }

  /**
   * Suppresses addresses; from the moment it is taken on, all of them will be, whatever happens.
   * @throws StorageFault when the rest has to wait until the storage works again
   */
  async add(input: CommandInput<'suppressionLists.startSuppression'>): Promise<void> {
    const id = await this.#writer.run('suppressionLists.startSuppression', input)
    this.#awaited.add(id)
    try {
      while (!this.#closed && (await this.#writer.run('suppressionLists.continueSuppression', { id })));
    } finally {
      this.#awaited.delete(id)
      this.#loop.wake()
    }
  }

  /** Unfinished requests continue at the next start. */
  close(): Promise<void> {
    this.#closed = true
    return this.#loop.close()
  }
}
