import { existsSync, readdirSync, readlinkSync } from 'node:fs'

const listing = '/proc/self/fd'

/** True if the system lists the open files of a process. */
export const canCountOpenFiles = existsSync(listing)

/** Counts the open files of this process whose paths begin with `path`. */
export function openFiles(path: string): number {
  return readdirSync(listing).filter((name) => {
    try {
      return readlinkSync(`${listing}/${name}`).startsWith(path)
    } catch {
      // The descriptor that readdirSync used is in the listing, but it is closed by now.
      return false
    }
  }).length
}
