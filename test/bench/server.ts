import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Client } from '../support/client.ts'
import type { ReadyLine } from '../support/process.ts'

/** The built application as a process of its own. */
export interface BenchedServer {
  api: Client
  pid: number
  /** The peak memory in bytes; undefined if the system does not provide it. */
  peakMemory(): number | undefined
  /**
   * Resets the peak.
   * @returns the current memory in bytes; undefined if the system does not provide it
   */
  forgetPeakMemory(): number | undefined
  end(): Promise<void>
}

export async function startServer(dataDirectory: string): Promise<BenchedServer> {
  const child = spawn(
    process.execPath,
    ['out/main/listwright.js', 'serve', '--data-dir', dataDirectory, '--port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  process.on('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface(child.stdout)) {
    const ready = JSON.parse(line) as ReadyLine
    return {
      api: new Client(ready.base_url, ready.authorization),
      pid: child.pid ?? 0,
      peakMemory: () => peakMemoryOf(child.pid ?? 0),
      forgetPeakMemory: () => {
        forgetPeakMemoryOf(child.pid ?? 0)
        return peakMemoryOf(child.pid ?? 0)
      },
      end: async () => {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    }
  }
  throw new Error('the application did not start')
}

/** proc(5), clear_refs: 5 resets the peak. */
function forgetPeakMemoryOf(pid: number): void {
  const path = `/proc/${pid}/clear_refs`
  if (existsSync(path)) writeFileSync(path, '5')
}

export function peakMemoryOf(pid: number): number | undefined {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return undefined
  const kibibytes = /VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}
