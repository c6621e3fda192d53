import type { ReadingColumn } from './schema.ts'

/** A side of mixed dates that is smaller than this is taken for slips of the pen. */
const slipShare = 0.05

/** In which order the dates of a column are read, and what becomes of those of the other one. */
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
