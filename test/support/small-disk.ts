import { execFileSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './application.ts'

/** Whether this machine lets tests make disks of their own. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0

/** A data directory on a disk of so many MB, which can grow. */
export async function smallDisk(
  megabytes: number
): Promise<{ directory: string; grow: (to: number) => void }> {
  const directory = await temporaryDirectory()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'listwright-test', directory])
  onTestFinished(() => void execFileSync('umount', ['--lazy', directory]))
  return {
    directory,
    grow: (to) => void execFileSync('mount', ['-o', `remount,size=${to}m`, directory])
  }
}
