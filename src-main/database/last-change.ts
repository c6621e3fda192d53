import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'

// How far the change log went stands outside of the database as well: a log that was taken away, or an older copy in its place, would
// look whole.

/** Digits of the number: it is written over in its place. */
const digits = 16

/** Where it is noted how far the change log of a database went. */
export function lastChangePath(databasePath: string): string {
  return `${databasePath}-last`
}

/** Notes the last entry of the change log after each commit that is on disk. */
export class LastChange {
  readonly #path: string
  #file: number | null = null

  constructor(databasePath: string) {
    this.#path = lastChangePath(databasePath)
  }

  note(id: number): void {
    this.#file ??= openSync(this.#path, existsSync(this.#path) ? 'r+' : 'w')
    writeSync(this.#file, `${String(id).padStart(digits, '0')}\n`, 0)
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

/** @returns the last entry that was noted; 0 where none was, or what was noted cannot be read */
export function notedLastChange(databasePath: string): number {
  const path = lastChangePath(databasePath)
  if (!existsSync(path)) return 0
  const text = readFileSync(path, 'utf8').trim()
  return /^\d+$/.test(text) ? Number(text) : 0
}
