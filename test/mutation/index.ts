// `npm run test:mutation`: changes the sources one small step at a time and tells which changes no test notices.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../support/random.ts'
import { type Block, blockAt, instrumented } from './blocks.ts'
import { Compiler } from './compiler.ts'
import { mutantsOf, mutated, type Mutant } from './mutants.ts'
import { reachDirectory } from './reached.ts'
import { accepted } from './survivors.ts'
import { targets, type Target } from './targets.ts'

const usage = `Usage: npm run test:mutation -- [--sample N] [--seed N] [--only TEXT] [--json FILE]
  --sample N   mutants that compile, drawn by the seed (default 200; 0 tries all, which takes days)
  --seed N     draws the same mutants again
  --only TEXT  only those of files whose path holds TEXT
`

/** A mutant counts as detected, since it hangs, if its tests take this many times their usual duration. */
const hangsAfter = 3
/** The time of a test run besides the tests, on a busy machine, in milliseconds. */
const startTime = 20_000
/** The files that are tried first together take no longer than this; each further run takes three times as long. */
const firstRunTime = 15_000
/**
 * Tests of one mutant take no longer than this together, by the times that were measured, in milliseconds. What only the tests left out
 * would catch counts as survived, so the share that is printed is a lower bound.
 */
const maxTestTime = 120_000
const copies = 2
/** Directories that a copy does not need, or shares. */
const notCopied = ['.git', 'dist', 'node_modules', 'out']

const repository = join(import.meta.dirname, '../..')

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
  const seed = Number(values.seed)
  const all = targets.flatMap((target) => mutantsOfTarget(target).map((mutant) => ({ mutant, target })))
  const { chosen, refused } = sampleOf(
    all.filter(({ mutant }) => mutant.file.includes(values.only)),
    Number(values.sample),
    seed
  )
  process.stdout.write(
    `Trying ${chosen.length} of ${all.length} mutants, SEED=${seed}. The compiler refuses ${refused} more that were drawn\n`
  )
  const directories = Array.from({ length: copies }, () => copyOf())
  try {
    const tests = await timedTests(directories, [...new Set(all.map(({ mutant }) => mutant.file))])
    const results: { mutant: Mutant; verdict: Verdict }[] = []
    await inEach(directories, chosen, async (directory, { mutant, target }) => {
      const verdict = await tryMutant(
        directory,
        mutant,
        within(maxTestTime, inOrder(tests.of(mutant), target))
      )
      results.push({ mutant, verdict })
      process.stdout.write(verdict === 'caught' ? '.' : `\n${describe(mutant)}\n`)
    })
    report(results)
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  }
}

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

function mutantsOfTarget({ sources }: Target): Mutant[] {
  return sources
    .flatMap((source) =>
      source.endsWith('.ts') ? [source] : globSync(`${source}/**/*.ts`, { cwd: repository })
    )
    .filter((file) => !file.includes('/migrations/') && !/\/(schema|endpoints|routes)\.ts$/.test(file))
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(repository, file), 'utf8')))
}

interface Candidate {
  mutant: Mutant
  target: Target
}

/** Draws mutants that compile: the others are caught before any test runs, and say nothing about the tests. */
function sampleOf(all: Candidate[], count: number, seed: number): { chosen: Candidate[]; refused: number } {
  const compiler = new Compiler(repository)
  const random = seededRandom(seed)
  const left = [...all]
  const chosen: Candidate[] = []
  let refused = 0
  while (left.length > 0 && (count === 0 || chosen.length < count)) {
    for (const each of left.splice(Math.floor(random() * left.length), 1)) {
      if (compiler.refuses(each.mutant)) refused++
      else chosen.push(each)
    }
  }
  return { chosen, refused }
}

/** Copies the repository without large directories: mutants are never written into the working copy. */
function copyOf(): string {
  const directory = mkdtempSync(join(tmpdir(), 'listwright-mutants-'))
  for (const name of readdirSync(repository).filter((each) => !notCopied.includes(each)))
    cpSync(join(repository, name), join(directory, name), { recursive: true })
  for (const name of ['node_modules', 'out']) symlinkSync(join(repository, name), join(directory, name))
  return directory
}

