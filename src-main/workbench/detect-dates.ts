import type { CustomFieldType } from '../api/custom-fields/schema.ts'
import { type DateOrder, parseDate, parseMonthDay } from '../base/dates.ts'

/** Whether the dates of a column say which comes first, the month or the day; `unclear` where all can be read either way. */
export type ColumnDateOrder = DateOrder | 'unclear'

/** Dates, and days of a year, whose first two numbers are a day and a month in some order. */
const numericDate = /^\d{1,2}[-/]\d{1,2}(?:$|[-/]\d{4})/

/**
 * Which order the dates of a column are in: the one in which more of them can be read, so that one mistyped date does not
 * turn all others around.
 * @returns null for a column without dates that have an order
 */
export function dateOrderOf(values: readonly string[]): ColumnDateOrder | null {
  const numeric = values.filter((value) => numericDate.test(value))
  const read = (order: DateOrder): number => numeric.filter((value) => isDate(value, order)).length
  const [mdy, dmy] = [read('mdy'), read('dmy')]
  if (mdy + dmy === 0) return null
  if (mdy === dmy) return 'unclear'
  return mdy > dmy ? 'mdy' : 'dmy'
}

/** The part of its values that have to be dates for a column to be one of dates; the others are shown as failed rows. */
const dateShare = 0.9

/** The type of a new custom field for a column with these values, read in an order of day and month. */
export function guessType(values: readonly string[], order: DateOrder): CustomFieldType {
  const every = (test: (value: string) => boolean): boolean => values.length > 0 && values.every(test)
  // A number that begins with 0 or + is a postcode or a telephone number, which a number field would change.
  if (every((value) => /^-?(0|[1-9]\d{0,14})$/.test(value))) return 'number'
  if (every((value) => /^(true|false|yes|no)$/i.test(value))) return 'boolean'
  const dates = values.filter((value) => parseDate(value, order) !== null).length
  if (values.length > 0 && dates >= values.length * dateShare) return 'date'
  return values.some((value) => value.includes('\n') || value.length > 255) ? 'text_multiline' : 'text'
}

function isDate(value: string, order: DateOrder): boolean {
  return (parseDate(value, order) ?? parseMonthDay(value, order)) !== null
}
