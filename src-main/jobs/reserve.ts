import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storageFaultOf } from '../base/errors.ts'

/** Bytes that are kept free: enough for noting that an import is paused or an export failed, and for going on. */
const reservedBytes = 1024 * 1024

/** Reserves some disk space, to be released when the disk is full. Does nothing on a full disk. */
export function claimReserve(dataDirectory: string): void {
  const path = reservePath(dataDirectory)
  if (existsSync(path)) return
  try {
    mkdirSync(join(dataDirectory, 'imports'), { recursive: true })
    // Not zeros alone: some file systems keep those without taking space.
    writeFileSync(path, Buffer.alloc(reservedBytes, 'reserve '))
  } catch (error) {
    rmSync(path, { force: true })
    if (!storageFaultOf(error)) throw error
  }
}

export function releaseReserve(dataDirectory: string): void {
  rmSync(reservePath(dataDirectory), { force: true })
}

function reservePath(dataDirectory: string): string {
  return join(dataDirectory, 'imports', 'reserve')
}
