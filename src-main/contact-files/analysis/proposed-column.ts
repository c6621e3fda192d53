import type { FieldDefinition } from '../../api/custom-fields/rules.ts'
import type { ImportColumn } from '../../api/subscriber-imports/rules.ts'
import { datesOf } from '../date-orders.ts'
import type { ColumnRole } from '../knowledge/headers.ts'
import { newColumn, type ReadingColumn } from '../schema.ts'
import { type ColumnStatistics, fullyCheckedRows } from './column-statistics.ts'

/** The list that a file is for. */
export interface Destination {
  fields: FieldDefinition[]
  hasFormat: boolean
  hasConfirmed: boolean
  /** Whether the user may create custom fields. */
  createsFields: boolean
  /** How columns were read in the last import, by {@link rememberedKey}. */
  remembered: Map<string, ReadingColumn>
  /** How the columns of the last import were read: rows that failed in it are those of a file without column names. */
  last: readonly ReadingColumn[] | null
}

/** A column of a file on its way to a proposal. */
export interface Column {
  index: number
  header: string
  statistics: ColumnStatistics
  /** What its name may mean, the best guess first. */
  roles: ColumnRole[]
  /** Whether it is known to be an ordinary field, whatever its name and values seem to say. */
  isField: boolean
  /** Whether all of it was read. */
  isComplete: boolean
}

export function keepsColumn(column: ImportColumn, { hasFormat, hasConfirmed }: Destination): boolean {
  if (column === 'email_format') return hasFormat
  return column !== 'confirmed' || hasConfirmed
}

/** @param share of the filled cells that have to hold addresses */
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
