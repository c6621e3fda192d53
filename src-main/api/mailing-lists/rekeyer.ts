import type { Kysely } from 'kysely'
import type { CommandInput } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { ApiError, messageOf, validationFailed } from '../../base/errors.ts'
import { type Complaint, refusal, refusalAt } from '../../base/refusal.ts'
import { keyField } from './rules.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    rekeyer: ListRekeyer
  }
}

/** Changes the primary keys of lists step by step; see api/mailing-lists/rekey-commands.ts. */
export class ListRekeyer {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  readonly #working = new Set<Promise<unknown>>()
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  async resume(): Promise<void> {
    const rekeys = await this.#reader
      .selectFrom('list_rekeys')
      .innerJoin('mailing_lists', 'mailing_lists.id', 'list_rekeys.mailing_list_id')
      .select(['list_rekeys.mailing_list_id as id', 'mailing_lists.organization_id as organizationId'])
      .execute()
    for (const { id, organizationId } of rekeys) {
      await this.#writer.run('rekeys.abandon', { id })
      this.#track(this.#carryOut(organizationId, id)).catch((error: unknown) =>
        process.stderr.write(`The primary key of mailing list ${id} was not changed: ${messageOf(error)}\n`)
      )
    }
  }

  /**
   * Makes a custom field, or with null the email, the primary key of a list.
   * @throws ApiError validation_failed naming the values that collide; the list keeps its key
   */
  async rekey(input: CommandInput<'rekeys.begin'>): Promise<void> {
    const began = await this.#writer.run('rekeys.begin', input)
    if (began) await this.#track(this.#carryOut(input.organizationId, input.id))
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#working)
  }

  async #carryOut(organizationId: number, id: number): Promise<void> {
    let refused: Complaint | null = null
    for (let more = true; more;) {
      const progress = await this.#writer.run('rekeys.continue', { organizationId, id })
      // A refused change leaves the keys that were collected, which are removed.
      if (!progress.more && progress.refusal !== null) refused = progress.refusal
      else more = progress.more
      if (more && this.#closed) throw new ApiError('internal_error', refusal('closing_while_rekeying'))
    }
    if (refused !== null) throw validationFailed(refusalAt(keyField, refused))
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#working.add(work)
    const forget = (): void => void this.#working.delete(work)
    work.then(forget, forget)
    return work
  }
}
