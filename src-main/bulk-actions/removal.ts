import type { Insertable, Selectable } from 'kysely'
import type { AutoresponderReactionsTable } from '../api/autoresponders/tables.ts'
import type { BulkActionRow } from '../api/bulk-actions/queries.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { meaningfulValues, type StoredValues } from '../api/custom-fields/rules.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { recordSubscribers } from '../api/subscribers/record-changes.ts'
import { alternateKeyOf } from '../api/subscribers/rules.ts'
import type { CommandContext } from '../database/command.ts'
import { inserterOf } from './subscribers.ts'
import type { Kept } from './work.ts'

type Reaction = Omit<Selectable<AutoresponderReactionsTable>, 'id'>

/** A subscriber who was removed, with the messages of autoresponders that waited for it. */
export type Removed = [row: SubscriberRow, reactions: Reaction[]]

/** Removes subscribers of the list of an action, and puts them back. */
export class Removal {
  readonly #context: CommandContext
  readonly #action: BulkActionRow
  readonly #tally: SubscriberTally

  constructor(context: CommandContext, action: BulkActionRow) {
    this.#context = context
    this.#action = action
    this.#tally = new SubscriberTally(action.mailing_list_id)
  }

  /** @returns what putting them back needs */
  async remove(rows: readonly SubscriberRow[]): Promise<Removed[]> {
    if (rows.length === 0) return []
    const { db } = this.#context
    const ids = rows.map(({ id }) => id)
    const reactions = await db
      .selectFrom('autoresponder_reactions')
      .select(['autoresponder_id', 'subscriber_id', 'due_at', 'content_replacement_fields', 'created_at'])
      .where('subscriber_id', 'in', ids)
      .orderBy('id')
      .execute()
    await db.deleteFrom('subscribers').where('id', 'in', ids).execute()
    for (const { id, status } of rows) this.#tally.removed(id, status)
    recordSubscribers(this.#context, this.#action, 'delete', ids)
    const waiting = Map.groupBy(reactions, (reaction) => reaction.subscriber_id)
    return rows.map((row) => [row, waiting.get(row.id) ?? []])
  }

  /** Puts back whom nobody has taken the place of, under the ids that they had. */
  async putBack(removed: readonly Removed[]): Promise<{ restored: number; kept: Kept[] }> {
    const { db } = this.#context
    const { organization_id, mailing_list_id } = this.#action
    const fields = await fieldsOfList(db, organization_id, mailing_list_id)
    const list = await mailingListById(db, organization_id, mailing_list_id)
    const keyField = fields.find(({ id }) => id === list.primary_key_custom_field_id)
    const insert = inserterOf(this.#context)
    const restored: number[] = []
    const kept: Kept[] = []
    for (const [row, reactions] of removed) {
      const values = meaningfulValues(fields, JSON.parse(row.custom_fields) as StoredValues)
      const key = keyField ? alternateKeyOf(keyField, values) : null
      const added =
        key !== undefined &&
        insert({
          ...row,
          alternate_key: key,
          custom_fields: JSON.stringify(values)
        })
      if (!added) {
        kept.push({ id: row.id, email: row.email, reason: 'key_taken' })
        continue
      }
      restored.push(row.id)
      this.#tally.added(row.id, row.status)
      await this.#queueAgain(reactions)
    }
    recordSubscribers(this.#context, this.#action, 'create', restored)
    return { restored: restored.length, kept }
  }

  finish(): Promise<void> {
    return this.#tally.save(this.#context)
  }

  /** Of autoresponders that are still there. */
  async #queueAgain(reactions: Insertable<AutoresponderReactionsTable>[]): Promise<void> {
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
