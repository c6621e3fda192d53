import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { entryPoint } from './built.ts'
import { Client } from './client.ts'

/** The line that `npm run serve -- --json` prints. */
export interface ReadyLine {
  base_url: string
  organization_id: number
  api_key: string
  authorization: string
  data_dir: string
}

/** `npm run serve` as a process of its own. */
export interface ServedApplication {
  api: Client
  ready: ReadyLine
  output(): string
  errors(): string
  pid: number
  /** The exit status; null after a signal. */
  ended: Promise<number | null>
  /** Sends a signal and waits for the end. @returns the exit status, null after a signal that ended it */
  end: (signal: NodeJS.Signals) => Promise<number | null>
}

/**
 * Starts the application on a free port. It is killed after the test at the latest.
 * @param program the command line of `listwright`, where it is not the one of this checkout
 * @param env variables that it has beside those of the tests
 */
export async function serve(
  dataDirectory: string,
  { program = ownProgram, env = {} }: { program?: readonly string[]; env?: NodeJS.ProcessEnv } = {}
): Promise<ServedApplication> {
  const child = run(program, ['serve', '--data-dir', dataDirectory, '--port', '0', '--json'], { env })
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ended = once(child, 'exit').then(() => child.exitCode)
  const ready = await firstLine(child, () => errors)
  return {
    api: new Client(ready.base_url, ready.authorization),
    ready,
    output: () => output,
    errors: () => errors,
    pid: child.pid ?? 0,
    ended,
    end: (signal) => {
      child.kill(signal)
      return ended
    }
  }
}

/**
 * Starts the entry point with any arguments.
 * @param uid of the process, if not that of the tests
 */
export function runServe(args: string[], uid?: number): ChildProcess {
  return run(ownProgram, ['serve', ...args], uid === undefined ? {} : { uid, gid: uid })
}

const ownProgram = [process.execPath, entryPoint]

function run(
  [command = '', ...first]: readonly string[],
  args: string[],
  { env, ...options }: Pick<SpawnOptions, 'env' | 'uid' | 'gid'>
): ChildProcess {
  const child = spawn(command, [...first, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...options
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Starts another command of `listwright`. @returns the first line that it prints, which is JSON */
export async function startListwright(args: string[]) {
  const child = run(ownProgram, args, {})
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ended = once(child, 'exit').then(() => child.exitCode)
  return {
    first: await firstLine<unknown>(child, () => errors),
    pid: child.pid ?? 0,
    end: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    }
  }
}

async function firstLine<Line = ReadyLine>(child: ChildProcess, errors: () => string): Promise<Line> {
  if (!child.stdout) throw new Error('the process has no output')
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Line
  throw new Error(`the application did not start: ${errors()}`)
}
