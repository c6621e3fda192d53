import { computed, type ComputedRef, shallowRef, type ShallowRef } from 'vue'
import type { FailedRow } from '../api/imports.ts'

/** The cells of failed rows that a person corrects, like in a spreadsheet. */
export interface RowFixes {
  /** The cells of rows that were changed, by their place in the log; they are kept when another page is shown. */
  changed: ShallowRef<ReadonlyMap<number, string[]>>
  count: ComputedRef<number>
  changedRows: () => { place: number; line: number; cells: string[] }[]
  cellOf: (row: FailedRow, column: number) => string
  setCell: (row: FailedRow, column: number, text: string) => void
  /** Sets the cells of a column of several rows, such as those of a pasted column. */
  setCells: (changes: readonly { row: FailedRow; column: number; text: string }[]) => void
}

/** @param width how many columns rows have at least */
export function useRowFixes(width: () => number): RowFixes {
  const changed = shallowRef<ReadonlyMap<number, string[]>>(new Map())
  const lines = new Map<number, number>()

  function cellOf(row: FailedRow, column: number): string {
    return changed.value.get(row.place)?.[column] ?? row.cells[column] ?? ''
  }

  function setCells(changes: readonly { row: FailedRow; column: number; text: string }[]): void {
    const after = new Map(changed.value)
    for (const { row, column, text } of changes) {
      const cells = Array.from(
        { length: Math.max(row.cells.length, width(), column + 1) },
        (_, index) => after.get(row.place)?.[index] ?? row.cells[index] ?? ''
      )
      cells[column] = text
      lines.set(row.place, row.line)
      // A row that is unchanged again is not imported.
      if (cells.every((cell, index) => cell === (row.cells[index] ?? ''))) after.delete(row.place)
      else after.set(row.place, cells)
    }
    changed.value = after
  }

  return {
    changed,
    count: computed(() => changed.value.size),
    changedRows: () =>
      [...changed.value].map(([place, cells]) => ({ place, line: lines.get(place) ?? 0, cells })),
    cellOf,
    setCell: (row, column, text) => setCells([{ row, column, text }]),
    setCells
  }
}

/** The cells of text that was copied from a spreadsheet: rows of columns. */
export function pastedCells(text: string): string[][] {
  return text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\t'))
}

/** The values that rows have in the column that is to blame, the most frequent first. */
export function faultyValues(rows: readonly FailedRow[]): { value: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { cells, column } of rows) {
    if (column === null) continue
    const value = cells[column] ?? ''
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
}
