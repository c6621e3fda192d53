import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import { matchingFields } from '../../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import {
  type FieldDefinition,
  hasOptions,
  joinCheckboxes,
  missingFields,
  presentValue,
  readValue,
  type StoredValue,
  type StoredValues,
  ValueFault
} from '../../api/custom-fields/rules.ts'
import { localListById, type MailingListRow } from '../../api/mailing-lists/queries.ts'
import { roomFor } from '../../api/subscriber-counts/queries.ts'
import { SubscriberTally } from '../../api/subscriber-counts/tally.ts'
import { nextSubscriberId, useSubscriberIds } from '../../api/subscribers/ids.ts'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import { subscriberKeys } from '../../api/subscribers/rules.ts'
import type { CommandContext } from '../../database/command.ts'
import { Removal, type Removed } from '../removal.ts'
import { inserterOf, subscribersWithIds, untouchedSince } from '../subscribers.ts'
import type { BulkWork, Kept } from '../work.ts'

/** The copy of a subscriber; with who was removed from the list where it was moved. */
type CopyNote = [copyId: number, removed?: Removed]

type NewSubscriber = Omit<SubscriberRow, 'id'>

/**
 * Copies subscribers to another list with their values, or moves them there. Whoever that list has already is left on both as they are.
 * @throws ApiError not_found when the other list was deleted
 */
export async function copying(
  context: CommandContext,
  action: BulkActionRow,
  kind: 'copy' | 'move'
): Promise<BulkWork> {
  const { organization_id, mailing_list_id } = action
  const { db } = context
  const target = await localListById(db, organization_id, action.target_id ?? 0, 'subscribers')
  const place = { organization_id, mailing_list_id: target.id }
  const copy = copierTo(
    target,
    await fieldsOfList(db, organization_id, mailing_list_id),
    await fieldsOfList(db, organization_id, target.id),
    context.now
  )
  const tally = new SubscriberTally(target.id)
  const removal = new Removal(context, action)
  const firstId = await nextSubscriberId(context)
  let nextId = firstId
  let room = kind === 'move' ? Infinity : await roomFor(db, organization_id)

  const insert = inserterOf(context)

  async function removeCopies(ids: readonly number[], writtenAt: number) {
    const { rows, kept } = await untouchedSince(context, target.id, ids, writtenAt)
    const removed = rows.map(({ id }) => id)
    if (rows.length > 0) await db.deleteFrom('subscribers').where('id', 'in', removed).execute()
    for (const { id, status } of rows) tally.removed(id, status)
    recordSubscribers(context, place, 'delete', removed)
    return { removed: new Set(removed), kept }
  }

  return {
    async apply(ids) {
      const kept: Kept[] = []
      const copied: [row: SubscriberRow, copyId: number][] = []
      for (const row of await subscribersWithIds(context, mailing_list_id, ids)) {
        const keep = (reason: Kept['reason'], detail?: string): void => {
          kept.push({ id: row.id, email: row.email, reason, ...(detail !== undefined && { detail }) })
        }
        const subscriber = copy(row)
        if (typeof subscriber === 'string') keep('does_not_fit', subscriber)
        else if (room <= 0) keep('limit')
        else if (!insert({ id: nextId, ...subscriber })) keep('there_already')
        else {
          tally.added(nextId, row.status)
          copied.push([row, nextId++])
          room--
        }
      }
      recordSubscribers(
        context,
        place,
        'create',
        copied.map(([, id]) => id)
      )
      if (kind === 'copy') return { notes: copied.map(([, id]): CopyNote => [id]), same: 0, kept }
      const removed = await removal.remove(copied.map(([row]) => row))
      return { notes: copied.map(([, id], index) => [id, removed[index]]), same: 0, kept }
    },

    async takeBack(notes, writtenAt) {
      const copies = notes as unknown as CopyNote[]
      const { removed, kept } = await removeCopies(
        copies.map(([id]) => id),
        writtenAt
      )
      if (kind === 'copy') return { restored: removed.size, kept }
      const back = await removal.putBack(
        copies.flatMap(([id, original]) => (original && removed.has(id) ? [original] : []))
      )
      return { restored: back.restored, kept: [...kept, ...back.kept] }
    },

    async finish() {
      if (nextId > firstId) await useSubscriberIds(context, nextId)
      await tally.save(context)
      await removal.finish()
    }
  }
}

/** Makes of a subscriber the one that another list would get, or says why it does not fit. */
function copierTo(
  target: MailingListRow,
  sourceFields: FieldDefinition[],
  targetFields: FieldDefinition[],
  now: number
): (row: SubscriberRow) => NewSubscriber | string {
  const matches = matchingFields(sourceFields, targetFields)
  const keyField = targetFields.find(({ id }) => id === target.primary_key_custom_field_id)
  return (row) => {
    const before = JSON.parse(row.custom_fields) as StoredValues
    const values: StoredValues = {}
    for (const [from, to] of matches) {
      const stored = before[from.id]
      if (stored === undefined) continue
      const value = from.id === to.id ? stored : converted(stored, from, to)
      if (value instanceof ValueFault) return `${to.name} ${value.complaint}`
      if (value !== null) values[to.id] = value
    }
    const [missing] = missingFields(targetFields, values)
    if (missing !== undefined) return missing
    const { emailKey, alternateKey } = subscriberKeys(keyField, row.email, values)
    if (alternateKey === undefined) return `${keyField?.name} cannot be blank`
    const { id: _, ...rest } = row
    return {
      ...rest,
      mailing_list_id: target.id,
      email_key: emailKey,
      alternate_key: alternateKey,
      confirmed: target.has_confirmed === 1 ? row.confirmed : null,
      email_format: target.has_format === 1 ? row.email_format : null,
      custom_fields: JSON.stringify(values),
      created_at: now,
      updated_at: now
    }
  }
}

/** A value of one field as one of another: options by their names. */
function converted(
  stored: StoredValue,
  from: FieldDefinition,
  to: FieldDefinition
): StoredValue | null | ValueFault {
  const shown = presentValue(from, stored)
  const isCell = Array.isArray(shown) && !hasOptions(to.type)
  return readValue(to, isCell ? joinCheckboxes(shown.map(String)) : shown, 'mdy')
}
