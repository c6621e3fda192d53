import { type ImportColumn, isImportColumn } from '../../api/subscriber-imports/rules.ts'
import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import {
  type ColumnRole,
  headerKey,
  isOtherChannel,
  isWeakConsent,
  namesList,
  objectionRoles
} from '../knowledge/headers.ts'
import { newColumn, type ReadingColumn, type StatusRule } from '../schema.ts'
import { ownStatuses } from '../status-rules.ts'
import { readAnswer } from '../values/truth.ts'
import type { ColumnStatistics } from './column-statistics.ts'
import { type Column, type Destination, holdsDates, keepsColumn, reservedColumn } from './proposed-column.ts'
import {
  activationRule,
  consentRule,
  datedConsentRule,
  denialRule,
  objectionRule,
  removalRule,
  statusRule
} from './status-columns.ts'

/** Proposes a column of a Listwright export by its name only. */
export function ownProposal(
  column: Column,
  taken: Set<string>,
  destination: Destination
): ReadingColumn | null {
  const { header } = column
  if (!isImportColumn(header) || taken.has(header) || !keepsColumn(header, destination)) return null
  return header === 'status'
    ? { ...newColumn(header, 'status'), status: ownStatuses }
    : reservedColumn(column, header)
}

/**
 * Proposes a target other than a custom field: the status, or when and from where the contact subscribed or
 * unsubscribed.
 */
export function reservedProposal(
  column: Column,
  all: Column[],
  taken: Set<string>,
  destination: Destination
): ReadingColumn | null {
  const { header, statistics, roles } = column
  const exact = exactProposal(column, taken, destination)
  if (exact) return exact
  if ((roles.includes('failure') || header === '') && isFailureColumn(statistics)) {
    return newColumn(header, null)
  }
  if (isOtherChannel(header)) return null
  const isNamedStatus = roles.includes('status')
  const status = statusRule(statistics, header, isNamedStatus)
  if (status && (isNamedStatus || !saysByHeader(column))) {
    const isStatus = isNamedStatus && status.kind === 'status' && !taken.has('status')
    return { ...newColumn(header, isStatus ? 'status' : null), status }
  }
  for (const role of roles) {
    const proposal = roleProposal(role, column, all, taken, destination)
    if (proposal) return proposal
  }
  return status && { ...newColumn(header, null), status }
}

function hasAnswers({ distinct }: ColumnStatistics): boolean {
  return [...(distinct?.keys() ?? [])].some((value) => readAnswer(value) !== null)
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

/** Reads a column whose header is the name of a reserved column as that, if its values fit. */
function exactProposal(column: Column, taken: Set<string>, destination: Destination): ReadingColumn | null {
  const exact = headerKey(column.header).replaceAll(' ', '_')
  if (!isImportColumn(exact) || exact === 'email' || exact === 'status' || taken.has(exact)) return null
  return keepsColumn(exact, destination) && fits(exact, column.statistics)
    ? reservedColumn(column, exact)
    : null
}

/** True if the header decides what yes and no mean. In a column of objections, every word is an objection. */
function saysByHeader({ roles, statistics }: Column): boolean {
  const isAsked = roles.includes('consent') && hasAnswers(statistics)
  return isAsked || roles.some((role) => objectionRoles.includes(role))
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
      return subscription(column, free('subscribe_time'))
    case 'confirm_time':
      return confirmation(column, all, free('subscribe_time'))
    case 'subscribe_ip':
      return address(column, 'subscribe_ip', taken)
    case 'confirm_ip':
      return hasRole(all, 'subscribe_ip') ? null : address(column, 'subscribe_ip', taken)
    case 'remove_ip':
      return address(column, 'remove_ip', taken)
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
    case 'activation':
      return activation(column, all, free('subscribe_time'))
    case 'validity':
      return withRule(column, denialRule(statistics, 'bounced'))
    case 'consent':
      return consent(column, free('subscribe_time'))
    default:
      return null
  }
}

function subscription(column: Column, isFree: boolean): ReadingColumn | null {
  return isFree && holdsDates(column.statistics) ? reservedColumn(column, 'subscribe_time') : null
}

/** A confirmation stands for the opt-in only where the file has no better time. */
function confirmation(column: Column, all: Column[], isFree: boolean): ReadingColumn | null {
  const { statistics } = column
  if (!holdsDates(statistics)) return withRule(column, denialRule(statistics, 'deactivated'))
  return hasRole(all, 'subscribe_time') ? null : subscription(column, isFree)
}

function address(
  { header, statistics }: Column,
  target: 'subscribe_ip' | 'remove_ip',
  taken: Set<string>
): ReadingColumn | null {
  return !taken.has(target) && holdsAddressesOfMachines(statistics) ? newColumn(header, target) : null
}

/** A column of confirmation times: a blank means not confirmed. */
function activation(column: Column, all: Column[], isFree: boolean): ReadingColumn | null {
  const confirmed = confirmation(column, all, isFree)
  const { dates, filled } = column.statistics
  if (dates === 0 && filled > 0) return confirmed
  return { ...(confirmed ?? newColumn(column.header, null)), status: activationRule }
}

function isNumbered({ samples }: ColumnStatistics): boolean {
  return samples.every((sample) => /^\d+$/.test(sample))
}

function consent(column: Column, isFree: boolean): ReadingColumn | null {
  const { statistics } = column
  if (statistics.dates === 0 || statistics.dates < statistics.filled * 0.5) {
    const rule = namesList(column.header) && isNumbered(statistics) ? null : consentRule(statistics)
    return withRule(column, rule && isWeakConsent(column.header) ? { ...rule, kind: 'objection' } : rule)
  }
  const target = isFree ? reservedColumn(column, 'subscribe_time') : newColumn(column.header, null)
  return { ...target, status: datedConsentRule }
}

function hasRole(columns: Column[], role: ColumnRole): boolean {
  return columns.some(({ roles, statistics }) => roles[0] === role && statistics.filled > 0)
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

function removal(column: Column, isFree: boolean, status: SubscriberStatus): ReadingColumn | null {
  const { header, statistics } = column
  if (statistics.filled === 0) {
    const blank = isFree ? reservedColumn(column, 'remove_time') : newColumn(header, null)
    // The unread part may hold contacts that were removed.
    if (!column.isComplete) return { ...blank, status: removalRule(status) }
    return isFree ? blank : null
  }
  if (!holdsDates(statistics)) return withRule(column, objectionRule(statistics, status))
  const target = isFree ? reservedColumn(column, 'remove_time') : newColumn(header, null)
  return { ...target, status: removalRule(status) }
}

/** Makes a column only set the status. */
function withRule({ header, statistics, isComplete }: Column, rule: StatusRule | null): ReadingColumn | null {
  if (statistics.filled === 0) {
    return { ...newColumn(header, null), had_values: false, status: isComplete ? null : datedConsentRule }
  }
  return rule && { ...newColumn(header, null), status: rule }
}

/** True for the last column of a list of failed rows, such as "line 3: email …". */
export function isFailureColumn({ samples, filled }: ColumnStatistics): boolean {
  return filled > 0 && samples.every((sample) => /^line \d+: ./.test(sample))
}
