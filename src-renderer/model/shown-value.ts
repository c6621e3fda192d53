import type { CustomField } from '../api/custom-fields.ts'
import type { Subscriber } from '../api/subscribers.ts'
import { formatDayOfYear, formatPlainDay } from '../format.ts'

/** The value that a subscriber has of a custom field, as one line of text; '' for none. */
export function shownValue(subscriber: Subscriber, field: CustomField): string {
  return shownAs(subscriber.custom_fields[field.name]?.value, field.field_type)
}

/** A value as one line of text; '' for none. */
export function shownAs(value: unknown, type?: CustomField['field_type']): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'boolean') return value ? '✓' : '–'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  if (type === 'date') return formatPlainDay(value)
  return type === 'day_of_year' ? formatDayOfYear(value) : value
}
