import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LastUses } from '../../src-main/api/accounts/authentication.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import type { ApiKey } from '../../src-main/workbench/api-access/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { basic, sharedApplication, startApplication } from '../support/application.ts'
import { Client } from '../support/client.ts'

const started = sharedApplication()

async function makeKey(api: Client, name: string): Promise<string> {
  return (await api.workbench<{ api_key: string }>('POST', '/api_keys', { name })).data.api_key
}

async function keysOf(api: Client): Promise<ApiKey[]> {
  return (await api.workbench<ApiKey[]>('GET', '/api_keys')).data
}

it('a key is listed with its last use, without itself, and refused once it is revoked', async () => {
  const { api, app } = started
  const key = await makeKey(api, 'Script')
  const found = async () => (await keysOf(api)).find(({ name }) => name === 'Script')
  expect(await found()).toEqual({
    id: expect.any(Number) as number,
    name: 'Script',
    user_name: 'System Administrator',
    created_at: expect.any(String) as string,
    last_used_at: null
  })
  const script = new Client(app.baseUrl, basic(`${app.organizationId}:${key}`))
  expect((await script.get('/mailing_lists')).success).toBe(true)
  while ((await found())?.last_used_at === null);
  expect(await api.workbench('DELETE', `/api_keys/${(await found())?.id}`)).toMatchObject({ success: true })
  expect(await script.get('/mailing_lists')).toMatchObject({ status: 401, error_code: 'not_authorized' })
})

it('a standard user sees and revokes their own keys, and no key of another organization is visible', async () => {
  const { api } = started
  await makeKey(api, 'Of the admin')
  const admins = (await keysOf(api)).find(({ name }) => name === 'Of the admin')
  const standard = await clientOfUser(started, { permissions: {} })
  await makeKey(standard, 'Own')
  const own = await keysOf(standard)
  expect(own.map(({ name }) => name)).toContain('Own')
  expect(own.map(({ name }) => name)).not.toContain('Of the admin')
  const stranger = await clientOfUser(started, {
    organizationId: await makeOrganization(started),
    role: 'organization_admin'
  })
  for (const client of [standard, stranger]) {
    expect(await client.workbench('DELETE', `/api_keys/${admins?.id}`)).toMatchObject({
      success: false,
      error_code: 'not_found'
    })
  }
  expect((await keysOf(api)).map(({ name }) => name)).toEqual(expect.arrayContaining(['Own', 'Of the admin']))
})

it('the use of a key that cannot be noted is not tried again with each call', async () => {
  const { app, dataDirectory } = await startApplication()
  await app.close()
  const databasePath = join(dataDirectory, 'listwright.db')
  const writer = await startWriter({ databasePath, backupDirectory: dataDirectory })
  onTestFinished(() => writer.close())
  const database = new SQLite(databasePath)
  database.exec('ALTER TABLE api_keys RENAME TO keys_elsewhere')
  database.close()
  const uses = new LastUses((id) => writer.run('accounts.recordKeyUse', { id }))
  const faults: unknown[] = []
  for (let call = 0; call < 5; call++) {
    uses.note({ id: 1, lastUsedAt: null }, (fault) => faults.push(fault))
    uses.note({ id: 2, lastUsedAt: Date.now() - 61_000 }, (fault) => faults.push(fault))
    uses.note({ id: 3, lastUsedAt: Date.now() }, (fault) => faults.push(fault))
  }
  await expect.poll(() => faults.length).toBe(2)
})
