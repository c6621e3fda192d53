// `npm run test:mutation`: changes the sources one small step at a time and tells which changes no test notices.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../support/random.ts'
import { mutantsOf, mutated, type Mutant } from './mutants.ts'
import { accepted } from './survivors.ts'
import { targets, type Target } from './targets.ts'

const usage = `Usage: npm run test:mutation -- [--sample N] [--seed N] [--only TEXT] [--json FILE]
  --sample N   mutants to try, drawn by the seed (default 200; 0 tries all, which takes days)
  --seed N     draws the same mutants again
  --only TEXT  only those of files whose path holds TEXT
`

/** A mutant with which tests take so many times as long as without it hangs: that is noticed too. */
const hangsAfter = 3
/** Longest that tests may take without a mutant, in milliseconds. */
const maxRunTime = 900_000
/** Copies of the repository that mutants are tried in at the same time. */
const copies = 2

type Verdict = 'caught' | 'survived'

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})
if (values.help) process.stdout.write(usage)
else await main()

async function main(): Promise<void> {
  const root = join(import.meta.dirname, '../..')
  const seed = Number(values.seed)
  const all = targets.flatMap((target) => mutantsOfTarget(root, target).map((mutant) => ({ mutant, target })))
  const chosen = sampleOf(
    all.filter(({ mutant }) => mutant.file.includes(values.only)),
    Number(values.sample),
    seed
  )
  process.stdout.write(`Trying ${chosen.length} of ${all.length} mutants, SEED=${seed}\n`)
  const directories = Array.from({ length: copies }, () => copyOf(root))
  try {
    const limits = new Map<Target, Limits>()
    await inEach(directories, [...new Set(chosen.map(({ target }) => target))], async (directory, target) => {
      limits.set(target, await limitsOf(directory, target))
    })
    const results: { mutant: Mutant; verdict: Verdict }[] = []
    await inEach(directories, chosen, async (directory, { mutant, target }) => {
      const verdict = await tryMutant(directory, mutant, target, limits.get(target) as Limits)
      results.push({ mutant, verdict })
      process.stdout.write(verdict === 'caught' ? '.' : `\n${describe(mutant)}\n`)
    })
    report(results)
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  }
}

/** Does something with all items, one at a time in each directory. */
async function inEach<Item>(
  directories: string[],
  items: readonly Item[],
  work: (directory: string, item: Item) => Promise<void>
): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    directories.map(async (directory) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await work(directory, next)
    })
  )
}

function mutantsOfTarget(root: string, { sources }: Target): Mutant[] {
  return sources
    .flatMap((source) => (source.endsWith('.ts') ? [source] : globSync(`${source}/**/*.ts`, { cwd: root })))
    .filter((file) => !file.includes('/migrations/') && !/\/(schema|endpoints|routes)\.ts$/.test(file))
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
}

function sampleOf<Item>(items: Item[], count: number, seed: number): Item[] {
  if (count === 0 || count >= items.length) return items
  const random = seededRandom(seed)
  const left = [...items]
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat()
}

/** The repository once more, without what is large: mutants are never written into the one that somebody works in. */
function copyOf(root: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'listwright-mutants-'))
  for (const name of [
    'src-main',
    'src-renderer',
    'test',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts'
  ]) {
    cpSync(join(root, name), join(directory, name), { recursive: true })
  }
  for (const name of ['node_modules', 'out']) symlinkSync(join(root, name), join(directory, name))
  return directory
}

/** How long the tests of a target may take, in milliseconds. */
interface Limits {
  quick: number
  slow: number
}

/** @throws Error when the tests fail on the sources as they are: then nothing could be told of a mutant. */
async function limitsOf(directory: string, target: Target): Promise<Limits> {
  const limitOf = async (which: 'quick' | 'slow'): Promise<number> => {
    const began = performance.now()
    if (!(await passes(directory, target[which], maxRunTime))) {
      throw new Error(
        `The ${which} tests of ${target.sources.join(', ')} fail without a mutant. Fix them first`
      )
    }
    return hangsAfter * (performance.now() - began)
  }
  return { quick: await limitOf('quick'), slow: await limitOf('slow') }
}

async function tryMutant(
  directory: string,
  mutant: Mutant,
  target: Target,
  limits: Limits
): Promise<Verdict> {
  const path = join(directory, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, mutated(text, mutant))
  try {
    for (const which of ['quick', 'slow'] as const) {
      if (!(await passes(directory, target[which], limits[which]))) return 'caught'
    }
    const others = otherTests(directory, target)
    return (await passes(directory, others, maxRunTime)) ? 'survived' : 'caught'
  } finally {
    writeFileSync(path, text)
  }
}

/** All tests but those of the target, and those in a browser and of crashes, which take too long. */
function otherTests(directory: string, { quick, slow }: Target): string[] {
  const own = [...quick, ...slow]
  return globSync('test/**/*.test.ts', { cwd: directory })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\/(e2e|bench)\/|\/(recovery|faults)\.test\.ts$/.test(file))
    .filter((file) => !own.some((each) => file === each || file.startsWith(`${each}/`)))
}

/** Whether all tests pass in time. What hangs is ended with everything that it started. */
async function passes(directory: string, tests: string[], longest: number): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--bail',
      '1',
      '--maxWorkers',
      '1',
      '--testTimeout',
      '40000',
      ...tests
    ],
    { cwd: directory, stdio: 'ignore', detached: true }
  )
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = setTimeout(end, longest)
  const [status] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  return status === 0
}

function describe({ file, line, original, replacement }: Mutant): string {
  const short = (text: string): string => {
    const one = text.replaceAll(/\s+/g, ' ')
    return one.length > 90 ? `${one.slice(0, 90)}…` : one
  }
  return `${file}:${line}  ${short(original)}  →  ${short(replacement)}`
}

function report(results: { mutant: Mutant; verdict: Verdict }[]): void {
  const survivors = results.filter(({ verdict }) => verdict === 'survived').map(({ mutant }) => mutant)
  const caught = results.length - survivors.length
  process.stdout.write(`\n\nCaught ${caught} of ${results.length} (${percent(caught, results.length)})\n`)
  for (const mutant of survivors) {
    const reason = reasonFor(mutant)
    process.stdout.write(`${describe(mutant)}${reason === undefined ? '' : `  (${reason})`}\n`)
  }
  if (values.json) {
    writeFileSync(values.json, `${JSON.stringify({ seed: values.seed, caught, survivors }, null, 2)}\n`)
  }
}

/** Why no test need notice a mutant, where that is so. */
function reasonFor({ file, line, original, replacement }: Mutant): string | undefined {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n')[line - 1] ?? ''
  return accepted.find(
    (each) =>
      each.file === file &&
      each.original === original &&
      each.replacement === replacement &&
      text.includes(each.line ?? '')
  )?.reason
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`
}
