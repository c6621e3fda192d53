import type { Selectable } from 'kysely'
import type { CommandContext } from '../../database/command.ts'
import type { AutoresponderReactionsTable } from './tables.ts'

/** A queued autoresponder message. */
export type Reaction = Omit<Selectable<AutoresponderReactionsTable>, 'id'>

/** The queued messages of subscribers who leave a list and may be restored. */
export class Reactions {
  readonly #context: CommandContext

  constructor(context: CommandContext) {
    this.#context = context
  }

  async take(subscriberIds: readonly number[]): Promise<Map<number, Reaction[]>> {
    if (subscriberIds.length === 0) return new Map()
    const taken = await this.#context.db
      .deleteFrom('autoresponder_reactions')
      .where('subscriber_id', 'in', [...subscriberIds])
      .returning([
        'autoresponder_id',
        'subscriber_id',
        'due_at',
        'content_replacement_fields',
        'is_held',
        'created_at'
      ])
      .execute()
    return Map.groupBy(taken, (reaction) => reaction.subscriber_id)
  }

  /** Queues reactions again, unless their autoresponder was deleted. */
  async queueAgain(reactions: readonly Reaction[]): Promise<void> {
    if (reactions.length === 0) return
    const { db } = this.#context
    const there = await db
      .selectFrom('autoresponders')
      .select('id')
      .where(
        'id',
        'in',
        reactions.map((reaction) => reaction.autoresponder_id)
      )
      .execute()
    const ids = new Set(there.map(({ id }) => id))
    const queued = reactions.filter((reaction) => ids.has(reaction.autoresponder_id))
    if (queued.length > 0) await db.insertInto('autoresponder_reactions').values(queued).execute()
  }
}
