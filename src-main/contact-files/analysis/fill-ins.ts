import { datesOf } from '../date-orders.ts'
import { headerKey, isAboutSomeoneElse } from '../knowledge/headers.ts'
import type { FillIn, ReadingColumn } from '../schema.ts'
import { type Column, holdsAddresses, holdsDates } from './proposed-column.ts'

/**
 * Adds the columns that fill blanks of others: further addresses of the same contacts, and time and place of
 * a confirmation if those of the opt-in are blank.
 * @param proposals one per column, in order
 */
export function withFillIns(
  columns: readonly Column[],
  proposals: readonly ReadingColumn[]
): ReadingColumn[] {
  const hasBlanks = (target: FillIn): boolean => {
    const statistics = columns[proposals.findIndex((proposal) => proposal.target === target)]?.statistics
    return statistics !== undefined && statistics.filled < statistics.rows
  }
  return proposals.map((proposal, index) => {
    const column = columns[index]
    if (!column || proposal.fills_in !== null) return proposal
    const fills_in = fillInOf(column)
    if (fills_in === null || proposal.target === fills_in || !hasBlanks(fills_in)) return proposal
    const needsOrder = fills_in === 'subscribe_time' && proposal.date_order === null
    return { ...proposal, fills_in, ...(needsOrder && datesOf(column.statistics.orders)) }
  })
}

function fillInOf(column: Column): FillIn | null {
  const { header, statistics, roles } = column
  const isOwnAddress = /mail/.test(headerKey(header)) && !isAboutSomeoneElse(header)
  if (isOwnAddress && holdsAddresses(column, 0.5)) return 'email'
  if ((roles[0] === 'confirm_time' || roles[0] === 'activation') && holdsDates(statistics))
    return 'subscribe_time'
  return roles[0] === 'confirm_ip' && statistics.filled > 0 ? 'subscribe_ip' : null
}
