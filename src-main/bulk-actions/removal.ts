import { recordAbsent, restoreAbsent } from '../api/bulk-actions/absent-commands.ts'
import type { BulkActionRow } from '../api/bulk-actions/queries.ts'
import { declinedStatuses } from '../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { type FieldDefinition, meaningfulValues, type StoredValues } from '../api/custom-fields/rules.ts'
import { mailingListById, type MailingListRow } from '../api/mailing-lists/queries.ts'
import { roomFor } from '../api/subscriber-counts/queries.ts'
import { SubscriberTally } from '../api/subscriber-counts/tally.ts'
import type { RemovedSubscriber } from '../api/subscribers/history.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { recordSubscribers } from '../api/subscribers/record-changes.ts'
import { alternateKeyOf } from '../api/subscribers/rules.ts'
import type { CommandContext } from '../database/command.ts'
import { Reactions } from '../api/autoresponders/waiting-reactions.ts'
import { inserterOf } from './subscribers.ts'
import type { Kept } from './work.ts'

export function idOfRemoved([{ id }]: RemovedSubscriber): number {
  return id
}

type ActedOn = Pick<BulkActionRow, 'organization_id' | 'mailing_list_id'>

/** Removes subscribers of the list of an action, and puts them back. */
export class Removal {
  readonly #context: CommandContext
  readonly #action: ActedOn
  readonly #list: MailingListRow
  readonly #fields: readonly FieldDefinition[]
  readonly #tally: SubscriberTally
  readonly #reactions: Reactions
  /**
   * Number of further subscribers that the limit allows; null = not read yet. Read once, since restored
   * subscribers are counted only at the end of the command.
   */
  #room: number | null = null

  private constructor(
    context: CommandContext,
    action: ActedOn,
    list: MailingListRow,
    fields: readonly FieldDefinition[]
  ) {
    this.#context = context
    this.#action = action
    this.#list = list
    this.#fields = fields
    this.#tally = new SubscriberTally(list.id)
    this.#reactions = new Reactions(context)
  }

  static async of(context: CommandContext, action: ActedOn): Promise<Removal> {
    const { organization_id, mailing_list_id } = action
    const list = await mailingListById(context.db, organization_id, mailing_list_id)
    return new Removal(context, action, list, await fieldsOfList(context.db, organization_id, list.id))
  }

  async remove(rows: readonly SubscriberRow[]): Promise<RemovedSubscriber[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const waiting = await this.#reactions.take(ids)
    await this.#context.db.deleteFrom('subscribers').where('id', 'in', ids).execute()
    for (const { id, status } of rows) this.#tally.removed(id, status)
    recordSubscribers(this.#context, this.#action, 'delete', ids)
    return rows.map((row) => [row, waiting.get(row.id) ?? []])
  }

  /**
   * Returns a subscriber as it was on the list, without values that no longer exist.
   * @returns null if the list has another primary key by now and the subscriber has no value for it
   */
  asItWas(row: SubscriberRow): SubscriberRow | null {
    const values = meaningfulValues(this.#fields, JSON.parse(row.custom_fields) as StoredValues)
    const keyField = this.#fields.find(({ id }) => id === this.#list.primary_key_custom_field_id)
    const key = keyField ? alternateKeyOf(keyField, values) : null
    return key === undefined ? null : { ...row, alternate_key: key, custom_fields: JSON.stringify(values) }
  }

  /**
   * Restores deleted subscribers under their ids unless their key was taken. One who unsubscribed meanwhile
   * is restored as unsubscribed.
   */
  async putBack(removed: readonly RemovedSubscriber[]): Promise<{ restored: number; kept: Kept[] }> {
    const insert = inserterOf(this.#context)
    const absent = await restoreAbsent(
      this.#context,
      removed.map(([{ id }]) => id)
    )
    this.#room ??= await roomFor(this.#context.db, this.#action.organization_id)
    const restored: number[] = []
    const kept: Kept[] = []
    for (const [row, reactions] of removed) {
      const keep = (reason: Kept['reason']): number => kept.push({ id: row.id, email: row.email, reason })
      const former = this.asItWas(row)
      const meanwhile = absent.get(row.id)
      const back = former && meanwhile ? asOf(former, meanwhile) : former
      if (!back) keep('key_changed')
      else if (this.#room <= 0) keep('limit')
      else if (!insert(back)) keep('key_taken')
      else {
        restored.push(row.id)
        this.#room--
        this.#tally.added(row.id, back.status)
        await this.#reactions.queueAgain(reactions)
      }
    }
    const left = new Set(kept.map(({ id }) => id))
    await recordAbsent(
      this.#context,
      [...absent].filter(([id]) => left.has(id)).map(([id, { status }]) => ({ id, status }))
    )
    recordSubscribers(this.#context, this.#action, 'create', restored)
    return { restored: restored.length, kept }
  }

  finish(): Promise<void> {
    return this.#tally.save(this.#context)
  }
}

/** A subscriber who unsubscribed while on no list keeps that status. */
function asOf(
  row: SubscriberRow,
  { status, at }: { status: SubscriberRow['status']; at: number }
): SubscriberRow {
  if (!declinedStatuses.includes(status) || status === row.status) return row
  return { ...row, status, ...(status === 'unsubscribed' && { remove_time: at }) }
}
