import { headerKey, isAboutBuyer, isAboutSomeoneElse } from '../knowledge/headers.ts'
import { type Column, holdsAddresses } from './proposed-column.ts'

/** Finds the column with the contacts' own addresses by header and values. */
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

/** Returns the column with the attendees' addresses, if a buyer paid for them and they differ by row. */
function ownerOfTicket(own: Column[]): Column | undefined {
  return own.find(
    (column) =>
      !isAboutBuyer(column.header) &&
      mentionsMail(column) &&
      holdsAddresses(column, 0.5) &&
      isMostlyDifferent(column)
  )
}

/** Returns the columns whose addresses are mostly different, unlike those of a colleague in each row. */
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
