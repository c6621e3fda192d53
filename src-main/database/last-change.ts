import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { LogPosition } from './write-ahead-log.ts'

// How far the data went stands outside of the database as well: a log that was taken away or broken, or an older copy in the place of
// the database, would look whole.

/** The position of the last committed change. */
export interface LastChange {
  changeLogId: number
  /** The end of the database's log; null = everything is in the database. */
  log: LogPosition | null
}

export function lastChangePath(databasePath: string): string {
  return `${databasePath}-last`
}

/** Stores the position of the last change after each durable commit. */
export class LastChangeNotes {
  readonly #path: string
  #file: number | null = null

  constructor(databasePath: string) {
    this.#path = lastChangePath(databasePath)
  }

  /** @param isLast whether it has to be on disk, since a log that was noted is removed after it */
  note({ changeLogId, log }: LastChange, isLast = false): void {
    const position = log ? `${log.salts.toString(16)} ${log.frames}` : '-'
    const isFirst = this.#file === null && !existsSync(this.#path)
    this.#file ??= openSync(this.#path, isFirst ? 'w' : 'r+')
    // Written over in its place, and therefore of one length.
    const bytes = Buffer.from(`${`${changeLogId} ${position}`.padEnd(63)}\n`)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#file, bytes, written, null, written)
    } catch (error) {
      // The disk is full or faulty: half a note would look like damage, while an empty one raises no alarm.
      if (written > 0) ftruncateSync(this.#file, 0)
      throw error
    }
    if (isLast) fsyncSync(this.#file)
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

/** @returns the last stored position; "nothing" if there is none; "damaged" if it is unreadable */
export function notedLastChange(databasePath: string): LastChange | 'nothing' | 'damaged' {
  const path = lastChangePath(databasePath)
  if (!existsSync(path)) return 'nothing'
  const text = readFileSync(path, 'latin1')
  // The power failed or the application ended before the first note was written.
  if (/^\0*$/.test(text)) return 'nothing'
  const parts = /^(\d+) (?:-|([0-9a-f]+) (\d+)) *\n$/.exec(text)
  if (!parts) return 'damaged'
  const [, changeLogId, salts, frames] = parts
  return {
    changeLogId: Number(changeLogId),
    log: salts === undefined ? null : { salts: BigInt(`0x${salts}`), frames: Number(frames) }
  }
}
