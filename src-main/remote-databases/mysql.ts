import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import mysql, { type Connection, type ConnectionOptions, type FieldPacket } from 'mysql2'
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
  writingFault
} from './fault.ts'
import { ByteWatch, connectTimeout, endTimeout } from './limits.ts'
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
import { quotedName, quotedTable } from './quoting.ts'
import { tlsOf } from './tls.ts'

/** Rows of a batch, and of what the driver holds while they are worked on. */
const [rowsAtOnce, rowsAhead] = [2000, 200]

/** What a driver's error says beside its message. */
interface MysqlError extends Error {
  errno?: number
  sqlState?: string
  fatal?: boolean
}

/** ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION */
const readOnlyTransaction = 1792
/** Interrupted by KILL QUERY, and by the time limits of MySQL and MariaDB. */
const interrupted = new Set([1317, 3024, 1969, 1028])
/** Data that a table does not take: null, duplicate, out of range, no date, no such character, too long, without its reference, refused by a trigger or a CHECK. */
const ofRow = new Set([1048, 1062, 1264, 1292, 1366, 1406, 1452, 1644, 3819, 4025])
const unknownDatabase = 1049
/** Access denied, to the server or to the database. */
const accessDenied = new Set([1044, 1045, 1698])
/** What passes: too many connections, a server that shuts down. */
const busy = new Set([1040, 1053, 1203, 1226])

/** @throws RemoteDatabaseFault */
export async function openMysql(target: DatabaseTarget, signal: AbortSignal): Promise<RemoteDatabase> {
  signal.throwIfAborted()
  const connection = await connectTo(target)
  return new MysqlDatabase(target, connection, signal)
}

async function connectTo(target: DatabaseTarget): Promise<Connection> {
  const connection = mysql.createConnection(optionsOf(target))
  // What breaks the connection also rejects the query that is under way.
  connection.on('error', () => undefined)
  try {
    await new Promise<void>((resolve, reject) =>
      connection.connect((error) => (error ? reject(error) : resolve()))
    )
    return connection
  } catch (error) {
    connection.destroy()
    throw connectionFault(target, error)
  }
}

function optionsOf(target: DatabaseTarget): ConnectionOptions {
  return {
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.username,
    password: target.password ?? '',
    charset: 'utf8mb4',
    connectTimeout,
    // A server must not be able to ask for files of this computer.
    flags: ['-LOCAL_FILES'],
    ...(target.tls !== 'none' && { ssl: { ...tlsOf(target), verifyIdentity: target.tls === 'verified' } })
  }
}

/**
 * Matches SELECT, WITH, VALUES, TABLE or a parenthesis after comments. Comments that the server runs do not count as comments. Other statements, such
 * as SET STATEMENT and OPTIMIZE, return rows and also write in a read-only transaction.
 */
