import { tooSlow } from './fault.ts'
import type { DatabaseEngine, TlsMode } from './schema.ts'

/** Where a database is, and how Listwright signs in. */
export interface DatabaseTarget {
  engine: DatabaseEngine
  /** Shown in messages to users. */
  name: string
  /** '' of a file. */
  host: string
  port: number
  /** The name of the database, or the path of a file. */
  database: string
  username: string
  /** null = it has none. */
  password: string | null
  tls: TlsMode
  /** Certificates of authorities in PEM format, beside those of Node; '' = none. */
  authorities: string
}

/** A column of a result. */
export interface RemoteColumn {
  name: string
  /** As the database calls it; '' if that is not known. */
  type: string
}

/** A row in the order of the columns; values as the database writes them. */
export type RemoteRow = readonly (string | null)[]

/** The rows of a query, which are read in batches. */
export interface RemoteResult {
  columns: readonly RemoteColumn[]
  /** Returns the next rows; none at the end. @throws RemoteDatabaseFault */
  next: () => Promise<RemoteRow[]>
}

export interface ReadOptions {
  /** Milliseconds for the whole reading. */
  timeLimit: number
}

/** The state of a server. */
export interface ServerState {
  version: string
  /** Its clock, in UNIX milliseconds. */
  clock: number
}

/** What a database can do that reading relies on. */
export interface Abilities {
  /** It refuses to write in a read-only transaction. */
  readOnlyTransactions: boolean
  /** It hands over a result in batches. */
  cursors: boolean
  /** It ends a statement by itself that takes too long. */
  timeLimits: boolean
}

/** An open connection; one query at a time. */
export interface RemoteDatabase {
  /**
   * Runs a query in a read-only transaction, which ends with the connection.
   * @throws RemoteDatabaseFault, also when it takes longer than the limit
   */
  read: (query: string, options: ReadOptions) => Promise<RemoteResult>
  state: () => Promise<ServerState>
  abilities: () => Promise<Abilities>
  /** Inserts rows that are not there yet, all or none. Without rows, checks that the table would take them. @throws RemoteDatabaseFault */
  append: (table: RemoteTable, rows: readonly (readonly (string | number | null)[])[]) => Promise<void>
  /** Ends what runs on the server, and disconnects. */
  close: () => Promise<void>
}

/** A table that rows are appended to. */
export interface RemoteTable {
  /** May have a schema before it, with a dot between. */
  name: string
  columns: readonly string[]
  /** The primary key: a row whose key is there is left alone. */
  key: string
}

/** Each driver is loaded at its first use. @throws RemoteDatabaseFault if it cannot be reached, or refuses to let Listwright in */
async function openRemoteDatabase(target: DatabaseTarget, signal: AbortSignal): Promise<RemoteDatabase> {
  switch (target.engine) {
    case 'postgresql':
      return (await import('./postgresql.ts')).openPostgresql(target, signal)
    case 'mysql':
      return (await import('./mysql.ts')).openMysql(target, signal)
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqlite(target, signal)
  }
}

/** The server's own time limit comes first, if it has one. In milliseconds. */
const graceOfServer = 2000

/**
 * Opens a database, uses it, and closes it again whatever happens.
 * @param timeLimit of all that is done with it, in milliseconds
 * @throws RemoteDatabaseFault
 */
export async function withRemoteDatabase<Result>(
  target: DatabaseTarget,
  { signal, timeLimit }: { signal: AbortSignal; timeLimit: number },
  use: (database: RemoteDatabase) => Promise<Result>
): Promise<Result> {
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(tooSlow(target.name, timeLimit)),
    Math.min(timeLimit + graceOfServer, longestTimer)
  )
  try {
    const database = await openRemoteDatabase(target, AbortSignal.any([signal, deadline.signal]))
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Of setTimeout, in milliseconds. */
const longestTimer = 2 ** 31 - 1
