import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseTarget } from '../../src-main/remote-databases/remote-database.ts'
import { freePort, idOf, reachable } from './servers.ts'

const postgresqlPrograms = '/usr/lib/postgresql/15/bin'
const isRoot = process.getuid?.() === 0

/** True if PostgreSQL, PgBouncer and MariaDB can be started here: as root, on Linux. */
export const hasDatabases =
  isRoot &&
  [`${postgresqlPrograms}/postgres`, '/usr/sbin/pgbouncer', '/usr/sbin/mariadbd'].every((path) =>
    existsSync(path)
  )

/** A real database server on loopback. */
export interface DatabaseServer {
  target: DatabaseTarget
  /** Runs statements as its administrator. @returns what they print */
  run: (sql: string) => string
  /** Ends it at once, as a power cut does. */
  kill: () => Promise<void>
  /** Starts it again. */
  start: () => Promise<void>
}

type WhenDone = (end: () => Promise<void>) => void

/** The benchmarks, which end servers themselves, run without vitest. */
const { onTestFinished: endWithTest } = process.env['VITEST']
  ? await import('vitest')
  : { onTestFinished: () => undefined }

async function serverDirectory(user: string): Promise<{ directory: string; owner: [number, number] }> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-database-'))
  const owner: [number, number] = [idOf(user, '-u'), idOf(user, '-g')]
  await chmod(directory, 0o755)
  await chown(directory, ...owner)
  return { directory, owner }
}

const password = 'of-the-database'

function targetOn(engine: DatabaseTarget['engine'], port: number): DatabaseTarget {
  return {
    ...{ engine, name: 'CRM', host: '127.0.0.1', port, database: 'crm', username: 'anna', password },
    ...{ tls: 'none', authorities: '' }
  }
}

/** Starts a server program, and again after it was killed. */
async function programOf(
  start: () => ReturnType<typeof spawn>,
  port: number,
  directory: string,
  whenDone: WhenDone
): Promise<Pick<DatabaseServer, 'kill' | 'start'>> {
  let server = start()
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  whenDone(async () => {
    await kill()
    await rm(directory, { recursive: true, force: true })
  })
  await reachable(port)
  return {
    kill,
    start: async () => {
      server = start()
      await reachable(port)
    }
  }
}

/** PostgreSQL 15, with the database crm of the user anna. */
export async function postgresql(
  settings: Readonly<Record<string, string>> = {},
  whenDone: WhenDone = endWithTest
): Promise<DatabaseServer> {
  const { directory, owner } = await serverDirectory('postgres')
  const [uid, gid] = owner
  const port = await freePort()
  const data = join(directory, 'data')
  const as = { uid, gid, stdio: 'ignore' } as const
  execFileSync(
    `${postgresqlPrograms}/initdb`,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    as
  )
  await writeFile(
    join(data, 'pg_hba.conf'),
    'local all all trust\nhostssl all anna 127.0.0.1/32 scram-sha-256\nhost all anna 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n'
  )
  const options = {
    fsync: 'off',
    unix_socket_directories: directory,
    listen_addresses: '127.0.0.1',
    ...settings
  }
  const start = () =>
    spawn(
      `${postgresqlPrograms}/postgres`,
      [
        '-D',
        data,
        '-p',
        String(port),
        ...Object.entries(options).flatMap(([key, value]) => ['-c', `${key}=${value}`])
      ],
      as
    )
  const run = (sql: string, database = 'crm'): string =>
    execFileSync(
      `${postgresqlPrograms}/psql`,
      [
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'postgres',
        '-d',
        database,
        '-qAt',
        '-v',
        'ON_ERROR_STOP=1'
      ],
      { input: sql, encoding: 'utf8' }
    ).trim()
  const program = await programOf(start, port, directory, whenDone)
  await untilAnswers(() => run('SELECT 1', 'postgres'))
  run(`CREATE ROLE anna LOGIN PASSWORD '${password}'`, 'postgres')
  run('CREATE DATABASE crm OWNER anna', 'postgres')
  return {
    target: targetOn('postgresql', port),
    run,
    kill: program.kill,
    start: async () => {
      await program.start()
      await untilAnswers(() => run('SELECT 1'))
    }
  }
}

/** PgBouncer in transaction mode in front of a PostgreSQL server. */
export async function pgbouncer(
  server: DatabaseServer,
  whenDone: WhenDone = endWithTest
): Promise<DatabaseTarget> {
  const { directory, owner } = await serverDirectory('postgres')
  const [uid, gid] = owner
  const port = await freePort()
  const hash = server.run("SELECT rolpassword FROM pg_authid WHERE rolname = 'anna'")
  await writeFile(join(directory, 'users.txt'), `"anna" "${hash}"\n`)
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    `[databases]
crm = host=127.0.0.1 port=${server.target.port} dbname=crm user=anna password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${directory}/users.txt
pool_mode = transaction
default_pool_size = 2
logfile = ${directory}/log
pidfile = ${directory}/pid
`
  )
  const start = () =>
    spawn('/usr/sbin/pgbouncer', [join(directory, 'pgbouncer.ini')], { uid, gid, stdio: 'ignore' })
  await programOf(start, port, directory, whenDone)
  return { ...server.target, port }
}

/** MariaDB 10.11, with the database crm of the user anna. */
export async function mariadb(whenDone: WhenDone = endWithTest): Promise<DatabaseServer> {
  const { directory, owner } = await serverDirectory('mysql')
  const [uid, gid] = owner
  const port = await freePort()
  const data = join(directory, 'data')
  await mkdir(data)
  await chown(data, ...owner)
  const as = { uid, gid, stdio: 'ignore' } as const
  execFileSync(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    as
  )
  const socket = join(directory, 'socket')
  const start = () =>
    spawn(
      '/usr/sbin/mariadbd',
      [
        ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--port=${port}`],
        ...['--bind-address=127.0.0.1', '--character-set-server=utf8mb4', '--max-allowed-packet=1G'],
        ...['--innodb-flush-log-at-trx-commit=0', '--skip-name-resolve']
      ],
      as
    )
  const run = (sql: string, database = 'crm'): string =>
    execFileSync(
      'mariadb',
      [
        ...['--no-defaults', `--socket=${socket}`, '-uroot', '-N', '-B', '--max-allowed-packet=1G'],
        // Without it, the locale of the environment decides.
        ...['--default-character-set=utf8mb4', database]
      ],
      { input: sql, encoding: 'utf8' }
    ).trim()
  const program = await programOf(start, port, directory, whenDone)
  await untilAnswers(() => run('SELECT 1', 'mysql'))
  run(
    `CREATE DATABASE crm; CREATE USER anna@'127.0.0.1' IDENTIFIED BY '${password}'; GRANT ALL ON crm.* TO anna@'127.0.0.1'`,
    'mysql'
  )
  return {
    target: targetOn('mysql', port),
    run,
    kill: program.kill,
    start: async () => {
      await program.start()
      await untilAnswers(() => run('SELECT 1'))
    }
  }
}

async function untilAnswers(ask: () => unknown): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      ask()
      return
    } catch (error) {
      if (attempt > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
