import {
  type FieldDefinition,
  fieldNamed,
  hasOptions,
  joinCheckboxes,
  presentValue,
  type StoredValue
} from '../api/custom-fields/rules.ts'
import { ValueScanner } from '../api/custom-fields/scan-values.ts'
import { type ImportColumn, isImportColumn } from '../api/subscriber-imports/rules.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'

/** The columns of `subscribers` that cells are made of. */
export type ExportedRow = Pick<SubscriberRow, 'custom_fields' | ImportColumn>

/** Returns what makes the cells of a subscriber for these columns, in the form that an import reads. */
export function cellWriter(
  columns: readonly string[],
  fields: readonly FieldDefinition[],
  timeZone: string
): (row: ExportedRow) => string[] {
  const scanner = new ValueScanner(fields.map(({ id }) => id))
  const cells = columns.map((name): ((row: ExportedRow, values: readonly (string | null)[]) => string) => {
    if (isImportColumn(name)) return (row) => attributeCell(row, name, timeZone)
    const field = fieldNamed(fields, name)
    // The field was deleted, so it has no values any more.
    if (!field) return () => ''
    const index = fields.indexOf(field)
    return (_row, values) => valueCell(field, values[index] ?? null)
  })
  return (row) => {
    const values = scanner.scan(row.custom_fields)
    return cells.map((cell) => cell(row, values))
  }
}

function attributeCell(row: ExportedRow, name: ImportColumn, timeZone: string): string {
  switch (name) {
    case 'email':
    case 'status':
      return row[name]
    case 'email_format':
      return row.email_format === 'plaintext' ? 'text' : (row.email_format ?? '')
    case 'confirmed':
      return row.confirmed === null ? '' : String(row.confirmed === 1)
    case 'subscribe_time':
      return formatTime(row.subscribe_time, timeZone)
    case 'remove_time':
      return formatOptionalTime(row.remove_time, timeZone) ?? ''
    case 'subscribe_ip':
    case 'remove_ip':
      return row[name] ?? ''
  }
}

/** @param stored the value as JSON; null for none */
function valueCell(field: FieldDefinition, stored: string | null): string {
  if (stored === null) return ''
  const isPlainText = stored.startsWith('"') && !stored.includes('\\') && !hasOptions(field.type)
  if (isPlainText) return stored.slice(1, -1)
  const value = presentValue(field, JSON.parse(stored) as StoredValue)
  if (value === null) return ''
  if (Array.isArray(value)) return joinCheckboxes(field, value as string[])
  return typeof value === 'string' ? value : JSON.stringify(value)
}
