import type { Database } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

// What nearly every call needs: its key, its list and the list's fields. Reading them again took longer than reading a subscriber.

/** Limit of cached results: an installation may have thousands of lists. */
const maxRemembered = 1000

interface Memory {
  /** Changes when another connection commits. */
  dataVersion: () => number
  version: number
  /** The version was read since the thread last received anything, so no client can know of a newer one. */
  isCurrent: boolean
  results: Map<string, Promise<unknown>>
}

const memories = new WeakMap<Kysely<Schema>, Memory>()

/**
 * Lets {@link remembered} keep results of a connection that only reads, until another connection commits. SQLite itself says whether one has
 * (PRAGMA data_version), so that a client that waited for the answer to its change never gets older rows.
 */
export function rememberReads(db: Kysely<Schema>, connection: Database): void {
  const statement = connection.prepare('PRAGMA data_version').pluck()
  const dataVersion = (): number => statement.get() as number
  memories.set(db, { dataVersion, version: dataVersion(), isCurrent: false, results: new Map() })
}

/**
 * Returns the result of a query, which callers share and must not change; on the connection of the writer or of a job it is read each time.
 * @param key names the query and its parameters
 */
export function remembered<Result>(
  db: Kysely<Schema>,
  key: string,
  read: () => Promise<Result>
): Promise<Result> {
  const memory = memories.get(db)
  if (!memory) return read()
  if (!memory.isCurrent) readVersion(memory)
  const known = memory.results.get(key) as Promise<Result> | undefined
  if (known) return known
  const { results } = memory
  const result = read().then(deepFreeze)
  results.set(key, result)
  // Do not cache a failure: the next call must throw an error of its own.
  result.catch(() => results.get(key) === result && results.delete(key))
  return result
}

/**
 * Reads the version once for all queries of a call that follow each other without a pause: reading it takes as long as a short query. Ticks run
 * before the next message or request is received.
 */
function readVersion(memory: Memory): void {
  const version = memory.dataVersion()
  if (version !== memory.version || memory.results.size > maxRemembered) {
    memory.results.clear()
    memory.version = version
  }
  memory.isCurrent = true
  process.nextTick(() => (memory.isCurrent = false))
}

/** Makes any change of a shared result throw. Binary values cannot be frozen. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) {
    return value
  }
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