/** A file of tests, and how long it takes without a mutant, in milliseconds. */
interface TimedTest {
  file: string
  duration: number
}

async function timedTests(
  directories: string[],
  sources: string[]
): Promise<{ of: (mutant: Mutant) => TimedTest[] }> {
  const blocks = directories.map((directory) => instrument(directory, sources))[0] ?? []
  const found: (TimedTest & { reached: Set<number> })[] = []
  await inEach(directories, testFiles(directories[0] ?? ''), async (directory, file) => {
    const reach = mkdtempSync(join(tmpdir(), 'listwright-reach-'))
    const began = performance.now()
    const isFit = await passes(directory, [file], 900_000, { [reachDirectory]: reach })
    const duration = performance.now() - began
    const numbers = readdirSync(reach).flatMap((name) =>
      readFileSync(join(reach, name), 'utf8').trim().split('\n').map(Number)
    )
    rmSync(reach, { recursive: true })
    // Whatever it says of a mutant means nothing.
    if (isFit) found.push({ file, duration, reached: new Set(numbers) })
    else process.stdout.write(`${file} fails without a mutant, and is left out\n`)
  })
  for (const directory of directories) {
    for (const source of sources) cpSync(join(repository, source), join(directory, source))
  }
  return {
    of: ({ file, start }) => {
      const block = blockAt(blocks, file, start)
      return found.filter(({ reached }) => block && reached.has(block.number))
    }
  }
}

function instrument(directory: string, sources: string[]): Block[] {
  const all: Block[] = []
  for (const file of sources) {
    const path = join(directory, file)
    const { text, blocks } = instrumented(
      file,
      readFileSync(path, 'utf8'),
      all.length,
      join(directory, 'test/mutation/reached.ts')
    )
    writeFileSync(path, text)
    all.push(...blocks)
  }
  return all
}

/** All tests except those in a browser and of packages, which run the build. */
function testFiles(directory: string): string[] {
  return globSync('test/**/*.test.ts', { cwd: directory })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/^test\/(e2e|packages)\//.test(file))
    .sort()
}

/** Those that are about the target's sources first, and of them and of the others the quick ones. */
function inOrder(tests: TimedTest[], target: Target): TimedTest[] {
  const isAbout = ({ file }: TimedTest): boolean =>
    target.tests.some((each) => file === each || file.startsWith(`${each}/`))
  return tests.sort((a, b) => Number(isAbout(b)) - Number(isAbout(a)) || a.duration - b.duration)
}

/** Returns the first tests that fit into a time in milliseconds. */
function within(time: number, tests: TimedTest[]): TimedTest[] {
  let left = time
  return tests.filter(({ duration }) => {
    if (duration > left) return false
    left -= duration
    return true
  })
}

/** @param tests those that reach it, in the order in which they are tried */
async function tryMutant(directory: string, mutant: Mutant, tests: TimedTest[]): Promise<Verdict> {
  const path = join(directory, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, mutated(text, mutant))
  try {
    for (const run of runsOf(tests)) {
      const longest = startTime + hangsAfter * run.reduce((sum, { duration }) => sum + duration, 0)
      const files = run.map(({ file }) => file)
      if (!(await passes(directory, files, longest))) return 'caught'
    }
    return 'survived'
  } finally {
    writeFileSync(path, text)
  }
}

/** Cuts tests into runs, each longer than the one before: most mutants are caught by the first. */
function runsOf(tests: TimedTest[]): TimedTest[][] {
  const runs: TimedTest[][] = []
  let left = firstRunTime
  for (const test of tests) {
    const run = runs.at(-1)
    if (run && test.duration <= left) run.push(test)
    else {
      runs.push([test])
      left = firstRunTime * 3 ** (runs.length - 1)
    }
    left -= test.duration
  }
  return runs
}

async function passes(
  directory: string,
  tests: string[],
  longest: number,
  env: NodeJS.ProcessEnv = {}
): Promise<boolean> {
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
    { cwd: directory, stdio: 'ignore', detached: true, env: { ...process.env, ...env } }
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

/** Returns why a mutant need not be detected, if so. */
function reasonFor({ file, line, original, replacement }: Mutant): string | undefined {
  const text = readFileSync(join(repository, file), 'utf8').split('\n')[line - 1] ?? ''
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
