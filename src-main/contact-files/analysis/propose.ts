import { type FieldDefinition, fieldNamed } from '../../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../../api/custom-fields/schema.ts'
import { type ImportColumn, importColumns, isImportColumn } from '../../api/subscriber-imports/rules.ts'
import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import { datesOf } from '../date-orders.ts'
import { fieldCode, freeFieldName } from '../field-names.ts'
import {
  type ColumnRole,
  headerKey,
  headerRoles,
  holdsOwnWords,
  isAboutSomeoneElse,
  isOtherChannel,
  isYearlyDay,
  namesLike
} from '../knowledge/headers.ts'
import { ownStatuses } from '../status-rules.ts'
import { newColumn, type ReadingColumn, rememberedKey, type StatusRule } from '../schema.ts'
import { isBlankWord } from '../values/tidy.ts'
import { areTruths } from '../values/truth.ts'
import { type ColumnStatistics, fullyCheckedRows } from './column-statistics.ts'
import {
  consentRule,
  datedConsentRule,
  denialRule,
  objectionRule,
  removalRule,
  statusRule,
  withNewWords
} from './status-columns.ts'

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

interface Column {
  index: number
  header: string
  statistics: ColumnStatistics
  roles: ColumnRole[]
}

/** What each column of a file is best read as. */
export function proposeColumns(
  headers: readonly string[],
  statistics: readonly ColumnStatistics[],
  destination: Destination,
  ofFile: { isComplete: boolean; isOwn: boolean }
): { columns: ReadingColumn[]; remembered: boolean[] } {
  const columns = statistics.map((each, index): Column => ({
    index,
    header: headers[index] ?? '',
    statistics: each,
    roles: headerRoles(headers[index] ?? '')
  }))
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
    if (!last || (last.target !== null && taken.has(last.target.toLowerCase()))) continue
    propose(column.index, last)
    remembered.add(column.index)
  }
  const rest = (): Column[] => columns.filter(({ index }) => !proposals.has(index))
  if (!taken.has('email')) {
    const email = emailColumn(rest())
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
  for (const column of rest())
    propose(column.index, newFieldProposal(column, taken, codes, ofFile.isComplete))
  const ordered = columns.map(({ index }) => proposals.get(index) as ReadingColumn)
  return { columns: ordered, remembered: columns.map(({ index }) => remembered.has(index)) }
}

/** A column of an export of Listwright: what its name says, and nothing that its values might say elsewhere. */
function ownProposal(column: Column, taken: Set<string>, destination: Destination): ReadingColumn | null {
  const { header } = column
  if (!isImportColumn(header) || taken.has(header) || !keepsColumn(header, destination)) return null
  return header === 'status'
    ? { ...newColumn(header, 'status'), status: ownStatuses }
    : reservedColumn(column, header)
}

/** A column that the list has a field for goes there, also where it says besides who may be written to. */
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

/** The columns of a log of failed rows, which has no column names and why each row failed at its end; null for another file. */
function failedRowsColumns(columns: Column[], destination: Destination): ReadingColumn[] | null {
  const reason = columns.at(-1)
  const { last } = destination
  if (!reason || !last || last.length !== columns.length - 1) return null
  if (columns.some(({ header }) => header !== '') || !isFailureColumn(reason.statistics)) return null
  const kept = last.map((column) => stillThere({ ...column, header: '' }, destination) ?? newColumn('', null))
  return [...kept, newColumn('', null)]
}

