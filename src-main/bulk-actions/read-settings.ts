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
import type { CommandContext } from '../database/command.ts'

interface ReadSettings {
  settings: BulkActionSettings
  /** The other list or the suppression list that is written to. */
  targetId: number | null
}

/** What an action of a list is to do. @throws ApiError validation_failed, not_found */
export async function readSettings(
  context: CommandContext,
  list: MailingListRow,
  input: BulkActionInput
): Promise<ReadSettings> {
  switch (input.kind) {
    case 'set_status':
      if (!input.status) throw validationFailed('status cannot be blank')
      return {
        settings: { kind: input.kind, status: input.status, revives: input.revives },
        targetId: null
      }
    case 'set_field':
      return { settings: await readFieldSettings(context, list, input), targetId: null }
    case 'copy':
    case 'move': {
      const id = input.mailing_list_id
      if (id === undefined) throw validationFailed('mailing_list_id cannot be blank')
      if (id === list.id)
        throw validationFailed('mailing_list_id must be a different list from the one they are on')
      const target = await localListById(context.db, list.organization_id, id, 'subscribers')
      return { settings: { kind: input.kind, name: target.name }, targetId: id }
    }
    case 'suppress': {
      const id = input.suppression_list_id
      if (id === undefined) throw validationFailed('suppression_list_id cannot be blank')
      const { name, mailing_list_id: ofList } = await suppressionListById(
        context.db,
        list.organization_id,
        id
      )
      if (ofList !== null && ofList !== list.id) {
        throw validationFailed(`the suppression list ${name} is for another mailing list`)
      }
      return { settings: { kind: input.kind, name }, targetId: id }
    }
    case 'correct_domains':
      return { settings: readCorrections(input), targetId: null }
    case 'delete':
      return { settings: { kind: input.kind }, targetId: null }
  }
}

/** Of the domains in what is told of an action. */
const maxNameLength = 200

function readCorrections({ domains: given = {} }: BulkActionInput): BulkActionSettings {
  const domains = Object.fromEntries(
    Object.entries(given).map(([written, right]) => [domainKey(written), right.trim().toLowerCase()])
  )
  const all = Object.entries(domains)
  if (all.length === 0) throw validationFailed('domains must name at least one domain')
  if (all.length > maxCorrected) throw validationFailed(`domains must name at most ${maxCorrected} domains`)
  for (const [written, right] of all) {
    if (!isDomain(right)) throw validationFailed(`domains: "${right}" is not the name of a domain`)
    if (written === right) throw validationFailed(`domains: ${right} cannot be replaced by itself`)
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
/** Of a value in what is told of an action. */
const maxShownLength = 200

async function readFieldSettings(
  context: CommandContext,
  list: MailingListRow,
  { custom_field_id: id, mode, value: given }: BulkActionInput
): Promise<BulkActionSettings> {
  const fields = await fieldsOfList(context.db, list.organization_id, list.id)
  if (id === undefined) throw validationFailed('custom_field_id cannot be blank')
  const field = fields.find((each) => each.id === id)
  if (!field) throw validationFailed(`custom_field_id ${id} is no custom field of this list`)
  if (field.id === list.primary_key_custom_field_id) {
    throw validationFailed(
      `${field.name} is the primary key of this list: no two subscribers can have the same`
    )
  }
  if (mode !== 'set' && field.type !== 'select_multiple_checkboxes') {
    throw validationFailed(`mode must be set: ${field.name} can have only one value`)
  }
  const value = readRequiredValue(field, given, 'mdy')
  if (value instanceof ValueFault) throw validationFailed(`${field.name} ${value.complaint}`)
  if (typeof value === 'string' && value.length > maxValueLength) {
    throw validationFailed(
      `${field.name} must be at most ${maxValueLength} characters to be set for many subscribers at once`
    )
  }
  if (mode !== 'set' && value === null) throw validationFailed('value must name at least one option')
  return {
    kind: 'set_field',
    custom_field_id: field.id,
    name: field.name,
    mode,
    value,
    shown: value === null ? null : shownValue(field, value)
  }
}

/** A value as people read it, or its beginning. */
function shownValue(field: FieldDefinition, value: StoredValue): string {
  const shown = presentValue(field, value)
  const text = Array.isArray(shown) ? joinCheckboxes(field, shown.map(String)) : String(shown)
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}
