import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DatabaseTarget,
  type RemoteRow,
  withRemoteDatabase
} from '../../src-main/remote-databases/remote-database.ts'
import { testDatabase } from '../../src-main/remote-databases/test-database.ts'
import { temporaryDirectory } from '../support/application.ts'
import { type DatabaseServer, hasDatabases, mariadb, pgbouncer, postgresql } from '../support/databases.ts'
import { nobody, othersMayRun } from '../support/other-user.ts'

interface Read {
  columns: string[]
  rows: RemoteRow[]
}

/** Reads all rows of a query. */
function readAll(
  target: DatabaseTarget,
  query: string,
  { timeLimit = 10_000, signal = new AbortController().signal } = {}
): Promise<Read> {
  return withRemoteDatabase(target, { signal, timeLimit }, async (database) => {
    const result = await database.read(query, { timeLimit })
    const rows: RemoteRow[] = []
    for (let batch = await result.next(); batch.length > 0; batch = await result.next()) rows.push(...batch)
    return { columns: result.columns.map(({ name }) => name), rows }
  })
}

/** What each engine calls the same things. */
interface Dialect {
  target: () => DatabaseTarget
  /** Numbers from 1 to the one given, as n. */
  series: (most: number) => string
  sleep: string
  /** A text of so many characters. */
  long: (characters: number) => string
  /** What would change data, and passes the grammar of a query. */
  writes: readonly string[]
}

const ends: (() => Promise<void>)[] = []
const whenDone = (end: () => Promise<void>): void => void ends.push(end)
let servers: { postgresql: DatabaseServer; mariadb: DatabaseServer; pgbouncer: DatabaseTarget }

const postgresqlDialect: Omit<Dialect, 'target'> = {
  series: (most) => `SELECT n FROM generate_series(1, ${most}) AS n`,
  sleep: 'SELECT pg_sleep(30)',
  long: (characters) => `SELECT repeat('x', ${characters}) AS a`,
  writes: [
    "SELECT nextval('steps') AS n",
    'SELECT add_contact() AS n',
    'WITH added AS (INSERT INTO contacts VALUES (9) RETURNING id) SELECT id FROM added',
    'INSERT INTO contacts VALUES (9) RETURNING id',
    'SELECT 1 AS n; COMMIT; INSERT INTO contacts VALUES (9)',
    'DROP TABLE contacts'
  ]
}

const dialects: Record<string, Dialect> = {
  'PostgreSQL 15': { ...postgresqlDialect, target: () => servers.postgresql.target },
  'PgBouncer in transaction mode': { ...postgresqlDialect, target: () => servers.pgbouncer },
  'MariaDB 10.11': {
    target: () => servers.mariadb.target,
    series: (most) => `SELECT seq AS n FROM seq_1_to_${most}`,
    sleep: 'SELECT SLEEP(30) AS s',
    long: (characters) => `SELECT REPEAT('x', ${characters}) AS a`,
    writes: [
      'CALL add_contact()',
      'CALL commit_and_add()',
      'SELECT add_one() AS n',
      'SET GLOBAL max_connections = 7',
      'SET SESSION TRANSACTION READ WRITE',
      'SET STATEMENT tx_read_only=0 FOR OPTIMIZE TABLE contacts',
      '/* SELECT */ ANALYZE TABLE contacts',
      'INSERT INTO contacts VALUES (9)',
      'SELECT 1 AS n; COMMIT; INSERT INTO contacts VALUES (9)',
      'DROP TABLE contacts',
      'CREATE TABLE others (id INT)'
    ]
  }
}

