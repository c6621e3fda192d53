import { execFileSync } from 'node:child_process'
import { open, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './application.ts'

/** True if tests may mount disks on this machine. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0

/** A data directory on a disk of so many MB, which can be filled and can grow. */
export async function smallDisk(megabytes: number): Promise<{
  directory: string
  /** Leaves so many bytes free, or fewer. */
  fill: (left: number) => Promise<void>
  grow: (to: number) => void
}> {
  const directory = await temporaryDirectory()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'listwright-test', directory])
  onTestFinished(() => void execFileSync('umount', ['--lazy', directory]))
  return {
    directory,
    fill: (left) => fill(directory, left),
    grow: (to) => void execFileSync('mount', ['-o', `remount,size=${to}m`, directory])
  }
}

/** Also beside an application that writes meanwhile, such as one that copies its log into the database. */
async function fill(directory: string, left: number): Promise<void> {
  const file = await open(join(directory, 'other.bin'), 'a')
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(directory)
      const free = bavail * bsize - left
      if (free < bsize) return
      await file.write(Buffer.alloc(Math.min(free, 1_000_000), 'other'))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}
