import { type ChildProcess, spawn } from 'node:child_process'
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
  /** Everything that was printed to standard output so far. */
  output(): string
  pid: number
  /** Sends a signal and waits for the end. @returns the exit status, null after a signal that ended it */
  end: (signal: NodeJS.Signals) => Promise<number | null>
}

/**
 * Starts the application on a free port. It is killed after the test at the latest.
 * @param program the command line of `listwright`, where it is not the one of this checkout
 */
export async function serve(
  dataDirectory: string,
  program: readonly string[] = ownProgram
): Promise<ServedApplication> {
  const child = run(program, ['serve', '--data-dir', dataDirectory, '--port', '0', '--json'])
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ready = await firstLine(child)
  return {
    api: new Client(ready.base_url, ready.authorization),
    ready,
    output: () => output,
    pid: child.pid ?? 0,
    end: async (signal) => {
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child.exitCode
    }
  }
}

/**
 * The entry point itself, with any arguments.
 * @param uid whose process it is, where that is not the one of the tests
 */
export function runServe(args: string[], uid?: number): ChildProcess {
  return run(ownProgram, ['serve', ...args], uid)
}

const ownProgram = [process.execPath, entryPoint]

function run([command = '', ...first]: readonly string[], args: string[], uid?: number): ChildProcess {
  const child = spawn(command, [...first, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid })
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function firstLine(child: ChildProcess): Promise<ReadyLine> {
  if (!child.stdout || !child.stderr) throw new Error('the process has no output')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as ReadyLine
  throw new Error(`the application did not start: ${errors}`)
}
