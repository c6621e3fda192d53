import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeOrganization, makeUser } from '../support/accounts.ts'
import { basic, startApplication, temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'

const run = promisify(execFile)

async function key(dataDirectory: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await run(process.execPath, [entryPoint, 'key', ...args, '--data-dir', dataDirectory])
  return stdout.trimEnd().split('\n')
}

describe('npm run serve -- key', () => {
  it('makes, lists and revokes keys beside an application that runs, and after it', async () => {
    const { app, dataDirectory } = await startApplication()
    const status = async (apiKey: string): Promise<number> => {
      const headers = { Authorization: basic(`${app.organizationId}:${apiKey}`) }
      return (await fetch(`${app.baseUrl}/ga/api/v2/mailing_lists`, { headers })).status
    }
    const [made = '', help] = await key(dataDirectory, 'create', 'CRM', 'sync')
    expect(made).toMatch(/^[0-9a-f]{40}$/)
    expect(help).toContain(`curl -u 1:${made}`)
    const listed = (lines: string[]) => lines.find((line) => line.includes('\tCRM sync\t')) ?? ''
    expect(listed(await key(dataDirectory, 'list'))).toMatch(/\tnever used$/)
    expect(await status(made)).toBe(200)
    const used = listed(await key(dataDirectory, 'list'))
    expect(used).toMatch(/\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(await key(dataDirectory, 'revoke', used.split('\t')[0] ?? '')).toEqual(['"CRM sync" was revoked.'])
    expect(await status(made)).toBe(401)
    await app.close()
    const [later] = await key(dataDirectory, 'create', 'Later')
    expect(later).toMatch(/^[0-9a-f]{40}$/)
  })

  it('creates API keys for any organization and any user with access to it', async () => {
    const started = await startApplication()
    const { app, dataDirectory } = started
    const organizationId = await makeOrganization(started)
    const { email } = await makeUser(started, { organizationId, full_name: 'Ada' })
    const there = ['--organization', String(organizationId)]
    const [admins = ''] = await key(dataDirectory, 'create', 'Admin', ...there)
    const [own = '', help] = await key(dataDirectory, 'create', 'Own', ...there, '--user', email)
    expect(help).toContain(`curl -u ${organizationId}:${own}`)
    const status = async (apiKey: string): Promise<number> => {
      const headers = { Authorization: basic(`${organizationId}:${apiKey}`) }
      return (await fetch(`${app.baseUrl}/ga/api/v2/organizations`, { headers })).status
    }
    expect([await status(admins), await status(own)]).toEqual([200, 403])
    expect((await key(dataDirectory, 'list', ...there))[0]).toMatch(/\tOwn\tAda\t/)
    await expect(key(dataDirectory, 'create', 'Away', '--user', email)).rejects.toThrow(
      /user \d+ was not found/
    )
    await expect(key(dataDirectory, 'create', 'Nobody', '--user', 'x@y.org')).rejects.toThrow(
      /--user needs the email of a user; there is no user "x@y.org"/
    )
    await expect(key(dataDirectory, 'list', '--organization', '99')).rejects.toThrow(
      /organization 99 was not found/
    )
  })

  it('answers programs in one line of JSON, faults as well', async () => {
    const { app, dataDirectory } = await startApplication()
    const json = async (...args: string[]): Promise<unknown> => {
      const lines = await key(dataDirectory, ...args, '--json').catch((error: unknown) =>
        (error as { stdout: string }).stdout.trimEnd().split('\n')
      )
      expect(lines.length).toBe(1)
      return JSON.parse(lines[0] ?? '')
    }
    const made = (await json('create', 'CRM')) as { organization_id: number; authorization: string }
    expect(made.organization_id).toBe(1)
    const headers = { Authorization: made.authorization }
    expect((await fetch(`${app.baseUrl}/ga/api/v2/mailing_lists`, { headers })).status).toBe(200)
    expect(await json('list')).toMatchObject({
      keys: expect.arrayContaining(
        [{ id: 2, name: 'CRM' }].map((each) => expect.objectContaining(each) as object)
      ) as object
    })
    expect(await json('revoke', '2')).toEqual({ revoked: 2 })
    expect(await json('revoke', '2')).toEqual({
      error: 'key revoke needs the id of a key from "key list", not "2"'
    })
  })

  it('says what is wrong with what it is given', async () => {
    const { dataDirectory } = await startApplication()
    await expect(key(dataDirectory, 'create')).rejects.toThrow(/key create needs a name/)
    await expect(key(dataDirectory, 'revoke', '999')).rejects.toThrow(/not "999"/)
    await expect(key(dataDirectory, 'show')).rejects.toThrow(/create NAME, list or revoke ID/)
    await expect(key(await temporaryDirectory(), 'list')).rejects.toThrow(/There is no data in/)
  })
})
