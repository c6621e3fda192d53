import { ImportFailure } from '../../csv/failure.ts'
import { maxColumns } from './schema.ts'

/** @throws ImportFailure at the line if a file has too many columns */
export function checkWidth(columns: number, line: number): void {
  if (columns <= maxColumns) return
  throw new ImportFailure(
    `the file has ${columns.toLocaleString('en')} columns, and at most ${maxColumns} can be imported`,
    line
  )
}

/** Returns why a row with more cells than columns fails; null if the extra cells are blank. */
export function widthComplaint(row: readonly string[], columns: number): string | null {
  if (row.length <= columns || row.slice(columns).every((cell) => cell.trim() === '')) return null
  return `the row has ${row.length} columns, and the import expects ${columns}`
}
