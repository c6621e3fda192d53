import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import pg from 'pg'
import { refusal } from '../base/refusal.ts'
import { requestCancel } from './cancel-request.ts'
import {
  codeOf,
  connectionRefused,
  queryRefused,
  queryWrites,
  RemoteDatabaseFault,
  rowTooLarge,
  signInRefused,
  tooSlow,
  unreachable,
  withoutRows,
  wordsOf,
  writingFault
} from './fault.ts'
import { ByteWatch, connectTimeout, endTimeout, nextBatchSize } from './limits.ts'
import type {
  Abilities,
  DatabaseTarget,
  ReadOptions,
  RemoteColumn,
  RemoteDatabase,
  RemoteResult,
  RemoteRow,
  RemoteTable,
  ServerState
} from './remote-database.ts'
import { quotedName, quotedTable } from './quoting.ts'
import { tlsOf } from './tls.ts'

/** The OID of boolean, which PostgreSQL writes as t and f. */
const booleanOid = 16
/** Names of common types, by OID. */
const typeNames: Readonly<Record<number, string>> = {
  [booleanOid]: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  114: 'json',
  700: 'real',
  701: 'double precision',
  1042: 'character',
  1043: 'character varying',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamp with time zone',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'jsonb'
}

const asText = (value: string): string => value
const asBoolean = (value: string): string => (value === 't' ? 'true' : 'false')
/** All values stay as the server writes them. */
const types = {
  getTypeParser: (oid: number) => (oid === booleanOid ? asBoolean : asText)
}

/** Codes of data that a table does not take: of their type, by a constraint or by a trigger. */
const ofRow = /^(22|23|P0)/
const unknownDatabase = '3D000'

const declaration = 'DECLARE listwright NO SCROLL CURSOR FOR '

/** @throws RemoteDatabaseFault */
export async function openPostgresql(target: DatabaseTarget, signal: AbortSignal): Promise<RemoteDatabase> {
  const client = new pg.Client({
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.username,
    // A function: with '' the driver would take a password from the environment.
    password: () => target.password ?? '',
    ssl: target.tls === 'none' ? false : tlsOf(target),
    connectionTimeoutMillis: connectTimeout,
    application_name: 'Listwright',
    keepAlive: true
  })
  // What breaks the connection also rejects the query that is under way.
  client.on('error', () => undefined)
  signal.throwIfAborted()
  try {
    await client.connect()
  } catch (error) {
    socketOf(client).destroy()
    throw connectionFault(target, error)
  }
  return new PostgresqlDatabase(target, client, signal)
}

class PostgresqlDatabase implements RemoteDatabase {
  readonly #target: DatabaseTarget
  readonly #client: pg.Client
  readonly #signal: AbortSignal
  readonly #watch: ByteWatch
  readonly #onAbort = (): void => void this.#cancel()
  #isBusy = false

