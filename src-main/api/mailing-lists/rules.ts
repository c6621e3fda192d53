import { Faults } from '../../errors.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { MailingListRow } from './queries.ts'
import type { MailingListChanges, MailingListInput } from './schema.ts'

/** The name that selects the system's own route (spec, "Mailing list"). */
export const systemDefaultRoute = 'System Default Route'

/** How long a delete confirmation code holds, in milliseconds (spec, "Limits"). */
export const confirmationLifetime = 2 * 60 * 1000

/**
 * A percentage as the text with which it is kept (spec, "Conventions").
 * @returns null when it is no percentage with at most two decimals
 */
export function readPercentage(input: string | number): string | null {
  const text = String(input).trim()
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text)) return null
  return Number(text) <= 100 ? text : null
}

/** The columns that requests set; the primary key is not among them, because changing it takes more than a write. */
type Settings = Omit<
  MailingListRow,
  'id' | 'organization_id' | 'created_at' | 'deleted_at' | 'purged_at' | 'primary_key_custom_field_id'
>

/**
 * The attributes of a list after a request, checked.
 * @param before the list's attributes so far; on create, the defaults
 * @throws ApiError validation_failed naming each faulty field
 */
export function mergeAttributes(before: Settings, changes: MailingListChanges | MailingListInput): Settings {
  const faults = new Faults()
  refuseUnknownReferences(changes, faults)
  const after: Settings = {
    ...before,
    name: changes.name?.trim() ?? before.name,
    d_from_email: given(changes.d_from_email, before.d_from_email),
    d_from_name: given(changes.d_from_name, before.d_from_name),
    d_reply_to: given(changes.d_reply_to, before.d_reply_to),
    d_sender_email: given(changes.d_sender_email, before.d_sender_email),
    d_speed: changes.d_speed ?? before.d_speed,
    d_autowinner_enabled: flag(changes.d_autowinner_enabled, before.d_autowinner_enabled),
    d_autowinner_percentage: percentage(changes, before, faults),
    d_autowinner_delay_amount: given(changes.d_autowinner_delay_amount, before.d_autowinner_delay_amount),
    d_autowinner_delay_unit: given(changes.d_autowinner_delay_unit, before.d_autowinner_delay_unit),
    d_autowinner_metric: given(changes.d_autowinner_metric, before.d_autowinner_metric),
    has_format: flag(changes.has_format, before.has_format),
    has_confirmed: flag(changes.has_confirmed, before.has_confirmed),
    custom_headers_enabled: flag(changes.custom_headers_enabled, before.custom_headers_enabled),
    custom_headers: changes.custom_headers ?? before.custom_headers
  }
  for (const key of ['d_from_email', 'd_reply_to', 'd_sender_email'] as const) {
    const address = after[key]
    if (address && !isEmail(address)) faults.add(`${key} ${emailComplaint(address)}`)
  }
  requireAutowinnerGroup(after, faults)
  if (after.custom_headers_enabled && after.custom_headers.trim() === '') {
    faults.add('custom_headers cannot be blank when custom_headers_enabled is true')
  }
  faults.throwIfAny()
  return after
}

function given<Value>(change: Value | undefined, before: Value): Value {
  return change === undefined ? before : change
}

function flag(change: boolean | undefined, before: number): number {
  return change === undefined ? before : Number(change)
}

function percentage(changes: MailingListChanges, before: Settings, faults: Faults): string | null {
  const input = changes.d_autowinner_percentage
  if (input === undefined || input === null) return given(input, before.d_autowinner_percentage)
  const text = readPercentage(input)
  if (text === null) {
    faults.add('d_autowinner_percentage must be between 0 and 100 with at most two decimals, such as "94.85"')
  }
  return text
}

function requireAutowinnerGroup(after: Settings, faults: Faults): void {
  if (!after.d_autowinner_enabled) return
  const group = [
    'd_autowinner_percentage',
    'd_autowinner_delay_amount',
    'd_autowinner_delay_unit',
    'd_autowinner_metric'
  ] as const
  for (const key of group) {
    if (after[key] === null) faults.add(`${key} cannot be blank when d_autowinner_enabled is true`)
  }
}

/** Names of things that this installation does not have; each is refused by its name. */
function refuseUnknownReferences(changes: MailingListChanges | MailingListInput, faults: Faults): void {
  if (changes.d_virtual_mta && changes.d_virtual_mta !== systemDefaultRoute) {
    faults.add(`d_virtual_mta "${changes.d_virtual_mta}" does not exist`)
  }
  if (changes.d_url_domain) faults.add(`d_url_domain "${changes.d_url_domain}" does not exist`)
  if (changes.d_bounce_email) faults.add(`d_bounce_email "${changes.d_bounce_email}" does not exist`)
  const { d_seed_list_ids: ids = [], d_seed_list_names: names = [] } = changes
  if (ids.length > 0 && names.length > 0) {
    faults.add('d_seed_list_ids and d_seed_list_names must not be given together')
  }
  for (const id of ids) faults.add(`d_seed_list_ids: seed list ${id} does not exist`)
  for (const name of names) faults.add(`d_seed_list_names: seed list "${name}" does not exist`)
  if ('is_remote_list' in changes && changes.is_remote_list) {
    const { database_connection_id: id, database_connection_name: name } = changes
    if ((id === undefined) === (name === undefined)) {
      faults.add(
        'database_connection_id or database_connection_name must be given for a remote list, not both'
      )
    } else {
      faults.add(
        id === undefined
          ? `database_connection_name "${name}" does not exist`
          : `database_connection_id ${id} does not exist`
      )
    }
  }
}
