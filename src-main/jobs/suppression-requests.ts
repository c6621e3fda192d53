import type { Kysely } from 'kysely'
import type { CommandInput } from '../commands.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../errors.ts'

/** Carries out requests for many suppressed addresses, piece by piece; see api/suppression-lists/commands.ts. */
export class SuppressionRequests {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  /** Goes on with what an earlier run of the application left. */
  async resume(): Promise<void> {
    const left = await this.#reader.selectFrom('suppression_requests').select('id').orderBy('id').execute()
    for (const { id } of left) {
      this.#carryOut(id).catch((error: unknown) =>
        process.stderr.write(`Suppression request ${id} was not carried out: ${messageOf(error)}\n`)
      )
    }
  }

  /** Suppresses addresses; from the moment it is taken on, all of them will be, whatever happens. */
  async add(input: CommandInput<'beginSuppression'>): Promise<void> {
    await this.#carryOut(await this.#writer.run('beginSuppression', input))
  }

  /** What is not done yet is left to the next start. */
  close(): void {
    this.#closed = true
  }

  async #carryOut(id: number): Promise<void> {
    while (!this.#closed && (await this.#writer.run('continueSuppression', { id })));
  }
}
