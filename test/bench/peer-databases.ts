import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chown, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The same work as statements of one database. Each statement stores its whole result in a table or a file. */
export interface PeerStatements {
  /** Into an empty table whose emails are unique. */
  import: string
  /** The same people with other ages: into a table of their own, and from there into the first. */
  update: string
  filter: string
  search: string
  sort: string
  export: string
}

export interface PeerDatabase {
  name: string
  /** @returns seconds */
  time(statement: keyof PeerStatements): Promise<number>
  end(): Promise<void>
}

export interface PeerFiles {
  /** A directory of its own. */
  directory: string
  people: string
  older: string
}

const columns = 'email TEXT, first TEXT, last TEXT, city TEXT, day TEXT, age INTEGER'
const uniqueColumns = columns.replace('email TEXT', 'email TEXT PRIMARY KEY')
const upsert = `INSERT INTO people SELECT * FROM newer WHERE true ON CONFLICT (email) DO UPDATE
  SET first = excluded.first, last = excluded.last, city = excluded.city, day = excluded.day, age = excluded.age;`
// The days are from 2015 to 2025; accents are not folded, as none of them does that by itself.
const meets = `age >= 20 AND city LIKE '%rich%' AND day > '2018-09-01'`
const has = (column: string): string => `${column} LIKE '%weber%'`
const found = ['email', 'first', 'last', 'city'].map(has).join(' OR ')

/** Debian's `sqlite3`, in write-ahead mode as the application. */
export function sqlitePeer({ directory, people, older }: PeerFiles): PeerDatabase {
  const database = join(directory, 'peer.db')
  const statements: PeerStatements = {
    import: `PRAGMA journal_mode = WAL;\nCREATE TABLE people (${uniqueColumns});\n.mode csv\n.import --skip 1 ${people} people`,
    update: `CREATE TABLE newer (${columns});\n.mode csv\n.import --skip 1 ${older} newer\n${upsert}`,
    filter: `CREATE TEMP TABLE found AS SELECT rowid FROM people WHERE ${meets};`,
    search: `CREATE TEMP TABLE found AS SELECT rowid FROM people WHERE ${found};`,
    sort: `CREATE TEMP TABLE found AS SELECT rowid AS person FROM people ORDER BY lower(city), rowid;`,
    export: `.mode csv\n.once ${join(directory, 'sqlite.csv')}\nSELECT * FROM people;`
  }
  return {
    name: 'sqlite3',
    time: (statement) =>
      secondsOf(async () => {
        const script = join(directory, 'script.sql')
        await writeFile(script, statements[statement])
        await run('sqlite3', [database, `.read ${script}`])
      }),
    end: async () => undefined
  }
}

/** PostgreSQL from Debian, with the settings that its manual advises for bulk loads; null where it is not installed. */
export async function postgresPeer(files: PeerFiles): Promise<PeerDatabase | null> {
  const binaries = globSync('/usr/lib/postgresql/*/bin').at(-1)
  if (binaries === undefined || !existsSync(join(binaries, 'initdb'))) return null
  const user = await postgresUser()
  if (!user) return null
  // It refuses to run as root, and reads no files of others.
  const home = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const [people, older] = [join(home, 'people.csv'), join(home, 'older.csv')]
  await Promise.all([copyFile(files.people, people), copyFile(files.older, older)])
  for (const path of [home, people, older]) await chown(path, user.uid, user.gid)
  const as = { ...user, env: { ...process.env, HOME: home } }
  await run(join(binaries, 'initdb'), ['-D', join(home, 'data'), '-A', 'trust', '-U', 'postgres'], as)
  const settings = [
    'shared_buffers=512MB',
    'max_wal_size=4GB',
    'work_mem=256MB',
    'listen_addresses=',
    `unix_socket_directories=${home}`
  ]
  const server = spawn(
    join(binaries, 'postgres'),
    ['-D', join(home, 'data'), ...settings.flatMap((setting) => ['-c', setting])],
    { ...as, stdio: 'ignore' }
  )
  process.on('exit', () => server.kill('SIGQUIT'))
  const ask = (text: string) =>
    run('psql', ['-h', home, '-U', 'postgres', '-q', '-v', 'ON_ERROR_STOP=1', '-c', text], as)
  await untilItAnswers(() => ask('SELECT 1'))
  const options = '(FORMAT csv, HEADER)'
  const statements: PeerStatements = {
    import: `CREATE TABLE people (${uniqueColumns}); COPY people FROM '${people}' ${options};`,
    update: `CREATE TABLE newer (${columns}); COPY newer FROM '${older}' ${options}; ${upsert} ANALYZE people;`,
    filter: `CREATE TEMP TABLE found AS SELECT email FROM people WHERE ${meets.replaceAll('LIKE', 'ILIKE')};`,
    search: `CREATE TEMP TABLE found AS SELECT email FROM people WHERE ${found.replaceAll('LIKE', 'ILIKE')};`,
    sort: `CREATE TEMP TABLE found AS SELECT email FROM people ORDER BY lower(city), email;`,
    export: `COPY people TO '${join(home, 'postgres.csv')}' ${options};`
  }
  return {
    name: 'PostgreSQL',
    time: (statement) => secondsOf(() => ask(statements[statement])),
    end: async () => {
      await ended(server)
      await rm(home, { recursive: true })
    }
  }
}

interface DuckConnection {
  run(text: string): Promise<unknown>
  closeSync(): void
}

/** DuckDB from npm; null unless it was added with `npm install --no-save @duckdb/node-api`, since it has 70 MB. */
export async function duckPeer({ directory, people, older }: PeerFiles): Promise<PeerDatabase | null> {
  const name = '@duckdb/node-api'
  const module = (await import(name).catch(() => null)) as {
    DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<DuckConnection> }> }
  } | null
  if (!module) return null
  const connection = await (await module.DuckDBInstance.create(join(directory, 'peer.duckdb'))).connect()
  const statements: PeerStatements = {
    import: `CREATE TABLE people (${uniqueColumns}); COPY people FROM '${people}' (HEADER);`,
    update: `CREATE TABLE newer (${columns}); COPY newer FROM '${older}' (HEADER); ${upsert}`,
    filter: `CREATE TEMP TABLE found1 AS SELECT rowid AS person FROM people WHERE ${meets.replaceAll('LIKE', 'ILIKE')};`,
    search: `CREATE TEMP TABLE found2 AS SELECT rowid AS person FROM people WHERE ${found.replaceAll('LIKE', 'ILIKE')};`,
    sort: `CREATE TEMP TABLE found3 AS SELECT rowid AS person FROM people ORDER BY lower(city), rowid;`,
    export: `COPY people TO '${join(directory, 'duckdb.csv')}' (HEADER);`
  }
  return {
    name: 'DuckDB',
    time: (statement) => secondsOf(() => connection.run(statements[statement])),
    end: async () => connection.closeSync()
  }
}

async function postgresUser(): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((option) => run('id', [option, 'postgres'])))
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
  } catch {
    // There is no such user where PostgreSQL is not installed.
    return null
  }
}

async function untilItAnswers(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask()
      return
    } catch (error) {
      if (attempt === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  await exit
}

/** Times work after what came before is on the disk. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  await run('sync')
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
