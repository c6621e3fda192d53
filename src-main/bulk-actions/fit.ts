import { englishOf, refusal, refusalAt } from '../base/refusal.ts'
import type { BulkActionRow } from '../api/bulk-actions/queries.ts'
import { matchingFields } from '../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
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
} from '../api/custom-fields/rules.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { subscriberKeys } from '../api/subscribers/rules.ts'
import type { CommandContext } from '../database/command.ts'

/** A subscriber as it would be on another list, without its id. */
export type FittedSubscriber = Omit<SubscriberRow, 'id'>

/**
 * Returns a function that converts a subscriber to the target list's fields, or says why it does not fit.
 * @throws ApiError not_found if the list was deleted
 */
export async function fitterTo(
  { db }: CommandContext,
  { organization_id, mailing_list_id, target_id }: BulkActionRow
): Promise<(row: SubscriberRow) => FittedSubscriber | string> {
  const target = await localListById(db, organization_id, target_id ?? 0, 'subscribers')
  const sourceFields = await fieldsOfList(db, organization_id, mailing_list_id)
  const targetFields = await fieldsOfList(db, organization_id, target.id)
  const matches = matchingFields(sourceFields, targetFields)
  const keyField = targetFields.find(({ id }) => id === target.primary_key_custom_field_id)
  return (row) => {
    const before = JSON.parse(row.custom_fields) as StoredValues
    const values: StoredValues = {}
    for (const [from, to] of matches) {
      const stored = before[from.id]
      if (stored === undefined) continue
      const value = from.id === to.id ? stored : converted(stored, from, to)
      if (value instanceof ValueFault) return englishOf(refusalAt(to.name, value.complaint))
      if (value !== null) values[to.id] = value
    }
    const [missing] = missingFields(targetFields, values)
    if (missing !== undefined) return englishOf(missing)
    const { emailKey, alternateKey } = subscriberKeys(keyField, row.email, values)
    if (alternateKey === undefined) return englishOf(refusal('blank', { field: keyField?.name ?? '' }))
    const { id: _, ...rest } = row
    return {
      ...rest,
      mailing_list_id: target.id,
      email_key: emailKey,
      alternate_key: alternateKey,
      confirmed: target.has_confirmed === 1 ? row.confirmed : null,
      email_format: target.has_format === 1 ? row.email_format : null,
      custom_fields: JSON.stringify(values)
    }
  }
}

function converted(
  stored: StoredValue,
  from: FieldDefinition,
  to: FieldDefinition
): StoredValue | null | ValueFault {
  const shown = presentValue(from, stored)
  const isCell = Array.isArray(shown) && !hasOptions(to.type)
  return readValue(to, isCell ? joinCheckboxes(from, shown.map(String)) : shown, 'mdy')
}