/** How a column with this header was read last, as far as the list still has what it went to and its values allow it. */
function rememberedReading(
  { header, statistics }: Column,
  destination: Destination
): ReadingColumn | undefined {
  const last = header === '' ? undefined : destination.remembered.get(rememberedKey(header))
  // Left out because it was blank, which it no longer is.
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

/** A column as it was read before, if the list still has what it went to. */
function stillThere(column: ReadingColumn, destination: Destination): ReadingColumn | undefined {
  const { target } = column
  if (target === null) return column
  if (isImportColumn(target)) return keepsColumn(target, destination) ? column : undefined
  const field = fieldNamed(destination.fields, target)
  return field && { ...column, target: field.name, new_field_type: null }
}

function keepsColumn(column: ImportColumn, { hasFormat, hasConfirmed }: Destination): boolean {
  if (column === 'email_format') return hasFormat
  return column !== 'confirmed' || hasConfirmed
}

/** The column with the people's own addresses, found by its header and its values. */
function emailColumn(columns: Column[]): Column | undefined {
  const own = columns.filter(({ header }) => !isAboutSomeoneElse(header))
  const named = own.filter(({ roles }) => roles.includes('email'))
  const mentioned = mostlyDifferent(own.filter(({ header }) => /\bmail|mail\b/.test(headerKey(header))))
  return (
    named.find((column) => holdsAddresses(column, 0.3)) ??
    mentioned.find((column) => holdsAddresses(column, 0.5)) ??
    mostAddresses(own.filter((column) => holdsAddresses(column, 0.5))) ??
    mostAddresses(columns.filter((column) => holdsAddresses(column, 0.5))) ??
    named[0]
  )
}

/** Of several columns those whose addresses are not the same again and again, as those of a colleague are. */
function mostlyDifferent(columns: Column[]): Column[] {
  const different = columns.filter(
    ({ statistics: { distinct, filled } }) => distinct === null || distinct.size * 2 > filled
  )
  return different.length > 0 ? different : columns
}

/** @param share of the filled cells that have to hold addresses */
function holdsAddresses({ statistics }: Column, share: number): boolean {
  const looked = Math.min(statistics.filled, fullyCheckedRows)
  return statistics.addresses > 0 && statistics.addresses >= looked * share
}

function mostAddresses(columns: Column[]): Column | undefined {
  return columns.reduce<Column | undefined>(
    (best, column) =>
      !best || column.statistics.addresses > best.statistics.addresses * 1.5 ? column : best,
    undefined
  )
}

/**
 * Columns whose address stands for that of a row without one: further addresses of the same people.
 * @param email the place of the column of addresses
 */
export function otherAddresses(
  headers: readonly string[],
  statistics: readonly ColumnStatistics[],
  email: number
): number[] {
  const own = statistics[email]
  if (!own || own.filled === own.rows) return []
  return statistics.flatMap((each, index) => {
    const header = headers[index] ?? ''
    const column: Column = { index, header, statistics: each, roles: [] }
    const isOther = index !== email && !isAboutSomeoneElse(header) && /mail/.test(headerKey(header))
    return isOther && holdsAddresses(column, 0.5) ? [index] : []
  })
}

/** What a column says of a subscriber besides the fields: its status, and when and from where it was subscribed and removed. */
function reservedProposal(
  column: Column,
  all: Column[],
  taken: Set<string>,
  destination: Destination
): ReadingColumn | null {
  const { header, statistics, roles } = column
  const exact = headerKey(header).replaceAll(' ', '_')
  if (isImportColumn(exact) && exact !== 'email' && exact !== 'status' && !taken.has(exact)) {
    if (keepsColumn(exact, destination) && fits(exact, statistics)) return reservedColumn(column, exact)
  }
  if (roles.includes('failure') && isFailureColumn(statistics)) return newColumn(header, null)
  if (isFailureColumn(statistics) && header === '') return newColumn(header, null)
  if (isOtherChannel(header)) return null
  const status = statusRule(statistics, header)
  if (status) {
    const isStatus = roles.includes('status') && status.kind === 'status' && !taken.has('status')
    return { ...newColumn(header, isStatus ? 'status' : null), status }
  }
  for (const role of roles) {
    const proposal = roleProposal(role, column, all, taken, destination)
    if (proposal) return proposal
  }
  return null
}

function fits(column: ImportColumn, statistics: ColumnStatistics): boolean {
  switch (column) {
    case 'subscribe_time':
    case 'remove_time':
      return statistics.filled === 0 || holdsDates(statistics)
    case 'confirmed':
      return statistics.filled === 0 || statistics.isNearly('boolean')
    default:
      return true
  }
}

function reservedColumn({ header, statistics }: Column, target: ImportColumn): ReadingColumn {
  const column = newColumn(header, target)
  if (target !== 'subscribe_time' && target !== 'remove_time') return column
  return { ...column, ...datesOf(statistics.orders), unfit: 'blank' }
}

function roleProposal(
  role: ColumnRole,
  column: Column,
  all: Column[],
  taken: Set<string>,
  destination: Destination
): ReadingColumn | null {
  const { header, statistics } = column
  const free = (target: ImportColumn): boolean => !taken.has(target)
  switch (role) {
    case 'subscribe_time':
    case 'confirm_time':
      if (role === 'confirm_time' && !holdsDates(statistics)) {
        return withRule(column, denialRule(statistics, 'deactivated'))
      }
      // A confirmation stands for the opt-in only where the file has no better time.
      if (role === 'confirm_time' && hasRole(all, 'subscribe_time')) return null
      return free('subscribe_time') && holdsDates(statistics)
        ? reservedColumn(column, 'subscribe_time')
        : null
    case 'subscribe_ip':
    case 'confirm_ip':
      if (role === 'confirm_ip' && hasRole(all, 'subscribe_ip')) return null
      return free('subscribe_ip') && holdsAddressesOfMachines(statistics)
        ? newColumn(header, 'subscribe_ip')
        : null
    case 'remove_ip':
      return free('remove_ip') && holdsAddressesOfMachines(statistics) ? newColumn(header, 'remove_ip') : null
    case 'remove_time':
    case 'opt_out':
      return removal(column, free('remove_time'), 'unsubscribed')
    case 'email_format':
      return destination.hasFormat && free('email_format') && holdsFormats(statistics)
        ? { ...newColumn(header, 'email_format'), unfit: 'blank' }
        : null
    case 'bounce':
      return removal(column, free('remove_time'), 'bounced')
    case 'complaint':
      return removal(column, free('remove_time'), 'scomp')
    case 'deactivation':
      return removal(column, free('remove_time'), 'deactivated')
    case 'validity':
      return withRule(column, denialRule(statistics, 'bounced'))
    case 'consent':
      return consent(column, free('subscribe_time'))
    default:
      return null
  }
}

/** A column that says of people that they may be written to, with yes and no or with the time at which they agreed. */
function consent(column: Column, isFree: boolean): ReadingColumn | null {
  const { statistics } = column
  if (statistics.dates === 0 || statistics.dates < statistics.filled * 0.5) {
    return withRule(column, consentRule(statistics))
  }
  const target = isFree ? reservedColumn(column, 'subscribe_time') : newColumn(column.header, null)
  return { ...target, status: datedConsentRule }
}

/** Whether another column has this role and what fits it. */
function hasRole(columns: Column[], role: ColumnRole): boolean {
  return columns.some(({ roles, statistics }) => roles[0] === role && statistics.filled > 0)
}

function holdsDates(statistics: ColumnStatistics): boolean {
  return statistics.isNearly('date') && statistics.dates > 0
}

function holdsAddressesOfMachines({ samples }: ColumnStatistics): boolean {
  return (
    samples.length > 0 &&
    samples.every((sample) => /^[\d.:a-f]+(?:,.*)?$/i.test(sample) && /[.:]/.test(sample))
  )
}

function holdsFormats({ samples }: ColumnStatistics): boolean {
  return samples.length > 0 && samples.every((sample) => /html|text|plain/i.test(sample))
}

/** A column of times at which people left: who has one has left. */
function removal(column: Column, isFree: boolean, status: SubscriberStatus): ReadingColumn | null {
  const { header, statistics } = column
  if (statistics.filled === 0) return isFree ? reservedColumn(column, 'remove_time') : null
  if (!holdsDates(statistics)) return withRule(column, objectionRule(statistics, status))
  const target = isFree ? reservedColumn(column, 'remove_time') : newColumn(header, null)
  return { ...target, status: removalRule(status) }
}

/** A column that is nothing but what it says of the status. */
function withRule({ header, statistics }: Column, rule: StatusRule | null): ReadingColumn | null {
  if (statistics.filled === 0) return { ...newColumn(header, null), had_values: false }
  return rule && { ...newColumn(header, null), status: rule }
}

/** "line 3: email …", as lists of failed rows have it in their last column. */
export function isFailureColumn({ samples, filled }: ColumnStatistics): boolean {
  return filled > 0 && samples.every((sample) => /^line \d+: ./.test(sample))
}

/** The field of the list that a header names, in its spelling or by another name for the same. */
function fieldFor(
  header: string,
  fields: FieldDefinition[],
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

function fieldProposal({ header, statistics }: Column, field: FieldDefinition): ReadingColumn {
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

/** The character between options in most cells that hold several, unless an option has it in its name. */
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

function newFieldProposal(
  column: Column,
  taken: Set<string>,
  codes: Set<string>,
  isComplete: boolean
): ReadingColumn {
  const { index, header, statistics } = column
  // A column without values has nothing to bring; one of which only the beginning was read may have.
  if (statistics.filled === 0 && isComplete) return { ...newColumn(header, null), had_values: false }
  const target = freeFieldName(header === '' ? `Column ${index + 1}` : header, taken, codes)
  const type = newFieldType(column, isComplete)
  return {
    ...newColumn(header, target),
    new_field_type: type,
    ...((type === 'date' || type === 'day_of_year') && datesOf(statistics.orders)),
    unfit: type === 'text' || type === 'text_multiline' ? 'fail' : 'blank'
  }
}

/** The type that loses no value of the column. */
function newFieldType({ header, statistics, roles }: Column, isComplete: boolean): CustomFieldType {
  const text = statistics.isLong ? 'text_multiline' : 'text'
  if (statistics.filled === 0) return text
  if (holdsTruths(statistics) && !holdsOwnWords(header)) return 'boolean'
  if (isWholly(statistics, 'number')) {
    // Digits that are no number may begin with a zero in the part that was not read.
    return roles.includes('digits') || !isComplete ? text : 'number'
  }
  if (
    statistics.days > 0 &&
    statistics.days >= statistics.filled * 0.2 &&
    (statistics.certainDays === statistics.days || isYearlyDay(header)) &&
    statistics.isNearly('day_of_year')
  ) {
    return isMostlyAmbiguous(statistics) ? text : 'day_of_year'
  }
  if (statistics.isNearly('date') && statistics.dates >= (statistics.dates + statistics.numbered) * 0.5) {
    return isMostlyAmbiguous(statistics) ? text : 'date'
  }
  return text
}

/** Every value fits, but for words that mean that there is none. */
function isWholly(statistics: ColumnStatistics, type: 'number' | 'boolean'): boolean {
  const unfit = statistics.unfit[type]
  if (!statistics.isNearly(type)) return false
  return unfit.count === 0 || (unfit.count <= statistics.blankWords.count && unfit.values.every(isBlankWord))
}

/** Yes and no, but for words that mean that there is none of it. Ones and zeros are numbers. */
function holdsTruths(statistics: ColumnStatistics): boolean {
  const { distinct } = statistics
  if (!distinct || !isWholly(statistics, 'boolean') || isWholly(statistics, 'number')) return false
  return areTruths([...distinct.keys()].filter((value) => !isBlankWord(value)))
}

/** Dates most of which can be read in both orders, and nothing says in which one they are. */
function isMostlyAmbiguous({ orders, filled }: ColumnStatistics): boolean {
  return orders.mdy + orders.dmy === 0 && orders.both > filled * 0.5
}
