import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type {
  DatabaseConnection,
  DatabaseConnectionTest
} from '../../src-main/api/database-connections/schema.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { sqliteFile } from '../support/remote-lists.ts'

const started = sharedApplication()
let number = 0

async function create(settings: Record<string, unknown>): Promise<DatabaseConnection> {
  const database_connection = { name: `Database ${++number}`, ...settings }
  return expectSuccess(
    await started.api.post<DatabaseConnection>('/database_connections', { database_connection })
  )
}

const server = { engine: 'postgresql', host: 'db.example.com', database: 'crm', username: 'anna' }

describe('a database connection', () => {
  it('verifies the certificate, and takes the usual port of its engine', async () => {
    expect(await create(server)).toMatchObject({ port: 5432, tls: 'verified', time_limit: 3600 })
    expect(await create({ ...server, engine: 'mysql' })).toMatchObject({ port: 3306 })
  })

  it('may be a name alone, as in earlier versions', async () => {
    const { id } = await create({})

    expect(await started.api.get(`/database_connections/${id}`)).toMatchObject({ data: { engine: null } })
    expect((await started.api.post(`/database_connections/${id}/test`)).error_message).toMatch(
      /^the database connection Database \d+ has a name only/
    )
  })

  it('never answers its password, and stores it outside of the database', async () => {
    const created = await create({ ...server, secret: 'very secret' })

    expect(created).toMatchObject({ has_secret: true })
    expect(JSON.stringify(created)).not.toContain('very secret')
    expect(readFileSync(join(started.dataDirectory, 'listwright.db')).includes('very secret')).toBe(false)
  })

  it('loses its password when it leads to another server, and keeps it otherwise', async () => {
    const { id } = await create({ ...server, secret: 'x' })
    const change = async (changes: object): Promise<DatabaseConnection> =>
      expectSuccess(await started.api.put(`/database_connections/${id}`, { database_connection: changes }))

    expect((await change({ time_limit: 60 })).has_secret).toBe(true)
    expect((await change({ host: 'other.example.com' })).has_secret).toBe(false)
  })

  it.each([
    [{ ...server, host: '' }, /^host cannot be blank$/],
    [{ ...server, database: ' ' }, /^database cannot be blank$/],
    [{ ...server, username: '' }, /^username cannot be blank$/],
    [{ ...server, host: 'postgres://db' }, /^host must be the name or address of a server/],
    [{ engine: 'sqlite', database: 'crm.db' }, /^database must be the whole path of a SQLite file/],
    [{ engine: 'sqlite', database: '/crm.db\0x' }, /^database must be the whole path of a SQLite file/],
    [{ ...server, authorities: 'my certificate' }, /^authorities is not a certificate in PEM format/],
    [{ ...server, organization_ids: [999999] }, /^organization_ids 999999 does not exist$/],
    [{ ...server, engine: 'oracle' }, /^engine/],
    [{ ...server, time_limit: 0 }, /^time_limit/]
  ])('refuses %j', async (settings, message) => {
    const answer = await started.api.post('/database_connections', {
      database_connection: { name: 'Refused', ...settings }
    })

    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })

  it('is tested without a change of its database', async () => {
    const { database } = await sqliteFile()
    const before = readFileSync(database)
    const { id } = await create({ engine: 'sqlite', database })

    const found = expectSuccess(
      await started.api.post<DatabaseConnectionTest>(`/database_connections/${id}/test`)
    )

    expect(found).toMatchObject({ read_only_transactions: true, cursors: true, time_limits: false })
    expect(found.version).toMatch(/^SQLite 3/)
    expect(readFileSync(database).equals(before)).toBe(true)
  })

  it('is never a file of the application itself, not even by a link or a change', async () => {
    const own = join(started.dataDirectory, 'listwright.db')
    const link = join(await temporaryDirectory(), 'link.db')
    await symlink(own, link)
    const { id } = await create({ engine: 'sqlite', database: (await sqliteFile()).database })

    const folder = join(await temporaryDirectory(), 'folder')
    await symlink(started.dataDirectory, folder)
    const notYet = [join(started.dataDirectory, 'not-yet.db'), join(folder, 'spools', 'not-yet.db')]

    for (const database of [own, ` ${own}`, link, ...notYet]) {
      const connection = { name: 'Own', engine: 'sqlite', database }
      expect(
        await started.api.post('/database_connections', { database_connection: connection })
      ).toMatchObject({ error_message: 'database must not be a file in the data folder of Listwright' })
    }
    expect(
      await started.api.put(`/database_connections/${id}`, { database_connection: { database: own } })
    ).toMatchObject({ error_code: 'validation_failed' })
  })

  it('tells in a sentence why it cannot be opened', async () => {
    const { id } = await create({ ...server, host: '127.0.0.1', port: 9, tls: 'none' })

    expect(await started.api.post(`/database_connections/${id}/test`)).toMatchObject({
      error_code: 'validation_failed',
      error_message: expect.stringMatching(
        /^the database Database \d+ cannot be reached: .*ECONNREFUSED/
      ) as string
    })
  })
})
