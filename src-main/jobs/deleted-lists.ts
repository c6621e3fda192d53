import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { untilStored } from './until-stored.ts'

/** Removes the subscribers of deleted lists bit by bit, while everything else goes on. */
export class DeletedListPurger {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  #working: Promise<void> | null = null
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  /** To be called at the start and whenever a list was deleted. */
  wake(): void {
    this.#working ??= this.#purge().finally(() => (this.#working = null))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#working
  }

  async #purge(): Promise<void> {
    for (let list = await this.#next(); list && !this.#closed; list = await this.#next()) {
      let more = true
      while (more) {
        const began = performance.now()
        const mailingListId = list.id
        more =
          (await untilStored(
            () => this.#writer.run('purgeDeletedList', { mailingListId }),
            () => this.#closed
          )) ?? false
        // Nobody waits for this: the disk gets as long to take what was written as the writing took.
        await pause(2 * (performance.now() - began))
      }
    }
  }

  #next(): Promise<{ id: number } | undefined> {
    return this.#reader
      .selectFrom('mailing_lists')
      .select('id')
      .where('deleted_at', 'is not', null)
      .where('purged_at', 'is', null)
      .orderBy('id')
      .executeTakeFirst()
  }
}
