import { headerKey, isAboutBuyer, isAboutSomeoneElse } from '../knowledge/headers.ts'
import { type Column, holdsAddresses } from './proposed-column.ts'

/** The column with the people's own addresses, found by its header and its values. */
export function emailColumn(columns: Column[]): Column | undefined {
  const own = columns.filter(({ header }) => !isAboutSomeoneElse(header))
  const named = own.filter(({ roles }) => roles.includes('email'))
  const mentioned = mostlyDifferent(own.filter(({ header }) => /\bmail|mail\b/.test(headerKey(header))))
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

/** The column of the people whom a buyer bought for: their addresses differ. */
function ownerOfTicket(own: Column[]): Column | undefined {
  return own.find(
    (column) =>
      !isAboutBuyer(column.header) &&
      /\bmail|mail\b/.test(headerKey(column.header)) &&
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
