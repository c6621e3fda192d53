import { type DateOrder, isoDay, monthDay, parseDate, parseMonthDay } from '../../../src-main/base/dates.ts'
import type { CustomField } from '../../api/custom-fields.ts'
import type { RememberedColumnInput } from '../../../src-main/workbench/import-mappings/schema.ts'
import type { ImportPreview } from '../../api/workbench.ts'
import { type ColumnTarget, mappedColumns, mappedName, newField } from './column-targets.ts'

type Column = ImportPreview['columns'][number]

/** What is read of the dates of a column: a day, a day of any year, or a time; null where it goes to no dates. */
export type DateKind = 'day' | 'day_of_year' | 'time' | null

export function dateKindOf(target: ColumnTarget, fields: CustomField[]): DateKind {
  if (target.kind === 'reserved') {
    return target.name === 'subscribe_time' || target.name === 'remove_time' ? 'time' : null
  }
  const type =
    target.kind === 'new'
      ? target.type
      : fields.find((field) => field.name === mappedName(target))?.field_type
  if (type === 'date') return 'day'
  return type === 'day_of_year' ? 'day_of_year' : null
}

/**
 * The order that the columns of dates have in common; undefined where a person has to choose one.
 * @param kinds what is read of the dates of each column
 */
export function commonDateOrder(columns: Column[], kinds: DateKind[]): DateOrder | undefined {
  const orders = new Set(columns.flatMap(({ date_order }, index) => (kinds[index] && date_order) || []))
  if (orders.size === 0) return 'mdy'
  orders.delete('unclear')
  const [order] = orders
  return orders.size === 1 && order !== 'unclear' ? order : undefined
}

/** Where columns went, and the order of the dates of those whose order had to be known. */
export function rememberedColumns(
  columns: Column[],
  targets: ColumnTarget[],
  kinds: DateKind[],
  order: DateOrder | undefined
): RememberedColumnInput[] {
  return mappedColumns(columns, targets).map((column, index) => ({
    ...column,
    date_format: (kinds[index] && columns[index]?.date_order && order) || null
  }))
}

/** New fields that have the type which was guessed for them get the one that another order of day and month suggests. */
export function retypedTargets(
  targets: ColumnTarget[],
  columns: Column[],
  before: DateOrder | undefined,
  after: DateOrder | undefined
): ColumnTarget[] {
  return targets.map((target, index) => {
    const column = columns[index]
    if (target.kind !== 'new' || !column) return target
    const guessed = newField(column, index, before)
    if (guessed.type !== target.type) return target
    return { ...target, type: newField(column, index, after).type }
  })
}

/**
 * A cell as the import will read it: YYYY-MM-DD, MM-DD, or with a time of day.
 * @returns null when it cannot be read
 */
export function readDateCell(cell: string, kind: Exclude<DateKind, null>, order: DateOrder): string | null {
  const wall = parseDate(cell, order)
  if (kind === 'day_of_year') {
    const day = parseMonthDay(cell, order) ?? wall
    return day && monthDay(day)
  }
  if (!wall) return null
  if (kind === 'day') return isoDay(wall)
  const clock = [wall.hour, wall.minute].map((part) => String(part).padStart(2, '0')).join(':')
  return `${isoDay(wall)} ${clock}`
}
