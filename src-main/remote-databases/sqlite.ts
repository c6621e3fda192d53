import Database from 'better-sqlite3'
import {
  codeOf,
  queryRefused,
  queryWrites,
  RemoteDatabaseFault,
  rowTooLarge,
  tooSlow,
  unreachable,
  withoutRows,
  writingFault
} from './fault.ts'
import { maxBatchBytes } from './limits.ts'
import { quotedName, quotedTable } from './quoting.ts'
import type {
  Abilities,
  DatabaseTarget,
  ReadOptions,
  RemoteDatabase,
  RemoteResult,
  RemoteRow,
  RemoteTable,
  ServerState
} from './remote-database.ts'

type SqliteValue = string | number | bigint | Buffer | null

/** Rows and characters of a batch. */
const [rowsAtOnce, wantedCharacters] = [2000, 1024 * 1024]
/** How long a lock of another program is waited for, in milliseconds. */
const busyTimeout = 5000

/** @throws RemoteDatabaseFault */
export async function openSqlite(target: DatabaseTarget, signal: AbortSignal): Promise<RemoteDatabase> {
  signal.throwIfAborted()
  try {
    const sqlite = new Database(target.database, {
      readonly: true,
      fileMustExist: true,
      timeout: busyTimeout
    })
    // Reads the header, so that a file that is no database is found out here.
    sqlite.pragma('schema_version')
    return new SqliteDatabase(target, sqlite, signal)
  } catch (error) {
    throw unreachable(target.name, error)
  }
}

/** A file that is open read-only. A single step cannot be interrupted; a caller that gives up ends the thread. */
class SqliteDatabase implements RemoteDatabase {
  readonly #target: DatabaseTarget
  readonly #sqlite: Database.Database
  readonly #signal: AbortSignal
  /** The rows that are being read: a file cannot be closed before they are given up. */
  #rows: IterableIterator<SqliteValue[]> | null = null

  constructor(target: DatabaseTarget, sqlite: Database.Database, signal: AbortSignal) {
    this.#target = target
    this.#sqlite = sqlite
    this.#signal = signal
  }

  async read(query: string, { timeLimit }: ReadOptions): Promise<RemoteResult> {
    const endsAt = performance.now() + timeLimit
    return this.#explained(() => {
      const statement = this.#sqlite.prepare<[], SqliteValue[]>(query)
      if (!statement.readonly) {
        throw queryWrites(this.#target.name, new Error('attempt to write a readonly database'))
      }
      if (!statement.reader) throw withoutRows()
      const columns = statement
        .columns()
        .map(({ name, type }) => ({ name, type: (type ?? '').toLowerCase() }))
      const rows = statement.raw(true).safeIntegers(true).iterate()
      this.#rows = rows
      return {
        columns,
        next: async () =>
          this.#explained(() => {
            const batch: RemoteRow[] = []
            let characters = 0
            for (let each = rows.next(); !each.done; each = rows.next()) {
              const row = each.value.map(textOf)
              batch.push(row)
              characters += row.reduce((sum, value) => sum + (value?.length ?? 0), 0)
              if (characters > maxBatchBytes) throw rowTooLarge()
              if (batch.length >= rowsAtOnce || characters >= wantedCharacters) break
            }
            this.#signal.throwIfAborted()
            if (performance.now() > endsAt) throw tooSlow(this.#target.name, timeLimit)
            return batch
          })
      }
    })
  }

  async state(): Promise<ServerState> {
    const version = this.#sqlite.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
    return { version: `SQLite ${version}`, clock: Date.now() }
  }

  async abilities(): Promise<Abilities> {
    let refuses = false
    try {
      this.#sqlite.exec(`CREATE TABLE listwright_probe_${Date.now()} (a INT)`)
    } catch (error) {
      refuses = codeOf(error).startsWith('SQLITE_READONLY')
    }
    return { readOnlyTransactions: refuses, cursors: true, timeLimits: false }
  }

  async append(
    { name, columns, key }: RemoteTable,
    rows: readonly (readonly (string | number | null)[])[]
  ): Promise<void> {
    try {
      this.#explained(() => {
        const writable = new Database(this.#target.database, { fileMustExist: true, timeout: busyTimeout })
        try {
          const insertion = (source: string) =>
            writable.prepare(
              `INSERT INTO ${quotedTable('sqlite', name)} (${columns.map(quoted).join(', ')})` +
                ` ${source} ON CONFLICT (${quoted(key)}) DO NOTHING`
            )
          if (rows.length === 0) {
            insertion(`SELECT ${columns.map(() => 'NULL').join(', ')} WHERE FALSE`).run()
            return
          }
          const insert = insertion(`VALUES (${columns.map(() => '?').join(', ')})`)
          writable.transaction(() => rows.forEach((row) => insert.run(...row))).immediate()
        } finally {
          writable.close()
        }
      })
    } catch (error) {
      throw writingFault(this.#target.name, error, (cause) =>
        /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(codeOf(cause))
      )
    }
  }

  async close(): Promise<void> {
    this.#rows?.return?.()
    this.#sqlite.close()
  }

  #explained<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (error instanceof RemoteDatabaseFault || this.#signal.aborted) throw error
      const code = codeOf(error)
      if (code.startsWith('SQLITE_READONLY')) throw queryWrites(this.#target.name, error)
      const isOfFile = /^SQLITE_(BUSY|LOCKED|IOERR|CORRUPT|CANTOPEN|NOTADB|FULL|PERM)/.test(code)
      throw isOfFile ? unreachable(this.#target.name, error) : queryRefused(this.#target.name, error)
    }
  }
}

/** Reads a BLOB as UTF-8: programs store texts in BLOBs too. */
function textOf(value: SqliteValue): string | null {
  if (value === null) return null
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value)
}

function quoted(name: string): string {
  return quotedName('sqlite', name)
}
