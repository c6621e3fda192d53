import { type BulkActionSettings, maxCorrected } from '../api/bulk-actions/rules.ts'
import type { BulkActionInput } from '../api/bulk-actions/schema.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import {
  type FieldDefinition,
  joinCheckboxes,
  presentValue,
  readRequiredValue,
  type StoredValue,
  ValueFault
} from '../api/custom-fields/rules.ts'
import { localListById, type MailingListRow } from '../api/mailing-lists/queries.ts'
import { domainKey, isDomain } from '../api/subscribers/rules.ts'
import { suppressionListById } from '../api/suppression-lists/queries.ts'
import { validationFailed } from '../base/errors.ts'
import { refusal, refusalAt } from '../base/refusal.ts'
import type { CommandContext } from '../database/command.ts'

interface ReadSettings {
  settings: BulkActionSettings
  /** The other list or the suppression list that is written to. */
  targetId: number | null
}

/**
 * Reads the settings of an action.
 * @throws ApiError validation_failed, not_found
 */
export async function readSettings(
  context: CommandContext,
  list: MailingListRow,
  input: BulkActionInput
): Promise<ReadSettings> {
  switch (input.kind) {
    case 'set_status':
      if (!input.status) throw validationFailed(refusal('blank', { field: 'status' }))
      return {
        settings: { kind: input.kind, status: input.status, revives: input.revives },
        targetId: null
      }
    case 'set_field':
      return { settings: await readFieldSettings(context, list, input), targetId: null }
    case 'copy':
    case 'move': {
      const id = input.mailing_list_id
      if (id === undefined) throw validationFailed(refusal('blank', { field: 'mailing_list_id' }))
      if (id === list.id) throw validationFailed(refusal('other_list', { field: 'mailing_list_id' }))
      const target = await localListById(context.db, list.organization_id, id, 'subscribers')
      return { settings: { kind: input.kind, name: target.name }, targetId: id }
    }
    case 'suppress': {
      const id = input.suppression_list_id
      if (id === undefined) throw validationFailed(refusal('blank', { field: 'suppression_list_id' }))
      const { name, mailing_list_id: ofList } = await suppressionListById(
        context.db,
        list.organization_id,
        id
      )
      if (ofList !== null && ofList !== list.id) {
        throw validationFailed(
          refusal('suppression_list_of_other_list', { field: 'suppression_list_id', name })
        )
      }
      return { settings: { kind: input.kind, name }, targetId: id }
    }
    case 'correct_domains':
      return { settings: readCorrections(input), targetId: null }
    case 'delete':
      return { settings: { kind: input.kind }, targetId: null }
  }
}

const maxNameLength = 200

function readCorrections({ domains: given = {} }: BulkActionInput): BulkActionSettings {
  const domains = Object.fromEntries(
    Object.entries(given).map(([written, right]) => [domainKey(written), right.trim().toLowerCase()])
  )
  const all = Object.entries(domains)
  if (all.length === 0) throw validationFailed(refusal('no_domains', { field: 'domains' }))
  if (all.length > maxCorrected) {
    throw validationFailed(refusal('too_many_domains', { field: 'domains', most: maxCorrected }))
  }
  for (const [written, right] of all) {
    if (!isDomain(right)) throw validationFailed(refusal('no_domain', { field: 'domains', domain: right }))
    if (written === right) {
      throw validationFailed(refusal('domain_by_itself', { field: 'domains', domain: right }))
    }
  }
  const name = all.map(([written, right]) => `${written} → ${right}`).join(', ')
  return {
    kind: 'correct_domains',
    domains,
    name: name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  }
}

/** A longer text, for each of many subscribers, is an accident. */
const maxValueLength = 10_000
const maxShownLength = 200

async function readFieldSettings(
  context: CommandContext,
  list: MailingListRow,
  { custom_field_id: id, mode, value: given }: BulkActionInput
): Promise<BulkActionSettings> {
  const fields = await fieldsOfList(context.db, list.organization_id, list.id)
  if (id === undefined) throw validationFailed(refusal('blank', { field: 'custom_field_id' }))
  const field = fields.find((each) => each.id === id)
  if (!field) throw validationFailed(refusal('no_field_of_list', { field: 'custom_field_id', id }))
  if (field.id === list.primary_key_custom_field_id) {
    throw validationFailed(refusal('same_primary_key', { field: field.name }))
  }
  if (mode !== 'set' && field.type !== 'select_multiple_checkboxes') {
    throw validationFailed(refusal('only_one_value', { field: 'mode', name: field.name }))
  }
  const value = readRequiredValue(field, given, 'mdy')
  if (value instanceof ValueFault) throw validationFailed(refusalAt(field.name, value.complaint))
  if (typeof value === 'string' && value.length > maxValueLength) {
    throw validationFailed(refusal('value_too_long_for_many', { field: field.name, most: maxValueLength }))
  }
  if (mode !== 'set' && value === null) throw validationFailed(refusal('no_option', { field: 'value' }))
  return {
    kind: 'set_field',
    custom_field_id: field.id,
    name: field.name,
    mode,
    value,
    shown: value === null ? null : shownValue(field, value)
  }
}

function shownValue(field: FieldDefinition, value: StoredValue): string {
  const shown = presentValue(field, value)
  const text = Array.isArray(shown) ? joinCheckboxes(field, shown.map(String)) : String(shown)
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}
