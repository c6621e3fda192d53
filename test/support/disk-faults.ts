import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { endianness } from 'node:os'

/** How many of a million calls fail; see disk-faults.c. */
export interface FaultRates {
  shortWrites: number
  failedWrites: number
  failedSyncs: number
}

/** A disk whose writes and syncs fail on demand, for a process with its environment. */
export interface FaultyDisk {
  /** Variables of the process. */
  env: Record<string, string>
  /** Takes effect at once, also for running processes. */
  set: (rates: FaultRates) => void
  /** The number of failed calls. */
  counts: () => FaultRates
}

/** True if a process can be given such a disk: the preloaded library is written in C for Linux. */
export const canFail = process.platform === 'linux' && endianness() === 'LE' && hasCompiler()

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * @param tools a directory for its files, outside of the failing one
 * @param directory whose writes fail
 */
export function faultyDisk(tools: string, directory: string, seed: number): FaultyDisk {
  const library = join(tools, 'disk-faults.so')
  const source = join(import.meta.dirname, 'disk-faults.c')
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source])
  const control = join(tools, 'control')
  writeFileSync(control, Buffer.alloc(4096))
  const put = (offset: number, ...values: number[]): void => {
    const file = openSync(control, 'r+')
    writeSync(file, Buffer.from(Uint32Array.from(values).buffer), 0, 4 * values.length, offset)
    closeSync(file)
  }
  put(0, seed)
  return {
    env: { LD_PRELOAD: library, DISK_FAULTS_CONTROL: control, DISK_FAULTS_DIRECTORY: directory },
    set: ({ shortWrites, failedWrites, failedSyncs }) => put(4, shortWrites, failedWrites, failedSyncs),
    counts: () => {
      const bytes = readFileSync(control)
      const [shortWrites = 0, failedWrites = 0, failedSyncs = 0] = [16, 20, 24].map((at) =>
        bytes.readUInt32LE(at)
      )
      return { shortWrites, failedWrites, failedSyncs }
    }
  }
}
