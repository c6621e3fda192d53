import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const listing = '/proc/self/fd'

/** Whether the system tells which files a process has open. */
export const canCountOpenFiles = existsSync(listing)

/** How many files this process has open whose paths begin so. */
export function openFiles(path: string): number {
  return readdirSync(listing).filter((name) => {
    try {
      return readlinkSync(`${listing}/${name}`).startsWith(path)
    } catch {
      // The one that lists them is closed by now.
      return false
    }
  }).length
}