describe.skipIf(!hasDatabases && process.env['CI'] !== 'true')('a database server', () => {
  beforeAll(async () => {
    const [one, other] = [await postgresql({}, whenDone), await mariadb(whenDone)]
    servers = { postgresql: one, mariadb: other, pgbouncer: await pgbouncer(one, whenDone) }
    one.run(`CREATE TABLE contacts (id INT); INSERT INTO contacts VALUES (1); CREATE SEQUENCE steps;
      CREATE FUNCTION add_contact() RETURNS INT LANGUAGE sql AS 'INSERT INTO contacts VALUES (9) RETURNING id';
      GRANT ALL ON contacts, steps TO anna`)
    other.run(`CREATE TABLE contacts (id INT); INSERT INTO contacts VALUES (1);
      CREATE PROCEDURE add_contact() INSERT INTO contacts VALUES (9);
      DELIMITER //
      CREATE PROCEDURE commit_and_add() BEGIN COMMIT; INSERT INTO contacts VALUES (9); END //
      CREATE FUNCTION add_one() RETURNS INT BEGIN INSERT INTO contacts VALUES (9); RETURN 1; END //`)
  }, 60_000)
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  describe.each(Object.entries(dialects))('%s', (_name, { target, series, sleep, long, writes }) => {
    it('is read in batches, with the names of its columns and values as it writes them', async () => {
      const { columns, rows } = await readAll(target(), `${series(12_345)} ORDER BY n;`)

      expect(columns).toEqual(['n'])
      expect(rows).toHaveLength(12_345)
      expect(rows.at(-1)).toEqual(['12345'])
    })

    it('gives null, dates, decimals and any script as they are', async () => {
      const query = "SELECT NULL AS a, CAST('2026-02-03' AS DATE) AS b, 1.50 AS c, 'Zoë 漢字 🙂' AS d"

      expect((await readAll(target(), query)).rows).toEqual([[null, '2026-02-03', '1.50', 'Zoë 漢字 🙂']])
    })

    it('gives the columns of a query without rows', async () => {
      expect(await readAll(target(), 'SELECT id FROM contacts WHERE id = 0')).toEqual({
        columns: ['id'],
        rows: []
      })
    })

    it.each(writes)('refuses by itself to write: %s', async (query) => {
      await expect(readAll(target(), query)).rejects.toThrow(
        /^the database CRM refuses the query|^the query must return columns/
      )

      expect((await readAll(target(), 'SELECT id FROM contacts')).rows).toEqual([['1']])
    })

    it('stops a query that takes longer than its limit', async () => {
      const began = performance.now()

      await expect(readAll(target(), sleep, { timeLimit: 1000 })).rejects.toThrow(
        'the database CRM took longer than 1 s'
      )
      expect(performance.now() - began).toBeLessThan(5000)
    })

    it('stops a query that is cancelled', async () => {
      const cancel = new AbortController()
      const reading = readAll(target(), sleep, { timeLimit: 60_000, signal: cancel.signal })
      setTimeout(() => cancel.abort(), 300)

      await expect(reading).rejects.toThrow('aborted')
      await expect.poll(() => sleepers(target()), { timeout: 5000 }).toBe('0')
    })

    it('ends a query with a row that is too large, without reading it into memory', async () => {
      const before = process.memoryUsage.rss()

      await expect(readAll(target(), long(500_000_000), { timeLimit: 30_000 })).rejects.toThrow(
        'rows of the query have more than 64 MB'
      )
      expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000)
    }, 40_000)

    it('reads long rows that follow short ones', async () => {
      const query = `SELECT CASE WHEN n > 3000 THEN ${long(20_000).replace(/^SELECT (.*) AS a$/, '$1')} END AS a FROM (${series(6000)}) AS numbers`

      const { rows } = await readAll(target(), query)

      expect([rows.length, rows.at(-1)?.[0]?.length]).toEqual([6000, 20_000])
    })

    it('takes a query with comments before it', async () => {
      expect((await readAll(target(), '-- who\n/* gets it */\n(SELECT 1 AS a)')).rows).toEqual([['1']])
    })

    it('names the fault of a query in its own words', async () => {
      await expect(readAll(target(), 'SELECT x\nFROM nowhere')).rejects.toThrow(/nowhere.*exist/)
      await expect(readAll(target(), 'SELECT FROM FROM')).rejects.toThrow(/syntax/)
    })

    it('says what it can do when it is tested', async () => {
      const found = await testDatabase(target(), new AbortController().signal)

      expect(found).toMatchObject({ read_only_transactions: true, cursors: true, time_limits: true })
      expect(found.version).toMatch(/PostgreSQL 15|10\.11.*MariaDB/)
      expect(found.rows_per_second).toBeGreaterThan(1000)
      expect(Math.abs(found.clock_difference)).toBeLessThan(1000)
    })

    it('refuses a wrong password, and an unknown database', async () => {
      await expect(readAll({ ...target(), password: 'wrong' }, 'SELECT 1')).rejects.toThrow(
        /^the database CRM refuses the user name or password/
      )
      await expect(readAll({ ...target(), database: 'other' }, 'SELECT 1')).rejects.toThrow(
        /other|Access denied/
      )
    })
  })

  it('running PostgreSQL gives the line and the column of a fault', async () => {
    await expect(readAll(servers.postgresql.target, 'SELECT 1 AS a,\n  nothing AS b')).rejects.toThrow(
      'the database CRM refuses the query in line 2, column 3: “column "nothing" does not exist”'
    )
    await expect(readAll(servers.postgresql.target, "\n\nSELECT '🙂', nothing")).rejects.toThrow(
      'the database CRM refuses the query in line 3, column 13:'
    )
    for (const query of ['SELECT 1 / 0', 'SELECT 1 WHERE 1 = $1', 'SELECT 1 AS \0']) {
      await expect(readAll(servers.postgresql.target, query)).rejects.toThrow(
        /^the database CRM refuses the query: /
      )
    }
  })

  it('over three others by postgres_fdw is read as one table, and refuses to write to any of them', async () => {
    const parts = [await postgresql(), await postgresql(), await postgresql()]
    const front = await postgresql()
    front.run('CREATE EXTENSION postgres_fdw')
    front.run('CREATE TABLE people (id INT, email TEXT) PARTITION BY HASH (id)')
    for (const [index, { target: part, run }] of parts.entries()) {
      run(`CREATE TABLE people (id INT, email TEXT); GRANT ALL ON people TO anna`)
      front.run(`CREATE SERVER part${index} FOREIGN DATA WRAPPER postgres_fdw
          OPTIONS (host '127.0.0.1', port '${part.port}', dbname 'crm');
        CREATE USER MAPPING FOR PUBLIC SERVER part${index} OPTIONS (user 'anna', password '${part.password ?? ''}');
        CREATE FOREIGN TABLE people${index} PARTITION OF people
          FOR VALUES WITH (MODULUS 3, REMAINDER ${index}) SERVER part${index} OPTIONS (table_name 'people')`)
    }
    front.run(`INSERT INTO people SELECT n, 'u' || n || '@example.org' FROM generate_series(1, 3000) AS n;
      GRANT ALL ON people, people0, people1, people2 TO anna`)

    const { rows } = await readAll(front.target, 'SELECT id, email FROM people ORDER BY id')

    expect(rows).toHaveLength(3000)
    expect(rows.at(-1)).toEqual(['3000', 'u3000@example.org'])
    expect(new Set(parts.map(({ run }) => run('SELECT count(*) > 0 FROM people')))).toEqual(new Set(['t']))
    const query = 'WITH gone AS (DELETE FROM people RETURNING id) SELECT id FROM gone'
    await expect(readAll(front.target, query)).rejects.toThrow(/^the database CRM refuses the query/)
  }, 60_000)

  it('that is killed while it is read ends the reading with a sentence', async () => {
    const server = await mariadb()
    const reading = readAll(server.target, 'SELECT SLEEP(30) AS s', { timeLimit: 60_000 })
    setTimeout(() => void server.kill(), 500)

    await expect(reading).rejects.toThrow(/^the database CRM cannot be reached/)
  }, 30_000)

  it('without TLS is not used when TLS is wanted', async () => {
    for (const { target } of [servers.postgresql, servers.mariadb]) {
      await expect(readAll({ ...target, tls: 'verified' }, 'SELECT 1')).rejects.toThrow(
        /^the database CRM cannot be reached: .*(SSL|secure)/i
      )
    }
  })
})

