import { fieldNamed } from '../../api/custom-fields/rules.ts'
import { importColumns, isImportColumn } from '../../api/subscriber-imports/rules.ts'
import { datesOf } from '../date-orders.ts'
import { fieldCode } from '../field-names.ts'
import { headerRoles } from '../knowledge/headers.ts'
import { type ServiceId, serviceColumn } from '../knowledge/services.ts'
import { newColumn, type ReadingColumn, rememberedKey } from '../schema.ts'
import type { ColumnStatistics } from './column-statistics.ts'
import { emailColumn } from './email-columns.ts'
import { fieldFor, fieldProposal, newFieldProposal } from './field-columns.ts'
import { withFillIns } from './fill-ins.ts'
import { type Column, type Destination, keepsColumn } from './proposed-column.ts'
import { isFailureColumn, ownProposal, reservedProposal } from './reserved-columns.ts'
import { withNewWords } from './status-columns.ts'

export function proposeColumns(
  headers: readonly string[],
  statistics: readonly ColumnStatistics[],
  destination: Destination,
  ofFile: { isComplete: boolean; isOwn: boolean; service: ServiceId | null }
): { columns: ReadingColumn[]; remembered: boolean[] } {
  const columns = statistics.map((each, index) => columnOf(index, headers[index] ?? '', each, ofFile))
  const failed = failedRowsColumns(columns, destination)
  if (failed) return { columns: failed, remembered: columns.map(() => true) }
  const taken = new Set<string>()
  const proposals = new Map<number, ReadingColumn>()
  const remembered = new Set<number>()
  const propose = (index: number, proposal: ReadingColumn): void => {
    proposals.set(index, proposal)
    if (proposal.target !== null) taken.add(proposal.target.toLowerCase())
  }
  for (const column of columns) {
    const last = rememberedReading(column, destination)
    if (!last || isTaken(last, taken)) continue
    propose(column.index, last)
    remembered.add(column.index)
  }
  const rest = (): Column[] => columns.filter(({ index }) => !proposals.has(index))
  if (!taken.has('email')) {
    const email = emailColumn(rest().filter(({ isField }) => !isField))
    if (email) propose(email.index, newColumn(email.header, 'email'))
  }
  for (const column of rest()) {
    const proposal = ofFile.isOwn
      ? ownProposal(column, taken, destination)
      : fieldOrStatus(column, columns, taken, destination)
    if (proposal) propose(column.index, proposal)
  }
  for (const column of rest()) {
    const field = fieldFor(column.header, destination.fields, taken)
    if (field) propose(column.index, fieldProposal(column, field))
  }
  if (!destination.createsFields) {
    for (const column of rest()) propose(column.index, newColumn(column.header, null))
  }
  const codes = new Set([...destination.fields.map(({ name }) => fieldCode(name)), ...importColumns])
  for (const column of rest()) propose(column.index, newFieldProposal(column, taken, codes))
  const ordered = columns.map(({ index }) => proposals.get(index) as ReadingColumn)
  return {
    columns: withFillIns(columns, ordered),
    remembered: columns.map(({ index }) => remembered.has(index))
  }
}

function isTaken({ target }: ReadingColumn, taken: Set<string>): boolean {
  return target !== null && taken.has(target.toLowerCase())
}

function columnOf(
  index: number,
  header: string,
  statistics: ColumnStatistics,
  { service, isComplete }: { service: ServiceId | null; isComplete: boolean }
): Column {
  const known = service && serviceColumn(service, header)
  const roles = headerRoles(header)
  const column = { index, header, statistics, isComplete }
  if (known === 'field') return { ...column, roles: roles.filter((role) => role === 'digits'), isField: true }
  // Tries the column's meaning in the service's export first, then the roles that its header suggests. A later role applies only if the
  // values do not fit an earlier one.
  const ordered = known ? [known, ...roles.filter((role) => role !== known)] : roles
  return { ...column, roles: ordered, isField: false }
}

/** A column with a field of its own goes there, even if it also tells who may be mailed. */
function fieldOrStatus(
  column: Column,
  all: Column[],
  taken: Set<string>,
  destination: Destination
): ReadingColumn | null {
  const field = fieldNamed(destination.fields, column.header)
  if (field && column.roles.length === 0) return null
  const proposal = reservedProposal(column, all, taken, destination)
  if (!field || !proposal || proposal.target !== null || taken.has(field.name.toLowerCase())) return proposal
  return { ...fieldProposal(column, field), status: proposal.status }
}

/**
 * Returns the columns of a log of failed rows, which has no header and ends with the reasons; null for other
 * files.
 */
function failedRowsColumns(columns: Column[], destination: Destination): ReadingColumn[] | null {
  const reason = columns.at(-1)
  const { last } = destination
  if (!reason || !last || last.length !== columns.length - 1) return null
  if (columns.some(({ header }) => header !== '') || !isFailureColumn(reason.statistics)) return null
  const kept = last.map((column) => stillThere({ ...column, header: '' }, destination) ?? newColumn('', null))
  return [...kept, newColumn('', null)]
}

/**
 * Returns how a column with this header was read last, if the list still has its target and the values allow
 * it.
 */
function rememberedReading(
  { header, statistics }: Column,
  destination: Destination
): ReadingColumn | undefined {
  const last = header === '' ? undefined : destination.remembered.get(rememberedKey(header))
  // The column was left out earlier because it had no values. It has values now.
  if (!last || (!last.had_values && last.target === null && statistics.filled > 0)) return undefined
  const now = datesOf(statistics.orders)
  return stillThere(
    {
      ...last,
      header,
      status: last.status && withNewWords(last.status, statistics),
      ...(now.date_order !== null && statistics.orders.mdy + statistics.orders.dmy > 0 && now)
    },
    destination
  )
}

/** Returns a column as it was read before, if the list still has its target. */
function stillThere(column: ReadingColumn, destination: Destination): ReadingColumn | undefined {
  const { target } = column
  if (target === null) return column
  if (isImportColumn(target)) return keepsColumn(target, destination) ? column : undefined
  const field = fieldNamed(destination.fields, target)
  return field && { ...column, target: field.name, new_field_type: null }
}
