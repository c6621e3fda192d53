import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { benchBackup } from './backup.ts'
import { benchBulkActions } from './bulk-actions.ts'
import { benchCalls } from './calls.ts'
import { benchCampaigns } from './campaigns.ts'
import { benchDeletion } from './deletion.ts'
import { benchFilters } from './filters.ts'
import { benchGate } from './gate.ts'
import { benchImport } from './import.ts'
import { benchOrganizations } from './organizations.ts'
import { benchPeers } from './peers.ts'
import { benchRemoteLists } from './remote-lists.ts'
import { benchScale } from './scale.ts'
import { benchSegments } from './segments.ts'
import { benchSize } from './size.ts'
import { benchRehearsal } from './rehearsal.ts'
import { benchSmtp } from './smtp.ts'
import { benchStart } from './start.ts'
import { benchSync } from './sync.ts'
import { benchWebhooks } from './webhooks.ts'
import { benchWindow } from './window.ts'
import { writePerformanceTable } from './performance-page.ts'

// npm run bench [-- backup|import|calls|deletion|segments|filters|bulk-actions|campaigns|gate|organizations|peers|rehearsal|remote-lists|scale|size|smtp|start|sync|webhooks|window [ROWS ...]]:
// prints a table for each number of rows, writes the figures as JSON to test/bench/results, and the table of the first number of rows to
// docs/performance.md.

const suites = {
  backup: benchBackup,
  import: benchImport,
  calls: benchCalls,
  deletion: benchDeletion,
  segments: benchSegments,
  start: benchStart,
  filters: benchFilters,
  'bulk-actions': benchBulkActions,
  campaigns: benchCampaigns,
  gate: benchGate,
  organizations: benchOrganizations,
  peers: benchPeers,
  scale: benchScale,
  size: benchSize,
  rehearsal: benchRehearsal,
  'remote-lists': benchRemoteLists,
  smtp: benchSmtp,
  sync: benchSync,
  webhooks: benchWebhooks,
  window: benchWindow
}
const [name = 'all', ...given] = process.argv.slice(2)
const sizes = (given.length > 0 ? given : ['1000000']).map((size) => Number(size.replaceAll(/[_,]/g, '')))
const chosen = Object.entries(suites).filter(([suite]) => name === 'all' || name === suite)

if (chosen.length === 0 || sizes.some((rows) => !Number.isInteger(rows) || rows < 1)) {
  process.stderr.write(`Usage: npm run bench [-- ${Object.keys(suites).join('|')} [ROWS ...]]\n`)
  process.exit(1)
}
for (const [suite, bench] of chosen) {
  for (const rows of sizes) report(suite, rows, await bench(rows))
}

function report(suite: string, rows: number, figures: object): void {
  console.table(Array.isArray(figures) ? figures.map(rounded) : rounded(figures))
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length }
  const json = JSON.stringify({ suite, at: new Date().toISOString(), rows, machine, figures }, null, 2)
  const directory = 'test/bench/results'
  mkdirSync(directory, { recursive: true })
  const path = `${directory}/${suite}-${Date.now()}.json`
  writeFileSync(path, `${json}\n`)
  process.stdout.write(`${json}\n\nWritten to ${path}\n`)
  if (rows !== sizes[0]) return
  const caption = `\`npm run bench -- ${suite} ${rows}\` on ${new Date().toISOString().slice(0, 10)}, ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}.`
  writePerformanceTable(suite, caption, [figures].flat().map(rounded))
}

function rounded(figures: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(short).join(', ') : short(value)
    ])
  )
}

function short(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(value < 100 ? 2 : 0)) : value
}
