import { headerKey, isAboutBuyer, isAboutSomeoneElse } from '../knowledge/headers.ts'
import { type Column, holdsAddresses } from './proposed-column.ts'

/** The column with the people's own addresses, found by its header and its values. */
export function emailColumn(columns: Column[]): Column | undefined {
  const own = columns.filter(({ header }) => !isAboutSomeoneElse(header))
  const named = own.filter(({ roles }) => roles.includes('email'))
  const mentioned = mostlyDifferent(own.filter(mentionsMail))
  const first = named.find((column) => holdsAddresses(column, 0.3))
  return (
    (first && isAboutBuyer(first.header) ? ownerOfTicket(own) : undefined) ??
    first ??
    mentioned.find((column) => holdsAddresses(column, 0.5)) ??
    mostAddresses(own.filter((column) => holdsAddresses(column, 0.5))) ??
    mostAddresses(columns.filter((column) => holdsAddresses(column, 0.5))) ??
    named[0]
  )
}

function mentionsMail({ header }: Column): boolean {
  return /\bmail|mail\b/.test(headerKey(header))
}

/** Returns the column with the addresses of the attendees that a buyer paid for; they differ from row to row. */
function ownerOfTicket(own: Column[]): Column | undefined {
  return own.find(
    (column) =>
      !isAboutBuyer(column.header) &&
      mentionsMail(column) &&
      holdsAddresses(column, 0.5) &&
      isMostlyDifferent(column)
  )
}

/** Of several columns those whose addresses are not the same again and again, as those of a colleague are. */
function mostlyDifferent(columns: Column[]): Column[] {
  const different = columns.filter(isMostlyDifferent)
  return different.length > 0 ? different : columns
}

function isMostlyDifferent({ statistics: { distinct, filled } }: Column): boolean {
  return distinct === null || distinct.size * 2 > filled
}

function mostAddresses(columns: Column[]): Column | undefined {
  return columns.reduce<Column | undefined>(
    (best, column) =>
      !best || column.statistics.addresses > best.statistics.addresses * 1.5 ? column : best,
    undefined
  )
}