  constructor(target: DatabaseTarget, client: pg.Client, signal: AbortSignal) {
    this.#target = target
    this.#client = client
    this.#signal = signal
    this.#watch = new ByteWatch(() => socketOf(client))
    signal.addEventListener('abort', this.#onAbort)
  }

  /** Plain SQL, and not the portals of the protocol, which some engines and PgBouncer do not keep. */
  async read(query: string, { timeLimit }: ReadOptions): Promise<RemoteResult> {
    const endsAt = performance.now() + timeLimit
    // Blank lines before it stay, so that faults are where they are seen.
    const text = query.trimEnd().replace(/;$/, '')
    if (text.includes('\0')) throw queryRefused(this.#target.name, new Error('it has a NUL byte'))
    await this.#run('BEGIN READ ONLY')
    await this.#run('SET LOCAL DateStyle TO ISO')
    await this.#limit(endsAt, timeLimit)
    // The extended protocol takes one statement: the server refuses a second one, which could end the transaction.
    await this.#run({ text: declaration + text, queryMode: 'extended' }, { query: text, timeLimit })
    let size = nextBatchSize(null)
    const fetch = async (): Promise<{ rows: RemoteRow[]; columns: RemoteColumn[] }> => {
      await this.#limit(endsAt, timeLimit)
      this.#watch.restart()
      const config = { text: `FETCH FORWARD ${size} FROM listwright`, rowMode: 'array', types }
      const { rows, fields } = await this.#run(config, { query: text, timeLimit })
      size = nextBatchSize({ rows: rows.length, bytes: this.#watch.restart() })
      const columns = fields.map(({ name, dataTypeID }) => ({ name, type: typeNames[dataTypeID] ?? '' }))
      return { rows: rows as unknown as RemoteRow[], columns }
    }
    const first = await fetch()
    if (first.columns.length === 0) throw withoutRows()
    let next: RemoteRow[] | null = first.rows
    return {
      columns: first.columns,
      next: async () => {
        const rows = next ?? (await fetch()).rows
        next = rows.length === 0 ? [] : null
        return rows
      }
    }
  }

  async state(): Promise<ServerState> {
    const { rows } = await this.#run({
      text: 'SELECT version(), extract(epoch FROM clock_timestamp()) * 1000',
      rowMode: 'array',
      types
    })
    const [version = '', clock = ''] = rows[0] as unknown as string[]
    return { version, clock: Math.round(Number(clock)) }
  }

  async abilities(): Promise<Abilities> {
    const isRefused = async (statements: readonly string[], code: string): Promise<boolean> => {
      try {
        for (const statement of statements) await this.#client.query(statement)
        return false
      } catch (error) {
        return codeOf(error) === code
      } finally {
        await this.#client.query('ROLLBACK')
      }
    }
    const probe = `listwright_probe_${Date.now()}`
    return {
      readOnlyTransactions: await isRefused(['BEGIN READ ONLY', `CREATE TABLE ${probe} (a INT)`], '25006'),
      // SELECT 1 / 0 fails with its own code only if the cursor before it works.
      cursors: await isRefused(
        ['BEGIN READ ONLY', `${declaration}SELECT 1`, 'FETCH FORWARD 1 FROM listwright', 'SELECT 1 / 0'],
        '22012'
      ),
      timeLimits: await isRefused(
        ['BEGIN READ ONLY', 'SET LOCAL statement_timeout = 50', 'SELECT pg_sleep(1)'],
        '57014'
      )
    }
  }

  async append(
    { name, columns, key }: RemoteTable,
    rows: readonly (readonly (string | number | null)[])[]
  ): Promise<void> {
    const values = rows.map(
      (row, at) => `(${row.map((_, index) => `$${at * columns.length + index + 1}`).join(', ')})`
    )
    const source =
      rows.length > 0
        ? `VALUES ${values.join(', ')}`
        : `SELECT ${columns.map(() => 'NULL').join(', ')} WHERE FALSE`
    const text =
      `INSERT INTO ${quotedTable('postgresql', name)} (${columns.map(quoted).join(', ')})` +
      ` ${source} ON CONFLICT (${quoted(key)}) DO NOTHING`
    try {
      await this.#run({ text, values: rows.flat() })
    } catch (error) {
      throw writingFault(this.#target.name, error, (cause) => ofRow.test(codeOf(cause)))
    }
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#watch.stop()
    if (this.#isBusy) await this.#cancel()
    const ended = this.#client.end().catch(() => undefined)
    await Promise.race([ended, pause(endTimeout, undefined, { ref: false })])
    socketOf(this.#client).destroy()
  }

  /** The server's own limit, so that it stops also where a cancellation does not arrive. */
  async #limit(endsAt: number, timeLimit: number): Promise<void> {
    const left = Math.ceil(endsAt - performance.now())
    if (left <= 0) throw tooSlow(this.#target.name, timeLimit)
    await this.#run(`SET LOCAL statement_timeout = ${left}`)
  }

  async #run(
    statement: string | (pg.QueryConfig & { queryMode?: 'extended'; rowMode?: string }),
    reading?: { query: string; timeLimit: number }
  ): Promise<pg.QueryResult> {
    this.#signal.throwIfAborted()
    this.#isBusy = true
    try {
      return await this.#client.query(statement)
    } catch (error) {
      this.#signal.throwIfAborted()
      throw this.#faultOf(error, reading)
    } finally {
      this.#isBusy = false
    }
  }

  #faultOf(error: unknown, reading: { query: string; timeLimit: number } | undefined): RemoteDatabaseFault {
    if (this.#watch.isExceeded) return rowTooLarge()
    const { name } = this.#target
    const code = codeOf(error)
    if (code === '25006') return queryWrites(name, error)
    if (code === '57014' && reading) return tooSlow(name, reading.timeLimit)
    if (!(error instanceof pg.DatabaseError) || /^(08(?!P01)|57P)/.test(code))
      return connectionFault(this.#target, error)
    const position = Number(error.position) - declaration.length
    return queryRefused(name, error, reading && { query: reading.query, position })
  }

  /** Asks the server to stop, and disconnects. A pooler may not pass on the process id and the key that this needs; then the server's time limit ends the query. */
  async #cancel(): Promise<void> {
    const { processID: processId, secretKey } = this.#client as unknown as {
      processID: number | null
      secretKey: number | null
    }
    try {
      if (processId !== null && secretKey !== null)
        await requestCancel(this.#target, { processId, secretKey })
    } finally {
      socketOf(this.#client).destroy()
    }
  }
}

function connectionFault(target: DatabaseTarget, error: unknown): RemoteDatabaseFault {
  if (codeOf(error) === unknownDatabase) return connectionRefused(target.name, error)
  // What the driver says of a password that is missing.
  if (target.password === null && /password must be/.test(wordsOf(error)))
    return new RemoteDatabaseFault(refusal('database_no_secret', { name: target.name }))
  // PgBouncer refuses with the code of a protocol violation.
  const isSignIn = /^28/.test(codeOf(error)) || /authentication failed/.test(wordsOf(error))
  return isSignIn ? signInRefused(target.name, error) : unreachable(target.name, error)
}

/** Returns the current socket: TLS replaces it when it begins. */
function socketOf(client: pg.Client): Socket | TLSSocket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

function quoted(name: string): string {
  return quotedName('postgresql', name)
}
