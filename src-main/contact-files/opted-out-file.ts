import type { FileAnalysis } from './analysis/schema.ts'

/**
 * Whether everyone in a file has opted out: "rows" where a column says so, which also counts for those who are on the list already;
 * "name" where only the name of the file does, and rows have no status of their own.
 */
export function optedOutBy({
  findings,
  reading
}: Pick<FileAnalysis, 'findings' | 'reading'>): 'rows' | 'name' | null {
  if (!findings.some(({ rule }) => rule === 'only_opted_out')) return null
  return reading.columns.some(({ status }) => status !== null) ? 'rows' : 'name'
}
