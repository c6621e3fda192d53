import { refusal, type Refusal } from '../../base/refusal.ts'
import { ImportFailure } from '../../csv/failure.ts'
import { maxColumns } from './schema.ts'

/** @throws ImportFailure at the line if a file has too many columns */
export function checkWidth(columns: number, line: number): void {
  if (columns <= maxColumns) return
  throw new ImportFailure(
    refusal('file_too_wide', { count: columns.toLocaleString('en'), most: maxColumns }),
    line
  )
}

/** Returns why a row with more cells than columns fails; null if the extra cells are blank. */
export function widthComplaint(row: readonly string[], columns: number): Refusal | null {
  if (row.length <= columns || row.slice(columns).every((cell) => cell.trim() === '')) return null
  return refusal('row_too_wide', { columns: row.length, expected: columns })
}
