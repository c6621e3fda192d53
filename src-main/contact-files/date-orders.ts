import type { ReadingColumn } from './schema.ts'

/** A smaller share of dates in the other order is treated as typing errors. */
const slipShare = 0.05

/** Determines the date order of a column and what happens to dates in the other order. */
export function datesOf({
  mdy,
  dmy,
  both
}: {
  mdy: number
  dmy: number
  both: number
}): Pick<ReadingColumn, 'date_order' | 'mixed_dates'> {
  if (mdy + dmy === 0) return { date_order: both === 0 ? 'mdy' : null, mixed_dates: 'blank_ambiguous' }
  const date_order = mdy > dmy ? 'mdy' : 'dmy'
  const minority = Math.min(mdy, dmy)
  if (minority === 0) return { date_order, mixed_dates: 'one_order' }
  const isSlip = minority <= (mdy + dmy) * slipShare
  return { date_order, mixed_dates: isSlip ? 'other_order' : 'blank_ambiguous' }
}
