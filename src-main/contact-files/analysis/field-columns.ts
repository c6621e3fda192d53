import { type FieldDefinition, fieldNamed } from '../../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../../api/custom-fields/schema.ts'
import { datesOf } from '../date-orders.ts'
import { fieldCode, freeFieldName } from '../field-names.ts'
import { headerKey, holdsOwnWords, isYearlyDay, namesLike } from '../knowledge/headers.ts'
import { newColumn, type ReadingColumn } from '../schema.ts'
import { isBlankWord } from '../values/tidy.ts'
import { areTruths } from '../values/truth.ts'
import type { ColumnStatistics } from './column-statistics.ts'
import type { Column } from './proposed-column.ts'

/** Returns the list's field for a header, by name or by a synonym. */
export function fieldFor(
  header: string,
  fields: readonly FieldDefinition[],
  taken: Set<string>
): FieldDefinition | undefined {
  if (header === '') return undefined
  const free = fields.filter(({ name }) => !taken.has(name.toLowerCase()))
  const key = headerKey(header)
  return (
    fieldNamed(free, header) ??
    free.find(({ name }) => fieldCode(name) === fieldCode(header)) ??
    free.find(({ name }) => headerKey(name) === key) ??
    free.find(({ name }) => namesLike(header).includes(headerKey(name)))
  )
}

export function fieldProposal({ header, statistics }: Column, field: FieldDefinition): ReadingColumn {
  const column = newColumn(header, field.name)
  switch (field.type) {
    case 'date':
    case 'day_of_year':
      return {
        ...column,
        ...datesOf(statistics.orders),
        unfit: statistics.isNearly(field.type) ? 'blank' : 'fail'
      }
    case 'number':
    case 'boolean':
      return { ...column, unfit: onlyBlankWords(statistics, field.type) ? 'blank' : 'fail' }
    case 'select_multiple_checkboxes':
      return { ...column, option_separator: optionSeparator(statistics, field) }
    default:
      return column
  }
}

/** Returns the separator between options in most multi-option cells, unless an option contains it. */
function optionSeparator({ distinct, samples }: ColumnStatistics, field: FieldDefinition): ';' | ',' | '|' {
  const names = new Set(field.options.map(({ name }) => name.toLowerCase()))
  const values = distinct ? [...distinct.keys()] : samples
  let best: ';' | ',' | '|' = ';'
  let most = 0
  for (const separator of [';', ',', '|'] as const) {
    if (field.options.some(({ name }) => name.includes(separator))) continue
    const known = values.filter(
      (value) =>
        value.includes(separator) &&
        value.split(separator).every((part) => part.trim() === '' || names.has(part.trim().toLowerCase()))
    ).length
    if (known > most) [best, most] = [separator, known]
  }
  return best
}

function onlyBlankWords(statistics: ColumnStatistics, type: 'number' | 'boolean'): boolean {
  const unfit = statistics.unfit[type]
  return unfit.count > 0 && unfit.values.every(isBlankWord)
}

export function newFieldProposal(column: Column, taken: Set<string>, codes: Set<string>): ReadingColumn {
  const { index, header, statistics, isComplete } = column
  // A column without values has nothing to import. If only the beginning was read, values may follow.
  if (statistics.filled === 0 && isComplete) return { ...newColumn(header, null), had_values: false }
  const target = freeFieldName(header === '' ? `Column ${index + 1}` : header, taken, codes)
  const type = newFieldType(column)
  return {
    ...newColumn(header, target),
    new_field_type: type,
    ...((type === 'date' || type === 'day_of_year') && datesOf(statistics.orders)),
    unfit: type === 'text' || type === 'text_multiline' ? 'fail' : 'blank'
  }
}

function newFieldType({ header, statistics, roles, isComplete }: Column): CustomFieldType {
  const text = statistics.isLong ? 'text_multiline' : 'text'
  if (statistics.filled === 0) return text
  if (holdsTruths(statistics) && !holdsOwnWords(header)) return 'boolean'
  if (isWholly(statistics, 'number')) {
    // The column may hold codes instead of numbers: in the unread part some may begin with a zero.
    return roles.includes('digits') || !isComplete ? text : 'number'
  }
  if (holdsYearlyDays(statistics, header)) return isMostlyAmbiguous(statistics) ? text : 'day_of_year'
  if (statistics.isNearly('date') && statistics.dates >= (statistics.dates + statistics.numbered) * 0.5) {
    return isMostlyAmbiguous(statistics) ? text : 'date'
  }
  return text
}

function holdsYearlyDays(statistics: ColumnStatistics, header: string): boolean {
  const { days, certainDays, filled } = statistics
  if (days === 0 || days < filled * 0.2 || !statistics.isNearly('day_of_year')) return false
  return certainDays === days || isYearlyDay(header)
}

/** True if every value fits, except words for "none". */
function isWholly(statistics: ColumnStatistics, type: 'number' | 'boolean'): boolean {
  const unfit = statistics.unfit[type]
  if (!statistics.isNearly(type)) return false
  return unfit.count === 0 || (unfit.count <= statistics.blankWords.count && unfit.values.every(isBlankWord))
}

/** True if the values are yes and no, except words for "none". Ones and zeros are numbers. */
function holdsTruths(statistics: ColumnStatistics): boolean {
  const { distinct } = statistics
  if (!distinct || !isWholly(statistics, 'boolean') || isWholly(statistics, 'number')) return false
  return areTruths([...distinct.keys()].filter((value) => !isBlankWord(value)))
}

/** True if most dates are valid in both orders. */
function isMostlyAmbiguous({ orders, filled }: ColumnStatistics): boolean {
  return orders.mdy + orders.dmy === 0 && orders.both > filled * 0.5
}