const beginsAsQuery =
  /^(?:\s|--(?:[ \t].*)?(?:\n|$)|#.*(?:\n|$)|\/\*(?![!M])(?:(?!\*\/)[^])*\*\/)*(?:\(|(?:SELECT|WITH|VALUES|TABLE)\b)/i

class MysqlDatabase implements RemoteDatabase {
  readonly #target: DatabaseTarget
  readonly #connection: Connection
  readonly #signal: AbortSignal
  readonly #watch: ByteWatch
  readonly #onAbort = (): void => void this.#cancel()
  #isBusy = false

  constructor(target: DatabaseTarget, connection: Connection, signal: AbortSignal) {
    this.#target = target
    this.#connection = connection
    this.#signal = signal
    this.#watch = new ByteWatch(() => this.#socket)
    signal.addEventListener('abort', this.#onAbort)
  }

  async read(query: string, { timeLimit }: ReadOptions): Promise<RemoteResult> {
    const endsAt = performance.now() + timeLimit
    await this.#limit(timeLimit)
    await this.#requireRows(query)
    await this.#begin()
    this.#watch.restart()
    this.#isBusy = true
    const sent = this.#connection.query({
      sql: query,
      rowsAsArray: true,
      typeCast: (field) => (field.type === 'BIT' ? bitsOf(field.buffer()) : field.string('utf8'))
    })
    let fields: FieldPacket[] | null = null
    sent.on('fields', (given: FieldPacket[] | undefined) => {
      fields ??= given ?? []
    })
    const rows = sent.stream({ highWaterMark: rowsAhead })
    // The driver reports what breaks the connection to the connection alone.
    let broken: Error | undefined
    this.#socket.once('error', (error) => (broken = error))
    this.#socket.once('close', () => rows.destroy(broken ?? new Error('the connection was closed')))
    const faultOf = (error: unknown): Error => {
      this.#signal.throwIfAborted()
      return this.#faultOf(error, timeLimit)
    }
    const read = batchesOf(rows, faultOf)
    const next = async (): Promise<RemoteRow[]> => {
      if (performance.now() > endsAt) throw tooSlow(this.#target.name, timeLimit)
      const batch = await read()
      this.#watch.restart()
      if (batch.length === 0) this.#isBusy = false
      return batch
    }
    let first: RemoteRow[] | null = await next()
    // Assigned where the event arrives.
    const columns = (fields as FieldPacket[] | null) ?? []
    if (columns.length === 0) throw withoutRows()
    return {
      columns: columns.map(({ name, columnType }) => ({ name, type: typeName(columnType) })),
      next: async () => {
        const batch = first ?? (await next())
        first = batch.length === 0 ? [] : null
        return batch
      }
    }
  }

  async state(): Promise<ServerState> {
    const [[version = '', clock = '']] = await this.#rowsOf('SELECT VERSION(), UNIX_TIMESTAMP(NOW(3)) * 1000')
    return { version, clock: Math.round(Number(clock)) }
  }

  async abilities(): Promise<Abilities> {
    return {
      readOnlyTransactions: await this.#refusesToWrite(),
      // A result is always handed over as it is made.
      cursors: true,
      timeLimits: await this.#endsLateStatements()
    }
  }

  async #refusesToWrite(): Promise<boolean> {
    const probe = `listwright_probe_${Date.now()}`
    await this.#begin()
    try {
      await this.#query(`CREATE TABLE ${probe} (a INT)`)
      // MySQL commits a new table at once.
      await this.#query(`DROP TABLE ${probe}`)
      return false
    } catch (error) {
      return (error as MysqlError).errno === readOnlyTransaction
    } finally {
      await this.#query('ROLLBACK')
    }
  }

  async #endsLateStatements(): Promise<boolean> {
    await this.#limit(50)
    const began = performance.now()
    try {
      await this.#query('SELECT SLEEP(1)')
    } catch (error) {
      if (!interrupted.has((error as MysqlError).errno ?? 0)) return false
    }
    return performance.now() - began < 900
  }

  async append(
    { name, columns, key }: RemoteTable,
    rows: readonly (readonly (string | number | null)[])[]
  ): Promise<void> {
    try {
      // A value that does not fit must be refused, not cut off; and the driver escapes with backslashes, which NO_BACKSLASH_ESCAPES would take as they are.
      await this.#run("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
      const table = quotedTable('mysql', name)
      const insertion = `INSERT INTO ${table} (${columns.map(quoted).join(', ')})`
      // INSERT … ON DUPLICATE KEY UPDATE would need the right to update.
      const place = columns.indexOf(key)
      const keys = rows.map((row) => row[place])
      const found = await this.#run(
        { sql: `SELECT ${quoted(key)} FROM ${table} WHERE ${quoted(key)} IN (?)`, rowsAsArray: true },
        [rows.length > 0 ? keys : [null]]
      )
      const known = new Set((found as unknown[][]).map(([value]) => value))
      const added = rows.filter((row) => !known.has(row[place]))
      if (rows.length === 0)
        await this.#run(`${insertion} SELECT ${columns.map(() => 'NULL').join(', ')} FROM DUAL WHERE FALSE`)
      if (added.length === 0) return
      await this.#run(`${insertion} VALUES ?`, [added])
    } catch (error) {
      throw writingFault(this.#target.name, error, (cause) => ofRow.has((cause as MysqlError).errno ?? 0))
    }
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#watch.stop()
    if (this.#isBusy) return this.#cancel()
    const ended = new Promise<void>((resolve) => this.#connection.end(() => resolve()))
    await Promise.race([ended, pause(endTimeout, undefined, { ref: false })])
    this.#connection.destroy()
  }

  /**
   * Has the server prepare a query, which tells whether it returns columns without running it. What returns none, such as SET GLOBAL or CALL, is
   * not held back by a read-only transaction.
   */
  async #requireRows(query: string): Promise<void> {
    if (!beginsAsQuery.test(query)) throw withoutRows()
    const columns = await new Promise<number>((resolve, reject) =>
      this.#connection.prepare(query, (error, statement) => {
        if (error) {
          reject(error)
          return
        }
        const { length } = (statement as unknown as { columns: unknown[] }).columns
        statement.close()
        resolve(length)
      })
    ).catch((error: unknown) => {
      this.#signal.throwIfAborted()
      // ER_UNSUPPORTED_PS: every query can be prepared, so this is another statement.
      if ((error as MysqlError).errno === 1295) return 0
      throw this.#faultOf(error, null)
    })
    if (columns === 0) throw withoutRows()
  }

  /** For the session too: a statement that creates or drops a table, or a procedure, ends the transaction before it writes. */
  async #begin(): Promise<void> {
    await this.#run('SET SESSION TRANSACTION READ ONLY')
    await this.#run('START TRANSACTION READ ONLY')
  }

  /** The server's own limit in milliseconds: MariaDB and MySQL have different names and units for it. */
  async #limit(milliseconds: number): Promise<void> {
    const [[version = '']] = await this.#rowsOf('SELECT VERSION()')
    await this.#run(
      /mariadb/i.test(version)
        ? `SET SESSION max_statement_time = ${milliseconds / 1000}`
        : `SET SESSION max_execution_time = ${milliseconds}`
    )
  }

  async #rowsOf(sql: string): Promise<[string[], ...string[][]]> {
    return (await this.#run({ sql, rowsAsArray: true, typeCast: (field) => field.string('utf8') })) as [
      string[]
    ]
  }

  async #run(statement: string | Parameters<Connection['query']>[0], values?: unknown[]): Promise<unknown> {
    this.#signal.throwIfAborted()
    this.#isBusy = true
    try {
      return await this.#query(statement, values)
    } catch (error) {
      this.#signal.throwIfAborted()
      throw this.#faultOf(error, null)
    } finally {
      this.#isBusy = false
    }
  }

  #query(statement: string | Parameters<Connection['query']>[0], values: unknown[] = []): Promise<unknown> {
    const options = typeof statement === 'string' ? { sql: statement } : statement
    return new Promise((resolve, reject) =>
      this.#connection.query({ ...options, values }, (error, result) =>
        error ? reject(error) : resolve(result)
      )
    )
  }

  #faultOf(error: unknown, timeLimit: number | null): RemoteDatabaseFault {
    if (error instanceof RemoteDatabaseFault) return error
    if (this.#watch.isExceeded) return rowTooLarge()
    const { errno = 0, fatal = false, sqlState } = error as MysqlError
    const { name } = this.#target
    if (errno === readOnlyTransaction) return queryWrites(name, error)
    if (interrupted.has(errno) && timeLimit !== null) return tooSlow(name, timeLimit)
    const isOfServer = sqlState !== undefined && !fatal
    return isOfServer && !busy.has(errno) ? queryRefused(name, error) : connectionFault(this.#target, error)
  }

  /** Stops the query by a connection of its own. What goes wrong is ignored: the server's time limit ends the query then. */
  async #cancel(): Promise<void> {
    const { threadId } = this.#connection
    try {
      const other = await connectTo(this.#target)
      const killed = new Promise<void>((resolve) => other.query(`KILL QUERY ${threadId}`, () => resolve()))
      await Promise.race([killed, pause(endTimeout, undefined, { ref: false })])
      other.destroy()
    } catch (error) {
      if (!(error instanceof RemoteDatabaseFault)) throw error
    } finally {
      // With an error, so that a query that is under way hears of it.
      this.#socket.destroy(new Error('the query was cancelled'))
      this.#connection.destroy()
    }
  }

  get #socket(): Socket {
    return (this.#connection as unknown as { stream: Socket }).stream
  }
}

