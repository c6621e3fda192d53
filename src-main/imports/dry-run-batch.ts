import SQLite, { type Database, type Statement } from 'better-sqlite3'
import type { ImportBatch } from './plan.ts'
import {
  code,
  type Existing,
  findExisting,
  type ImportSession,
  keyAt,
  nextPlaces,
  outcomeForExisting,
  overwrittenValues,
  rowsPerStatement
} from './import-batch.ts'
import type { ValueChanges } from './value-changes.ts'

/**
 * Predicts the outcome of rows, like applyImportBatch, without changing anything. The keys that the file
 * would add are in a temporary file, so memory stays constant.
 */
export class DryRunBatches {
  readonly #database: Database
  readonly #session: ImportSession
  readonly #keys: Database
  readonly #addKey: Statement<[string]>
  readonly #hasKey: Statement<[string], number>
  readonly #changes: ValueChanges
  #room: number

  /**
   * @param database a connection that reads
   * @param keysPath a file that does not exist
   * @param room how many subscribers may be added; Infinity without a limit
   * @param changes where what would change of subscribers on the list is collected
   */
  constructor(
    database: Database,
    session: ImportSession,
    keysPath: string,
    room: number,
    changes: ValueChanges
  ) {
    this.#changes = changes
    this.#database = database
    this.#session = session
    this.#room = room
    this.#keys = new SQLite(keysPath)
    // The keys serve this run alone, so nothing of them has to outlast a crash.
    this.#keys.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = -32768;
      CREATE TABLE keys (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    `)
    this.#addKey = this.#keys.prepare('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING')
    this.#hasKey = this.#keys.prepare<[string], number>('SELECT 1 FROM keys WHERE key = ?').pluck()
  }

  /** @returns an index into importOutcomes for each row */
  apply(batch: ImportBatch): Uint8Array {
    const outcomes = new Uint8Array(batch.emails.length).fill(code.failed)
    this.#keys.exec('BEGIN')
    for (let next = 0; next < batch.emails.length;) {
      const { places, end } = nextPlaces(batch, next, rowsPerStatement)
      const known = findExisting(this.#database, this.#session, batch, places)
      for (const place of places) outcomes[place] = this.#outcomeOf(batch, place, known.get(place))
      next = end
    }
    this.#keys.exec('COMMIT')
    return outcomes
  }

  #outcomeOf(batch: ImportBatch, place: number, existing: Existing | undefined): number {
    if (existing) {
      const outcome = outcomeForExisting(this.#session, existing)
      if (outcome === 'updated') {
        const values = overwrittenValues(this.#session, existing, batch, place)
        this.#changes.add(batch.emails[place] ?? '', existing, values)
      }
      return code[outcome]
    }
    if (this.#session.refusesNew) return code.failed
    const key = keyAt(batch, place)
    if (this.#room <= 0) {
      return this.#hasKey.get(key) === undefined ? code.skipped_over_limit : code.skipped_duplicate
    }
    if (this.#addKey.run(key).changes === 0) return code.skipped_duplicate
    this.#room--
    return code.added
  }

  close(): void {
    this.#keys.close()
  }
}
