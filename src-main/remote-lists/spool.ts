import Database from 'better-sqlite3'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { valuesOfColumns } from './fields.ts'
import type { QueriedRecipient } from './recipients.ts'

// The recipients of a campaign, read from a database into a file of their own before the first message leaves: a connection that is open for
// as long as sending takes breaks, and what it returned cannot be asked for again.

export function spoolDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'spools')
}

export function spoolPath(dataDirectory: string, campaignId: number): string {
  return join(spoolDirectory(dataDirectory), `campaign-${campaignId}.db`)
}

/** Returns where recipients are written until all of them are there. */
export function partialSpoolPath(path: string): string {
  return `${path}.part`
}

/** Returns the campaign of a file, also of one that is not complete; null for other files. */
export function campaignOfSpool(name: string): number | null {
  const id = /^campaign-(\d+)\.db(?:\.part)?$/.exec(name)?.[1]
  return id === undefined ? null : Number(id)
}

/** A file that recipients are written to. It has its name only once it is complete and on disk. */
export class SpoolWriter {
  readonly key = randomUUID()
  readonly #path: string
  readonly #partial: string
  readonly #file: Database.Database
  readonly #insert: Database.Statement<[string, number | null, string]>
  recipients = 0

  constructor(path: string) {
    this.#path = path
    this.#partial = partialSpoolPath(path)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(this.#partial, { force: true })
    this.#file = new Database(this.#partial)
    // What an interruption leaves is begun anew, so nothing has to outlast one before the end.
    this.#file.pragma('journal_mode = MEMORY')
    this.#file.pragma('synchronous = OFF')
    this.#file.pragma('locking_mode = EXCLUSIVE')
    this.#file.exec(`
      CREATE TABLE spool (file_key TEXT NOT NULL) STRICT;
      CREATE TABLE recipients (
        seq_id INTEGER PRIMARY KEY, email TEXT NOT NULL, distinct_id INTEGER, field_values TEXT NOT NULL
      ) STRICT;`)
    this.#file.prepare('INSERT INTO spool VALUES (?)').run(this.key)
    this.#insert = this.#file.prepare(
      'INSERT INTO recipients (email, distinct_id, field_values) VALUES (?, ?, ?)'
    )
  }

  add(recipients: readonly QueriedRecipient[]): void {
    this.#file.exec('BEGIN')
    for (const { email, distinctId, values } of recipients) {
      this.#insert.run(email, distinctId, JSON.stringify(valuesOfColumns(values)))
    }
    this.#file.exec('COMMIT')
    this.recipients += recipients.length
  }

  complete(): void {
    this.#file.close()
    syncFile(this.#partial)
    renameSync(this.#partial, this.#path)
    if (process.platform !== 'win32') syncFile(dirname(this.#path))
  }

  discard(): void {
    this.#file.close()
    rmSync(this.#partial, { force: true })
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export interface SpooledRecipient {
  seq_id: number
  email: string
  distinct_id: number | null
  /** JSON of {@link valuesOfColumns}. */
  field_values: string
}

/** The recipients of a campaign in a complete file. */
export class SpoolReader {
  readonly #file: Database.Database

  private constructor(file: Database.Database) {
    this.#file = file
  }

  /** @returns null if the file is not there, or not the one with the key */
  static open(path: string, key: string): SpoolReader | null {
    if (!existsSync(path)) return null
    const file = new Database(path, { readonly: true })
    const found = file.prepare<[], string>('SELECT file_key FROM spool').pluck().get()
    if (found === key) return new SpoolReader(file)
    file.close()
    return null
  }

  after(seqId: number, limit: number): SpooledRecipient[] {
    return this.#file
      .prepare<[number, number], SpooledRecipient>(
        'SELECT * FROM recipients WHERE seq_id > ? ORDER BY seq_id LIMIT ?'
      )
      .all(seqId, limit)
  }

  findByIds(seqIds: readonly number[]): SpooledRecipient[] {
    const find = this.#file.prepare<[number], SpooledRecipient>('SELECT * FROM recipients WHERE seq_id = ?')
    return seqIds.flatMap((seqId) => find.get(seqId) ?? [])
  }

  close(): void {
    this.#file.close()
  }
}
