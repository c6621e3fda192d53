import {
  type FieldDefinition,
  fieldNamed,
  joinCheckboxes,
  presentValue,
  type StoredValues
} from '../api/custom-fields/rules.ts'
import { type ImportColumn, isImportColumn } from '../api/subscriber-imports/rules.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'

type Cell = (row: SubscriberRow, values: StoredValues) => string

/** Returns the functions that write the cells of each column, in the form that an import reads. */
export function cellsOf(
  columns: readonly string[],
  fields: readonly FieldDefinition[],
  timeZone: string
): Cell[] {
  return columns.map((name) => {
    if (isImportColumn(name)) return (row) => attributeCell(row, name, timeZone)
    const field = fieldNamed(fields, name)
    // The field was deleted, so it has no values any more.
    return field ? (_row, values) => valueCell(field, values) : () => ''
  })
}

function attributeCell(row: SubscriberRow, name: ImportColumn, timeZone: string): string {
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

function valueCell(field: FieldDefinition, values: StoredValues): string {
  const value = presentValue(field, values[field.id])
  if (value === null) return ''
  if (Array.isArray(value)) return joinCheckboxes(field, value as string[])
  return typeof value === 'string' ? value : JSON.stringify(value)
}