/** Returns what reads the next rows of a stream; none at its end. */
function batchesOf(rows: Readable, faultOf: (error: unknown) => Error): () => Promise<RemoteRow[]> {
  let fault: unknown
  let hasEnded = false
  let wake = (): void => undefined
  rows.on('readable', () => wake())
  rows.once('end', () => {
    hasEnded = true
    wake()
  })
  rows.once('error', (error) => {
    fault = error
    wake()
  })
  return async () => {
    const batch: RemoteRow[] = []
    for (;;) {
      const row = rows.read() as RemoteRow | null
      if (row !== null) {
        batch.push(row)
        if (batch.length === rowsAtOnce) return batch
      } else if (fault !== undefined) throw faultOf(fault)
      else if (batch.length > 0 || hasEnded) return batch
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }
}

function connectionFault(target: DatabaseTarget, error: unknown): RemoteDatabaseFault {
  if (error instanceof RemoteDatabaseFault) return error
  if ((error as MysqlError).errno === unknownDatabase) return connectionRefused(target.name, error)
  return accessDenied.has((error as MysqlError).errno ?? 0) || codeOf(error) === 'ER_ACCESS_DENIED_ERROR'
    ? signInRefused(target.name, error)
    : unreachable(target.name, error)
}

/** A BIT value as a number. */
function bitsOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : BigInt(`0x${bytes.toString('hex') || '0'}`).toString()
}

function typeName(code: number | undefined): string {
  const name =
    code === undefined ? undefined : (mysql.Types as unknown as Record<number, string | undefined>)[code]
  return (name ?? '').toLowerCase().replaceAll('_', ' ')
}

function quoted(name: string): string {
  return quotedName('mysql', name)
}
