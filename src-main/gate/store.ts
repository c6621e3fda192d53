import SQLite, { type Database } from 'better-sqlite3'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { GateContents, GateEvent, GateStatus } from '../gates/protocol.ts'

/** An event before it has a number. */
export type NewEvent = Omit<GateEvent, 'number'>

/** Events that wait to be fetched; beyond that a gate is full. */
export const mostUnfetched = 2_000_000
/** Fetched events are kept until they are so old, for an application that is restored from a backup; in milliseconds. */
const keptFor = 30 * 24 * 60 * 60 * 1000
/** Characters of the data of events that are answered at once; the application reads 16 MB at most. */
const mostAnswered = 4_000_000
/** Events deleted at once. */
const deletedAtOnce = 1000

const schema = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE contents (key TEXT PRIMARY KEY, digest TEXT NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE images (key TEXT PRIMARY KEY, media_type TEXT NOT NULL, bytes BLOB NOT NULL) STRICT;
  -- Each start is an epoch of its own, so that a gate restored from a copy numbers nothing twice.
  CREATE TABLE epochs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    epoch TEXT NOT NULL UNIQUE,
    fetched INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE events (
    epoch_id INTEGER NOT NULL REFERENCES epochs (id),
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    token TEXT NOT NULL,
    purpose TEXT NOT NULL,
    link TEXT NOT NULL,
    ip TEXT NOT NULL,
    is_machine INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- Sealed; '' for most.
    data TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (epoch_id, number)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 2;
`

const secondVersion = `
  ALTER TABLE events ADD COLUMN data TEXT NOT NULL DEFAULT '';
  PRAGMA user_version = 2;
`

/** The database of a gate. What it has answered is on disk. */
export class GateStore {
  readonly #database: Database
  readonly #epochId: number
  #lastNumber = 0
  #unfetched: number

  /** @throws Error with a sentence for the administrator if the folder's database is of a newer version */
  constructor(directory: string) {
    this.#database = new SQLite(join(directory, 'gate.db'), { timeout: 1000 })
    // Only one gate at a time may use the folder.
    this.#database.pragma('locking_mode = EXCLUSIVE')
    try {
      this.#database.pragma('journal_mode = WAL')
    } catch (error) {
      this.#database.close()
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY') !== true) throw error
      throw new Error(`Another gate is using ${directory}. Stop it first, or choose another --data-dir.`, {
        cause: error
      })
    }
    this.#database.pragma('synchronous = FULL')
    this.#database.pragma('foreign_keys = ON')
    this.#database.pragma('cache_size = -2048')
    const version = this.#database.pragma('user_version', { simple: true })
    if (version === 0) this.#database.transaction(() => this.#database.exec(schema))()
    else if (version === 1) this.#database.transaction(() => this.#database.exec(secondVersion))()
    else if (version !== 2) {
      throw new Error(
        `${join(directory, 'gate.db')} was written by a newer version of Listwright. Update this one.`
      )
    }
    if (this.setting('state') === null) this.#changeState()
    this.#dropEmptyEpochs()
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO epochs (epoch) VALUES (?)')
      .run(randomBytes(16).toString('hex'))
    this.#epochId = Number(lastInsertRowid)
    this.#unfetched = this.#countUnfetched()
  }

  get isFull(): boolean {
    return this.#unfetched >= mostUnfetched
  }

  get isNearlyFull(): boolean {
    return this.#unfetched >= mostUnfetched * 0.9
  }

  setting(name: 'link_secret' | 'state' | 'key'): string | null {
    return this.#text('SELECT value FROM settings WHERE name = ?', name)
  }

  setSetting(name: 'link_secret' | 'state' | 'key', value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(name, value)
  }

  /** Stores events in their order, durably and in one transaction. */
  append(events: readonly NewEvent[]): void {
    const insert = this.#database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#database.transaction(() => {
      for (const [index, event] of events.entries()) {
        const { kind, token, purpose, link, ip, is_machine, at, data = '' } = event
        const number = this.#lastNumber + index + 1
        insert.run(this.#epochId, number, kind, token, purpose, link, ip, Number(is_machine), at, data)
      }
    })()
    this.#lastNumber += events.length
    this.#unfetched += events.length
  }

  /** Returns the epochs that have events, by age. */
  epochs(): GateStatus['epochs'] {
    return this.#database
      .prepare<[], GateStatus['epochs'][number]>(
        `SELECT epoch, fetched, (SELECT max(number) FROM events WHERE epoch_id = epochs.id) AS last FROM epochs
         WHERE EXISTS (SELECT 1 FROM events WHERE epoch_id = epochs.id) ORDER BY id`
      )
      .all()
  }

  /** Returns the next events of an epoch behind a number, in their order: at least one, and no more than an answer holds. */
  events(epoch: string, after: number, limit: number): GateEvent[] {
    const rows = this.#database
      .prepare<[string, number, number], Omit<GateEvent, 'is_machine'> & { is_machine: number }>(
        `SELECT number, kind, token, purpose, link, ip, is_machine, at, data FROM events
         WHERE epoch_id = (SELECT id FROM epochs WHERE epoch = ?) AND number > ? ORDER BY number LIMIT ?`
      )
      .iterate(epoch, after, limit)
    const events: GateEvent[] = []
    let length = 0
    for (const row of rows) {
      length += row.data?.length ?? 0
      if (length > mostAnswered && events.length > 0) break
      events.push({ ...row, is_machine: row.is_machine === 1 })
    }
    return events
  }

  /** Notes that the events of an epoch were fetched up to a number. */
  acknowledge(epoch: string, number: number): void {
    this.#database.prepare('UPDATE epochs SET fetched = max(fetched, ?) WHERE epoch = ?').run(number, epoch)
    this.#unfetched = this.#countUnfetched()
  }

  /** Deletes some events that were fetched long ago. @param now UNIX milliseconds. @returns true if there may be more */
  deleteOld(now: number): boolean {
    const { changes } = this.#database
      .prepare(
        `DELETE FROM events WHERE (epoch_id, number) IN (
           SELECT epoch_id, number FROM events JOIN epochs ON epochs.id = epoch_id
           WHERE number <= fetched AND at < ? LIMIT ${deletedAtOnce})`
      )
      .run(now - keptFor)
    return changes === deletedAtOnce
  }

  content(key: string): string | null {
    return this.#text('SELECT body FROM contents WHERE key = ?', key)
  }

  putContent(key: string, digest: string, body: string): void {
    this.#database.transaction(() => {
      this.#database.prepare('INSERT OR REPLACE INTO contents VALUES (?, ?, ?)').run(key, digest, body)
      this.#changeState()
    })()
  }

  image(key: string): { media_type: string; bytes: Buffer } | undefined {
    return this.#database
      .prepare<[string], { media_type: string; bytes: Buffer }>(
        'SELECT media_type, bytes FROM images WHERE key = ?'
      )
      .get(key)
  }

  putImage(key: string, mediaType: string, bytes: Buffer): void {
    this.#database.transaction(() => {
      this.#database.prepare('INSERT OR REPLACE INTO images VALUES (?, ?, ?)').run(key, mediaType, bytes)
      this.#changeState()
    })()
  }

  contents(): GateContents {
    const rows = this.#database
      .prepare<[], { key: string; digest: string }>('SELECT key, digest FROM contents')
      .all()
    return {
      contents: Object.fromEntries(rows.map(({ key, digest }) => [key, digest])),
      images: this.#database.prepare<[], string>('SELECT key FROM images').pluck().all()
    }
  }

  close(): void {
    this.#database.close()
  }

  /** Starts that received nothing leave no trace. */
  #dropEmptyEpochs(): void {
    this.#database.exec(
      'DELETE FROM epochs WHERE NOT EXISTS (SELECT 1 FROM events WHERE epoch_id = epochs.id)'
    )
  }

  #countUnfetched(): number {
    return (
      this.#database
        .prepare<[], number>(
          `SELECT coalesce(sum((SELECT count(*) FROM events WHERE epoch_id = epochs.id AND number > fetched)), 0)
           FROM epochs`
        )
        .pluck()
        .get() ?? 0
    )
  }

  #changeState(): void {
    this.setSetting('state', randomBytes(16).toString('hex'))
  }

  #text(query: string, key: string): string | null {
    return this.#database.prepare<[string], string>(query).pluck().get(key) ?? null
  }
}
