import { Faults } from '../../base/errors.ts'
import { type FieldDefinition, fieldNamed, readValues } from '../custom-fields/rules.ts'
import type { MailingListRow } from '../mailing-lists/queries.ts'
import { isImportColumn, plainMapping } from './rules.ts'
import type { ImportSettings, SubscriberImportInput } from './schema.ts'

/** The part of a request that says how rows are read and applied. */
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
 * Every column must be something that the list has, and no two the same (docs/api.md, "Subscriber imports").
 * @throws ApiError validation_failed naming each column that will not do
 */
export function checkMapping(
  settings: ImportSettings,
  list: MailingListRow,
  fields: FieldDefinition[]
): void {
  const faults = new Faults()
  const seen = new Set<string>()
  const mapping = plainMapping(settings.column_mapping, fields)
  for (const [index, name] of mapping.entries()) {
    if (!name) continue
    const key = name.trim().toLowerCase()
    if (seen.has(key)) faults.add(`column_mapping names ${name} twice (again in column ${index + 1})`)
    seen.add(key)
    if (isImportColumn(name)) {
      if (name === 'email_format' && list.has_format !== 1) {
        faults.add('column_mapping: email_format belongs to lists with has_format only')
      }
      if (name === 'confirmed' && list.has_confirmed !== 1) {
        faults.add('column_mapping: confirmed belongs to lists with has_confirmed only')
      }
    } else if (!fieldNamed(fields, name)) {
      faults.add(`column_mapping: ${name} is no custom field of this list`)
    }
  }
  if (!mapping.includes('email')) faults.add('column_mapping must contain email')
  const keyField = fields.find((field) => field.id === list.primary_key_custom_field_id)
  if (keyField && !seen.has(keyField.name.toLowerCase())) {
    faults.add(`column_mapping must contain ${keyField.name}, the primary key of this list`)
  }
  readValues(fields, settings.default_custom_fields, (fault) => faults.add(`default_custom_fields: ${fault}`))
  faults.throwIfAny()
}
