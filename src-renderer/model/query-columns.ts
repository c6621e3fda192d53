import type { QueryResult } from '../api/remote-queries.ts'

/** Names of columns that have a meaning of their own; letter case does not count. */
const ownColumns: readonly string[] = ['email', 'distinct_id']

/** True for the column that has the address. */
export function isEmailColumn({ name }: { name: string }): boolean {
  return name.trim().toLowerCase() === 'email'
}

/** Returns the columns of a query that codes can name. */
export function mergeColumnsOf({ columns }: Pick<QueryResult, 'columns'>): { name: string }[] {
  return columns.filter(({ name }) => !ownColumns.includes(name.trim().toLowerCase()))
}

/** Returns a row without values by the columns that a query returned; undefined if another query was run last. */
export function blankRowOf(
  run: { query: string; result: Pick<QueryResult, 'columns'> } | undefined,
  query: string
): Record<string, null> | undefined {
  if (run?.query !== query.trim()) return undefined
  return Object.fromEntries(run.result.columns.map(({ name }) => [name, null]))
}

/** Returns the places of the first rows that are recipients. */
export function recipientPlacesOf({ rows, faults }: Pick<QueryResult, 'rows' | 'faults'>): number[] {
  const skipped = new Set(faults.map(({ params }) => params['row']))
  return rows.flatMap((_, place) => (skipped.has(place + 1) ? [] : [place]))
}

/** Returns a row of a query by its columns. */
export function rowByColumn(
  { columns, rows }: Pick<QueryResult, 'columns' | 'rows'>,
  index: number
): Record<string, string | null> | undefined {
  const row = rows[index]
  return row && Object.fromEntries(columns.map(({ name }, place) => [name, row[place] ?? null]))
}
