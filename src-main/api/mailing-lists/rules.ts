import type { Faults } from '../../base/errors.ts'
import { mergeSettings, type SettingRule } from '../../base/merge-settings.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import type { FieldDefinition } from '../custom-fields/rules.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { MailingListRow } from './queries.ts'
import type { MailingListChanges, MailingListInput } from './schema.ts'
import { customHeaderComplaints } from '../campaigns/rules.ts'

/** Validity of a delete confirmation code, in milliseconds (docs/api.md, "Limits"). */
export const confirmationLifetime = 2 * 60 * 1000

/**
 * Normalizes a percentage to the stored text (docs/api.md, "Requests and answers").
 * @returns null unless it is a percentage with at most two decimals
 */
export function readPercentage(input: string | number): string | null {
  const text = String(input).trim()
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text)) return null
  return Number(text) <= 100 ? text : null
}

/** The settings that choosing a winner requires, after the prefix for lists or campaigns. */
export const winnerSettings = ['percentage', 'delay_amount', 'delay_unit', 'metric'] as const

type Attributes = Pick<
  MailingListRow,
  | 'name'
  | 'd_from_email'
  | 'd_from_name'
  | 'd_reply_to'
  | 'd_sender_email'
  | 'd_speed'
  | 'd_autowinner_enabled'
  | 'd_autowinner_percentage'
  | 'd_autowinner_delay_amount'
  | 'd_autowinner_delay_unit'
  | 'd_autowinner_metric'
  | 'has_format'
  | 'has_confirmed'
  | 'custom_headers_enabled'
  | 'custom_headers'
>

/** The attributes of a new list (docs/api.md, "Mailing lists"). */
export const defaultAttributes: Attributes = {
  name: '',
  d_from_email: null,
  d_from_name: null,
  d_reply_to: null,
  d_sender_email: null,
  d_speed: 0,
  d_autowinner_enabled: 0,
  d_autowinner_percentage: null,
  d_autowinner_delay_amount: null,
  d_autowinner_delay_unit: null,
  d_autowinner_metric: null,
  has_format: 0,
  has_confirmed: 0,
  custom_headers_enabled: 0,
  custom_headers: ''
}

const attributeRules: Record<Exclude<keyof Attributes, 'name' | 'd_autowinner_percentage'>, SettingRule> = {
  d_from_email: 'value',
  d_from_name: 'value',
  d_reply_to: 'value',
  d_sender_email: 'value',
  d_speed: 'required',
  d_autowinner_enabled: 'flag',
  d_autowinner_delay_amount: 'value',
  d_autowinner_delay_unit: 'value',
  d_autowinner_metric: 'value',
  has_format: 'flag',
  has_confirmed: 'flag',
  custom_headers_enabled: 'flag',
  custom_headers: 'required'
}

/**
 * Returns the validated attributes after a request.
 * @param before the stored attributes; on create, the defaults
 */
export function mergeAttributes(
  before: Attributes,
  changes: MailingListChanges | MailingListInput,
  faults: Faults
): Attributes {
  const after: Attributes = {
    ...mergeSettings(attributeRules, before, changes),
    name: changes.name?.trim() ?? before.name,
    d_autowinner_percentage: percentage(changes, before, faults)
  }
  for (const key of ['d_from_email', 'd_reply_to', 'd_sender_email'] as const) {
    const address = after[key]
    if (address && !isEmail(address)) faults.add(refusalAt(key, emailComplaint(address)))
  }
  requireAutowinnerGroup(after, faults)
  if (after.custom_headers_enabled && after.custom_headers.trim() === '') {
    faults.add(refusal('blank_when_true', { field: 'custom_headers', other: 'custom_headers_enabled' }))
  }
  if (changes.custom_headers !== undefined) {
    for (const fault of customHeaderComplaints(after.custom_headers)) {
      faults.add(refusalAt('custom_headers', fault))
    }
  }
  return after
}

function percentage(changes: MailingListChanges, before: Attributes, faults: Faults): string | null {
  const input = changes.d_autowinner_percentage
  if (input === undefined) return before.d_autowinner_percentage
  if (input === null) return null
  const text = readPercentage(input)
  if (text !== null) return text
  faults.add(refusal('percentage', { field: 'd_autowinner_percentage' }))
  return ''
}

function requireAutowinnerGroup(after: Attributes, faults: Faults): void {
  if (!after.d_autowinner_enabled) return
  for (const name of winnerSettings) {
    const key = `d_autowinner_${name}` as const
    if (after[key] === null) {
      faults.add(refusal('blank_when_true', { field: key, other: 'd_autowinner_enabled' }))
    }
  }
}

/** The attribute with a list's primary key. */
export const keyField = 'primary_key_custom_field_id'

/** A primary key must be a single-value custom field of the list. */
export function checkPrimaryKey(fields: readonly FieldDefinition[], fieldId: number, faults: Faults): void {
  const key = fields.find(({ id }) => id === fieldId)
  if (!key) {
    faults.add(refusal('no_field_of_list', { field: keyField, id: fieldId }))
  } else if (key.type === 'select_multiple_checkboxes') {
    faults.add(refusal('key_with_several_values', { field: keyField, name: key.name }))
  }
}
