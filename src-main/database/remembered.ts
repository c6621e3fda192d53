import type { Database, Statement } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

// What nearly every call needs: its key, its list, the list's fields and rules. Reading them again took longer than reading a subscriber.

/** Limit of cached results: an installation may have thousands of lists. */
const maxRemembered = 1000

const memories = new WeakMap<Kysely<Schema>, Memory>()

/** The cached results of one connection. */
export class Memory {
  readonly results = new Map<string, Promise<unknown>>()
  readonly #dataVersion: Statement<[], number>
  #version = Number.NaN
  #isOn = true
  /** The version was read since the thread last received anything, so no client can know of a newer one. */
  #isCurrent = false

  constructor(connection: Database) {
    this.#dataVersion = connection.prepare<[], number>('PRAGMA data_version').pluck()
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Switching it off forgets everything. */
  set isOn(isOn: boolean) {
    this.#isOn = isOn
    if (!isOn) this.results.clear()
  }

  /**
   * Forgets everything if another connection has committed (PRAGMA data_version). This is read once for all queries that follow each other
   * without a pause, as it takes as long as a short query: ticks run before the next message or request is received.
   */
  refresh(): void {
    if (this.#isCurrent) return
    const version = this.#dataVersion.get() as number
    if (version !== this.#version || this.results.size > maxRemembered) this.results.clear()
    this.#version = version
    this.#isCurrent = true
    process.nextTick(() => (this.#isCurrent = false))
  }
}

/**
 * Lets {@link remembered} keep results of a connection until another connection commits. SQLite itself says whether one has, so that a client
 * that waited for the answer to its change never gets older rows. A connection that writes switches its memory off for what may change
 * remembered rows.
 */
export function rememberReads(db: Kysely<Schema>, connection: Database): Memory {
  const memory = new Memory(connection)
  memories.set(db, memory)
  return memory
}

/**
 * Returns the result of a query, which callers share and must not change; on the connection of a job it is read each time.
 * @param key names the query and its parameters
 */
export function remembered<Result>(
  db: Kysely<Schema>,
  key: string,
  read: () => Promise<Result>
): Promise<Result> {
  const memory = memories.get(db)
  if (!memory?.isOn) return read()
  memory.refresh()
  const known = memory.results.get(key) as Promise<Result> | undefined
  if (known) return known
  const { results } = memory
  const result = read().then(deepFreeze)
  results.set(key, result)
  // Do not cache a failure: the next call must throw an error of its own.
  result.catch(() => results.get(key) === result && results.delete(key))
  return result
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
