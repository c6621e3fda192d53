import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const page = 'docs/performance.md'

/** Replaces the table of a suite in docs/performance.md, or adds it at the end. */
export function writePerformanceTable(
  suite: string,
  caption: string,
  figures: readonly Record<string, unknown>[]
): void {
  if (!existsSync(page)) return
  const [begin, end] = [`<!-- begin ${suite} -->`, `<!-- end ${suite} -->`]
  const section = `${begin}\n\n${caption}\n\n${markdownTable(figures)}\n\n${end}`
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  writeFileSync(
    page,
    from === -1
      ? `${text.trimEnd()}\n\n## ${suite}\n\n${section}\n`
      : text.slice(0, from) + section + text.slice(to + end.length)
  )
}

function markdownTable(rows: readonly Record<string, unknown>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(columns.map((column) => column.replaceAll('_', ' '))),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => cellOf(row[column]))))
  ].join('\n')
}

function cellOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
