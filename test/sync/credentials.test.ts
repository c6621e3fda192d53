import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Credentials } from '../../src-main/base/credentials.ts'
import type { Remote } from '../../src-main/sync/schema.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { certificate } from './certificate.ts'

const reversing = {
  encrypt: (text: string) => Buffer.from(text).reverse(),
  decrypt: (encrypted: Buffer) => Buffer.from(encrypted).reverse().toString()
}

test('a key is encrypted by the desktop where there is one', async () => {
  const directory = await temporaryDirectory()
  const credentials = new Credentials(directory, reversing)
  expect(await credentials.write(7, 'secret')).toBe('desktop')
  expect(await readFile(join(directory, 'credentials', 'remote-7'), 'utf8')).toBe('terces')
  expect(await credentials.read(7, 'desktop')).toBe('secret')
  await credentials.remove(7)
  expect(await credentials.read(7, 'desktop')).toBeNull()
})

test.runIf(process.platform === 'linux')(
  'without one and without a keyring it is in a file of its owner alone',
  async () => {
    const directory = await temporaryDirectory()
    // Where no keyring answers.
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
    const credentials = new Credentials(directory, null)
    expect(await credentials.write(7, 'secret')).toBe('file')
    expect((await stat(join(directory, 'credentials', 'remote-7'))).mode & 0o777).toBe(0o600)
    expect(await credentials.read(7, 'file')).toBe('secret')
  }
)

test('changes of a secret at the same time are made one after the other', async () => {
  const directory = await temporaryDirectory()
  const credentials = new Credentials(directory, reversing)
  await Promise.all(Array.from({ length: 20 }, (_, at) => credentials.write(7, `secret ${at}`)))
  expect(await credentials.read(7, 'desktop')).toBe('secret 19')

  const longer = (before: string | null) => ({ secret: `${before ?? ''}.`, made: null })
  await Promise.all(Array.from({ length: 20 }, () => credentials.change(7, 'desktop', longer)))
  expect(await credentials.read(7, 'desktop')).toBe(`secret 19${'.'.repeat(20)}`)
  expect(await readdir(join(directory, 'credentials'))).toEqual(['remote-7'])
})

test('a key is in no answer and not in the database', async () => {
  const { app, api, dataDirectory } = await startApplication()
  const key = 'f00dfacef00dfacef00dfacef00dfacef00dface'
  const added = await api.workbench<Remote>('POST', '/remotes', {
    base_url: 'http://127.0.0.1:1',
    organization_id: 1,
    api_key: key
  })
  const answers = [
    added,
    await api.workbench('GET', '/remotes'),
    await api.workbench('GET', `/remotes/${added.data.id}`)
  ]
  expect(JSON.stringify(answers)).not.toContain(key)
  await app.close()
  expect((await readFile(join(dataDirectory, 'listwright.db'))).includes(key)).toBe(false)
})

test.each([
  ['http://api.example.com', 'must begin with https://'],
  ['ftp://api.example.com', 'must be an address such as'],
  ['https://name:password@api.example.com', 'must not contain a name or password'],
  ['https://api.example.com/other', 'must be only the address of the server']
])('the address %s is refused', async (base_url, reason) => {
  const { api } = await startApplication()
  const { error_message } = await api.workbench('POST', '/remotes', {
    base_url,
    organization_id: 1,
    api_key: 'key'
  })
  expect(error_message).toContain(reason)
})

test('a server with an untrusted certificate gets no key', async () => {
  let requests = 0
  const server = createServer(certificate, (_request, answer) => {
    requests++
    answer.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { api } = await startApplication()
  const { error_message } = await api.workbench('POST', '/remotes/preview', {
    base_url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    organization_id: 1,
    api_key: 'key'
  })
  expect(error_message).toContain('its certificate is one that it made itself')
  expect(requests).toBe(0)
})
