import type { FieldDefinition } from '../../api/custom-fields/rules.ts'
import type { ImportColumn } from '../../api/subscriber-imports/rules.ts'
import { datesOf } from '../date-orders.ts'
import type { ColumnRole } from '../knowledge/headers.ts'
import { newColumn, type ReadingColumn } from '../schema.ts'
import { type ColumnStatistics, fullyCheckedRows } from './column-statistics.ts'

/** The target list of a file. */
export interface Destination {
  fields: readonly FieldDefinition[]
  hasFormat: boolean
  hasConfirmed: boolean
  /** True if the user may create custom fields. */
  createsFields: boolean
  /** The columns of the last import, by {@link rememberedKey}. */
  remembered: Map<string, ReadingColumn>
  /** The columns of the last import: its failed rows are a file without a header. */
  last: readonly ReadingColumn[] | null
}

/** A column that is being analyzed. */
export interface Column {
  index: number
  header: string
  statistics: ColumnStatistics
  /** The possible meanings of its name, best guess first. */
  roles: ColumnRole[]
  /** True if it is known to be an ordinary field, whatever its name and values suggest. */
  isField: boolean
  /** True if the whole file was read. */
  isComplete: boolean
}

export function keepsColumn(column: ImportColumn, { hasFormat, hasConfirmed }: Destination): boolean {
  if (column === 'email_format') return hasFormat
  return column !== 'confirmed' || hasConfirmed
}

/** @param share of the filled cells that must contain addresses */
export function holdsAddresses({ statistics }: Column, share: number): boolean {
  const looked = Math.min(statistics.filled, fullyCheckedRows)
  return statistics.addresses > 0 && statistics.addresses >= looked * share
}

export function reservedColumn({ header, statistics }: Column, target: ImportColumn): ReadingColumn {
  const column = newColumn(header, target)
  if (target !== 'subscribe_time' && target !== 'remove_time') return column
  return { ...column, ...datesOf(statistics.orders), unfit: 'blank' }
}

export function holdsDates(statistics: ColumnStatistics): boolean {
  return statistics.isNearly('date') && statistics.dates > 0
}
