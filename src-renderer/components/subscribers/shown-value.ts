import type { CustomField } from '../../api/custom-fields.ts'
import type { Subscriber } from '../../api/subscribers.ts'
import { formatDayOfYear, formatPlainDay } from '../../format.ts'

/** The value of a custom field as one line of text. */
export function shownValue(subscriber: Subscriber, field: CustomField): string {
  const value = subscriber.custom_fields[field.name]?.value
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'boolean') return value ? '✓' : '–'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  if (field.field_type === 'date') return formatPlainDay(value)
  return field.field_type === 'day_of_year' ? formatDayOfYear(value) : value
}
