import SQLite, { type Database, type Statement } from 'better-sqlite3'
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import { isMainThread } from 'node:worker_threads'
import { addFunctions } from './functions.ts'
import type { Schema } from './schema.ts'

// A thread may be terminated once its modules are loaded, and the native code must be loaded by then; see
// base/threads.ts.
if (!isMainThread) new SQLite(':memory:').close()

/** Writes to disk are certain before a commit answers (FULL), or certain in order only (NORMAL). */
export type Durability = 'FULL' | 'NORMAL'

/** The writer's connection: the only one that changes the file. */
export function openForWriting(path: string): Database {
  const database = new SQLite(path)
  try {
    database.pragma('journal_mode = WAL')
    // See checkpointer.ts.
    database.pragma('wal_autocheckpoint = 0')
    database.pragma('foreign_keys = ON')
    database.pragma('cache_size = -32768') // 32 MiB; beyond that the operating system's cache does as well, measured
    // In memory: SQLite saves the pages that an INSERT of many rows changes in case it fails, by default to a
    // file.
    database.pragma('temp_store = MEMORY')
    setDurability(database, 'FULL')
    addFunctions(database)
    return database
  } catch (error) {
    closeWithoutCopying(database)
    throw error
  }
}

/** FULL for what a person or program waits for; NORMAL for the batches of an import, which continues by itself. */
export function setDurability(database: Database, durability: Durability): void {
  database.pragma(`synchronous = ${durability}`)
}

/**
 * A read-only connection. While it is open, closing one that can write leaves the log as it is; otherwise SQLite would copy it into the
 * database and remove it.
 */
export function keepLog(path: string): Database {
  const keeper = new SQLite(path, { readonly: true })
  try {
    // This opens the log without reading pages that may be damaged.
    keeper.pragma('user_version')
    return keeper
  } catch (error) {
    keeper.close()
    throw error
  }
}

/**
 * Closes a connection and keeps its log.
 * @throws SqliteError if the log cannot be kept; the connection is closed anyway
 */
export function closeWithoutCopying(database: Database): void {
  let keeper: Database | null = null
  try {
    keeper = keepLog(database.name)
  } finally {
    database.close()
    keeper?.close()
  }
}

/** A connection that cannot write, for the API's indexed reads and for workers. */
export function openForReading(path: string): Database {
  const database = new SQLite(path, { readonly: true })
  database.pragma('cache_size = -16384') // 16 MiB
  addFunctions(database)
  return database
}

/** Statements that a connection keeps prepared; more than the application's queries, fewer than their IN lists. */
const maxPrepared = 250

const preparedStatements = new WeakMap<Database, Map<string, Statement>>()

/**
 * Prepares a statement, or returns the one that was prepared for the same text: preparing one takes as long as running most
 * of them. Those used last are kept. Callers share them, and so must not call pluck() or raw() on them.
 */
export function preparedOn(database: Database, text: string): Statement {
  const prepared = preparedStatements.get(database) ?? new Map<string, Statement>()
  preparedStatements.set(database, prepared)
  const statement = prepared.get(text) ?? database.prepare(text)
  prepared.delete(text)
  prepared.set(text, statement)
  const [oldest] = prepared.keys()
  if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest)
  return statement
}

/** A Kysely instance over a connection. It reuses prepared statements; on its own, Kysely prepares one for every query. */
export function kyselyOver(database: Database): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: preparing(database) }) })
}

/** Like {@link kyselyOver}, over a connection that is opened for the first query. */
export function kyselyOnFirstUse(open: () => Database): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: async () => preparing(open()) }) })
}

function preparing(database: Database): SqliteDatabase {
  return { prepare: (text) => preparedOn(database, text), close: () => database.close() }
}