/** How many queries of the tests sleep on a server now. */
function sleepers({ engine }: DatabaseTarget): string {
  return engine === 'mysql'
    ? servers.mariadb.run(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
      )
    : servers.postgresql.run(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'"
      )
}

describe('a SQLite file', () => {
  async function file(): Promise<DatabaseTarget> {
    const database = join(await temporaryDirectory(), 'crm.db')
    const sqlite = new Database(database)
    sqlite.exec(
      "CREATE TABLE contacts (id INT, name TEXT); INSERT INTO contacts VALUES (1, NULL), (2, 'Zoë')"
    )
    sqlite.close()
    const nothing = { host: '', port: 0, username: '', password: null, authorities: '' }
    return { ...nothing, engine: 'sqlite', name: 'CRM', database, tls: 'none' }
  }

  it('is read, with large numbers as they are', async () => {
    const { columns, rows } = await readAll(
      await file(),
      'SELECT id, name, 9007199254740993 AS n, 1.5 AS f FROM contacts'
    )

    expect(columns).toEqual(['id', 'name', 'n', 'f'])
    expect(rows).toEqual([
      ['1', null, '9007199254740993', '1.5'],
      ['2', 'Zoë', '9007199254740993', '1.5']
    ])
  })

  it.each([
    'INSERT INTO contacts VALUES (3, NULL) RETURNING id',
    'DELETE FROM contacts',
    'DROP TABLE contacts',
    'SELECT 1; DELETE FROM contacts',
    "ATTACH 'other.db' AS other",
    "VACUUM INTO '/tmp/listwright-never.db'"
  ])('refuses to write: %s', async (query) => {
    const target = await file()

    await expect(readAll(target, query)).rejects.toThrow(/refuses the query|must return columns/)
    expect((await readAll(target, 'SELECT id FROM contacts')).rows).toHaveLength(2)
  })

  it('that does not exist is refused with a sentence', async () => {
    const database = join(await temporaryDirectory(), 'none.db')

    await expect(readAll({ ...(await file()), database }, 'SELECT 1')).rejects.toThrow(
      /^the database CRM cannot be reached/
    )
  })

  it.skipIf(!othersMayRun)('that must not be written to is found out before there are rows', async () => {
    const target = await file()
    await chmod(dirname(target.database), 0o755)
    const table = { name: 'contacts', columns: ['id', 'name'], key: 'id' }
    const sqlite = new Database(target.database)
    sqlite.exec('CREATE UNIQUE INDEX contacts_id ON contacts (id)')
    sqlite.close()
    // For root every file can be written to.
    const check = `
      import { withRemoteDatabase } from './src-main/remote-databases/remote-database.ts'
      const limits = { signal: new AbortController().signal, timeLimit: 10_000 }
      const append = (database) => database.append(${JSON.stringify(table)}, [])
      await withRemoteDatabase(${JSON.stringify(target)}, limits, append).then(
        () => console.log('taken'),
        (error) => console.log(error.message)
      )`
    const asNobody = () =>
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', check], {
        encoding: 'utf8',
        uid: nobody
      })

    expect(asNobody()).toMatch(/^the database CRM does not let Listwright write into the table: .*readonly/)
    await chmod(target.database, 0o666)
    await chmod(dirname(target.database), 0o777)
    expect(asNobody()).toBe('taken\n')
  })

  it('says what it can do when it is tested', async () => {
    expect(await testDatabase(await file(), new AbortController().signal)).toMatchObject({
      version: expect.stringMatching(/^SQLite 3\./) as string,
      read_only_transactions: true
    })
  })
})
