import type { Kysely } from 'kysely'
import { nextUndo } from '../api/subscriber-imports/undo-queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { untilStored } from './until-stored.ts'

/** Undoes imports bit by bit, while everything else goes on. */
export class ImportUndoer {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  #working: Promise<void> | null = null
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  /** To be called at the start and whenever an undoing was begun. */
  wake(): void {
    this.#working ??= this.#undo().finally(() => (this.#working = null))
  }

  /** Stops after the step that is under way; the undoing goes on when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
  }

  async #undo(): Promise<void> {
    for (
      let next = await nextUndo(this.#reader);
      next && !this.#closed;
      next = await nextUndo(this.#reader)
    ) {
      let more = true
      const { id } = next
      while (more) {
        more =
          (await untilStored(
            () => this.#writer.run('continueImportUndo', { id }),
            () => this.#closed
          )) ?? false
      }
    }
  }
}
