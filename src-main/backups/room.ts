import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import { statfs } from 'node:fs/promises'

/** So much of a disk stays free, in bytes. */
const headroom = 256_000_000

/**
 * @param what needs the room, as the beginning of a sentence
 * @throws Error with a sentence where writing so many bytes would leave too little of the disk
 */
export async function requireRoom(what: string, bytes: number, directory: string): Promise<void> {
  const needed = bytes + headroom
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  if (free >= needed) return
  const inMegabytes = (size: number): string => (size / 1e6).toFixed(0)
  throw new ExplainedError(
    refusal('no_room', { what, needed: inMegabytes(needed), directory, free: inMegabytes(free) })
  )
}
