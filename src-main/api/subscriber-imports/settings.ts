import { Faults } from '../../base/errors.ts'
import { englishOf, refusal } from '../../base/refusal.ts'
import { type FieldDefinition, fieldNamed, readValues } from '../custom-fields/rules.ts'
import type { MailingListRow } from '../mailing-lists/queries.ts'
import { isImportColumn, plainMapping } from './rules.ts'
import type { ImportSettings, SubscriberImportInput } from './schema.ts'

/** Returns the part of a request that an import needs for its rows. */
export function settingsOf(input: Omit<SubscriberImportInput, 'file_source'>): ImportSettings {
  return {
    overwrite: input.overwrite,
    overwrite_what: input.overwrite_what,
    overwrite_when_status: input.overwrite_when_status,
    column_mapping: input.column_mapping,
    default_custom_fields: input.default_custom_fields,
    subscriber_defaults: input.subscriber_defaults,
    file_format: input.file_format
  }
}

/**
 * Checks that each column exists on the list and none is repeated (docs/api.md, "Subscriber imports").
 * @throws ApiError validation_failed naming each faulty column
 */
export function checkMapping(
  settings: ImportSettings,
  list: MailingListRow,
  fields: readonly FieldDefinition[]
): void {
  const faults = new Faults()
  const seen = new Set<string>()
  const mapping = plainMapping(settings.column_mapping, fields)
  const field = 'column_mapping'
  for (const [index, name] of mapping.entries()) {
    if (!name) continue
    const key = name.trim().toLowerCase()
    if (seen.has(key)) {
      faults.add(refusal('mapped_twice', { field, name, column: index + 1 }))
    }
    seen.add(key)
    if (isImportColumn(name)) {
      if (name === 'email_format' && list.has_format !== 1) {
        faults.add(refusal('email_format_of_other_list', { field }))
      }
      if (name === 'confirmed' && list.has_confirmed !== 1) {
        faults.add(refusal('confirmed_of_other_list', { field }))
      }
    } else if (!fieldNamed(fields, name)) {
      faults.add(refusal('no_custom_field_of_list', { field, name }))
    }
  }
  if (!mapping.includes('email')) faults.add(refusal('mapping_without_email', { field }))
  const keyField = fields.find((field) => field.id === list.primary_key_custom_field_id)
  if (keyField && !seen.has(keyField.name.toLowerCase())) {
    faults.add(refusal('mapping_without_key', { field, name: keyField.name }))
  }
  readValues(fields, settings.default_custom_fields, (fault) =>
    faults.add(
      refusal('in_default_custom_fields', { field: 'default_custom_fields', fault: englishOf(fault) })
    )
  )
  faults.throwIfAny()
}
