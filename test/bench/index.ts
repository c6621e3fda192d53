import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { benchImport } from './import.ts'

// npm run bench [-- import [ROWS]]: prints a table and writes the same figures as JSON to test/bench/results.

const [suite = 'import', size = '1000000'] = process.argv.slice(2)
const rows = Number(size.replaceAll(/[_,]/g, ''))

if (suite !== 'import' || !Number.isInteger(rows) || rows < 1) {
  process.stderr.write('Usage: npm run bench [-- import [ROWS]]\n')
  process.exit(1)
}

const figures = await benchImport(rows)
const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length }

console.table(
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((each: number) => each.toFixed(2)).join(', ')
        : rounded(value as number | null)
    ])
  )
)
const directory = 'test/bench/results'
mkdirSync(directory, { recursive: true })
const json = JSON.stringify({ suite, at: new Date().toISOString(), machine, figures }, null, 2)
const path = `${directory}/${suite}-${Date.now()}.json`
writeFileSync(path, `${json}\n`)
process.stdout.write(`${json}\n\nWritten to ${path}\n`)

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(value < 100 ? 2 : 0))
}
