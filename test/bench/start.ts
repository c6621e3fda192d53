import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadyLine } from '../support/process.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

const starts = 7
/** Milliseconds after which an idle application is at rest. */
const rest = 8000

export interface StartFigures {
  what: string
  /** Milliseconds, or MB where it says so. */
  median: number
  least?: number
  most?: number
}

/**
 * Measures a start until the server is ready and the page is loaded, the memory at rest, and the work of the
 * main thread.
 */
export async function benchStart(rows: number): Promise<StartFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  try {
    const server = await startServer(directory)
    await makeFilledList(server.api, directory, rows, 0)
    await server.end()
    const runs: Started[] = []
    for (let run = 0; run < starts; run++) runs.push(await start(directory))
    const figure = (what: string, of: (run: Started) => number): StartFigures => {
      const values = runs.map(of).sort((a, b) => a - b)
      return {
        what,
        median: values[Math.floor(values.length / 2)] ?? 0,
        least: values[0] ?? 0,
        most: values.at(-1) ?? 0
      }
    }
    return [
      figure('ready (ms)', ({ ready }) => ready),
      figure('first page (ms)', ({ page }) => page),
      { what: 'at rest (MB, resident)', median: await memoryAtRest(directory) },
      ...(await traceOf(directory)),
      ...packageSizes()
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

interface Started {
  /** Milliseconds from the start of the process. */
  ready: number
  /** Until the page and its script were answered. */
  page: number
}

async function start(directory: string): Promise<Started> {
  const began = performance.now()
  const { child, ready } = await spawned(directory)
  const isReady = performance.now() - began
  const headers = { accept: 'text/html' }
  const html = await (await fetch(ready.base_url, { headers })).text()
  const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? ''
  await (await fetch(ready.base_url + script)).arrayBuffer()
  const page = performance.now() - began
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { ready: isReady, page }
}

async function spawned(directory: string, nodeArguments: string[] = []) {
  const args = ['out/main/listwright.js', 'serve', '--data-dir', directory, '--port', '0', '--json']
  const child = spawn(process.execPath, [...nodeArguments, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout))
    return { child, ready: JSON.parse(line) as ReadyLine }
  throw new Error('the application did not start')
}

async function memoryAtRest(directory: string): Promise<number> {
  const { child } = await spawned(directory)
  await pause(rest)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  child.kill('SIGTERM')
  await once(child, 'exit')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
}

async function traceOf(directory: string): Promise<StartFigures[]> {
  const profiles = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const { child } = await spawned(directory, ['--cpu-prof', `--cpu-prof-dir=${profiles}`])
  child.kill('SIGTERM')
  await once(child, 'exit')
  const [path = ''] = readdirSync(profiles)
    .map((name) => join(profiles, name))
    .filter((name) => name.includes('.0.'))
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as Profile
  await rm(profiles, { recursive: true, force: true })
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const taken = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const { url = '', functionName = '' } = frames.get(id) ?? {}
    const where = url === '' ? functionName : basename(url)
    taken.set(where, (taken.get(where) ?? 0) + (timeDeltas[index] ?? 0) / 1000)
  }
  return [...taken]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([where, milliseconds]) => ({ what: `main thread: ${where} (ms)`, median: milliseconds }))
}

function packageSizes(): StartFigures[] {
  if (!existsSync('dist')) return []
  return globSync('dist/{,electron/}*.{deb,rpm,gz,AppImage,exe,dmg,zip}').map((path) => ({
    what: `${basename(path)} (MB)`,
    median: statSync(path).size / 1e6
  }))
}
