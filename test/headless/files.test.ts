import SQLite from 'better-sqlite3'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createApp } from '../support/built.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import { nobody, othersMayRun } from '../support/other-user.ts'
import { runServe, serve } from '../support/process.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe.skipIf(process.platform === 'win32')('the data directory', () => {
  it('is for its owner alone, with everything in it', async () => {
    const directory = join(await temporaryDirectory(), 'data')
    const { api, end } = await serve(directory)
    await api.raw('/app/v1/uploads/people.csv', { method: 'PUT', body: 'email\na@example.com\n' })
    await end('SIGTERM')
    expect(await modeOf(directory)).toBe(0o700)
    for (const name of await readdir(directory, { recursive: true })) {
      expect((await modeOf(join(directory, name))) & 0o077, name).toBe(0)
    }
  })

  it('that others could read is closed to them, and that is said', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o755)
    const child = runServe(['--data-dir', directory, '--port', '0', '--json'])
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    expect(errors).toContain('was open to other users of this computer')
    expect(await modeOf(directory)).toBe(0o700)
    child.kill('SIGKILL')
  })

  it.skipIf(!othersMayRun)('that belongs to another user is used as it is, with a message', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o777)
    const child = runServe(['--data-dir', directory, '--port', '0', '--json'], nobody)
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    await once(child.stdout as Readable, 'data')
    expect(errors).toMatch(/is open to other users of this computer, and that could not be changed \(EPERM/)
    expect(await modeOf(directory)).toBe(0o777)
    child.kill('SIGKILL')
  })

  it('is not taken twice after somebody removed the file of its lock', async () => {
    const directory = await temporaryDirectory()
    const first = await serve(directory)
    await rm(join(directory, 'instance.lock'))
    // The first refusal must not leave a file behind that lets the second attempt in.
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(createApp({ dataDirectory: directory, port: 0 })).rejects.toThrow(
        'Another Listwright already uses'
      )
    }
    await first.end('SIGTERM')
    await (await createApp({ dataDirectory: directory, port: 0 })).close()
  })
})

it('a start with --json leaves no key behind', async () => {
  const directory = await temporaryDirectory()
  const first = await serve(directory)
  await first.end('SIGTERM')
  const killed = await serve(directory)
  await killed.end('SIGKILL')
  const last = await serve(directory)
  const { data } = await last.api.workbench<unknown[]>('GET', '/api_keys')
  expect(data).toHaveLength(1)
  const old = await fetch(`${last.ready.base_url}/ga/api/v2/mailing_lists`, {
    headers: { Authorization: first.ready.authorization }
  })
  expect(old.status).toBe(401)
  await last.end('SIGTERM')
})

it.skipIf(!canMount)('serve --json on a full disk ends with a sentence', async () => {
  const { directory } = await smallDisk(4)
  await (await serve(directory)).end('SIGTERM')
  // Whatever is left goes to this file, and the write-ahead log finds no room.
  await writeFile(join(directory, 'filler'), Buffer.alloc(16 * 1024 * 1024)).catch(() => undefined)
  const child = runServe(['--data-dir', directory, '--port', '0', '--json'])
  let [output, errors] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const status = await new Promise((resolve) => child.once('exit', resolve))
  expect(status).toBe(1)
  expect(JSON.parse(output)).toEqual({ error: expect.stringContaining('full') as string })
  expect(errors).toMatch(/full/)
})

describe('files of requests that came to nothing', () => {
  it('are gone when the request is refused', async () => {
    const { api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const answer = await api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: { column_mapping: ['Shoe'], file_source: { type: 'json', content: 'x' } }
    })
    expect(answer.success).toBe(false)
    expect(await readdir(join(dataDirectory, 'imports', 'sources'))).toEqual([])
  })

  it('are removed at the next start when the application was killed', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'imports', 'sources'), { recursive: true })
    await mkdir(join(directory, 'uploads', 'organization-2'), { recursive: true })
    const left = ['imports/sources/0f.csv', 'uploads/.upload-1', 'uploads/organization-2/.upload-2']
    for (const name of [...left, 'uploads/kept.csv']) await writeFile(join(directory, name), 'email\n')
    await startApplication(directory)
    for (const name of left) await expect(stat(join(directory, name)), name).rejects.toThrow('ENOENT')
    expect((await stat(join(directory, 'uploads/kept.csv'))).size).toBe(6)
  })
})

describe('an upload', () => {
  it.each([
    ['a'.repeat(300) + '.csv', /^a{200}\.csv$/],
    ['猫'.repeat(120) + '.csv', /^猫{66}\.csv$/],
    ['a%00b.csv', /^ab\.csv$/],
    ['.%00', /^upload\.csv$/]
  ])('may be called %s', async (name, stored) => {
    const { api } = await startApplication()
    const response = await api.raw(
      `/app/v1/uploads/${name.includes('%') ? name : encodeURIComponent(name)}`,
      {
        method: 'PUT',
        body: 'email\n'
      }
    )
    const { data } = (await response.json()) as { data: { filename: string } }
    expect(data.filename).toMatch(stored)
  })

  it.skipIf(!canMount)('that fails midway ends its connection, so that nothing waits behind it', async () => {
    const { directory } = await smallDisk(12)
    const { api } = await startApplication(directory)
    const { hostname, port } = new URL(api.baseUrl)
    const answer = await new Promise<{ status: number | undefined; connection: string | undefined }>(
      (resolve) => {
        const upload = request({
          hostname,
          port,
          method: 'PUT',
          path: '/app/v1/uploads/large.csv',
          headers: { Authorization: api.authorization, 'Content-Length': 64 * 1024 * 1024 }
        })
        upload.on('response', (response) => {
          response.resume()
          resolve({ status: response.statusCode, connection: response.headers.connection })
        })
        upload.on('error', () => undefined)
        upload.write(Buffer.alloc(32 * 1024 * 1024, 'a'))
      }
    )
    expect(answer).toEqual({ status: 500, connection: 'close' })
    expect((await api.get('/mailing_lists')).success).toBe(true)
    expect(await readdir(join(directory, 'uploads'))).toEqual([])
  })
})

it('a data directory that already has other files keeps its permissions, and an empty one becomes private (mode 700)', async () => {
  const shared = await temporaryDirectory()
  await writeFile(join(shared, 'notes.txt'), 'mine')
  await chmod(shared, 0o755)
  await (await serve(shared)).end('SIGTERM')
  expect((await stat(shared)).mode & 0o777).toBe(0o755)
  expect((await stat(join(shared, 'listwright.db'))).mode & 0o077).toBe(0)
  const empty = await temporaryDirectory()
  await chmod(empty, 0o755)
  await (await serve(empty)).end('SIGTERM')
  expect((await stat(empty)).mode & 0o777).toBe(0o700)
})

it.each([
  [['--data-dir', ''], '--data-dir must name a folder; it is empty'],
  [['--data-dir', '.', '--port', ''], '--port must be a number from 0 to 65535, not ""'],
  [['--data-dir', '.', '--port', '0x50'], '--port must be a number from 0 to 65535, not "0x50"']
])('serve %j is refused in a sentence, also for programs', async (args, sentence) => {
  const child = runServe([...args, '--json'])
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const status = await new Promise((resolve) => child.once('close', resolve))
  expect([status, JSON.parse(output)]).toEqual([1, { error: sentence }])
})

it("another program's database is left as it is", async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'listwright.db')
  const database = new SQLite(path)
  database.exec('CREATE TABLE notes (id INTEGER)')
  database.close()
  const child = runServe(['--data-dir', directory, '--port', '0', '--json'])
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await new Promise((resolve) => child.once('close', resolve))
  expect((JSON.parse(output) as { error: string }).error).toContain("is another program's database")
  const after = new SQLite(path, { readonly: true })
  expect(after.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['notes'])
  after.close()
})

it('a signal before it is ready ends it in order', async () => {
  const child = runServe(['--data-dir', await temporaryDirectory(), '--port', '0', '--json'])
  setTimeout(() => child.kill('SIGTERM'), 150)
  const status = await new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  // Before its first module is loaded nothing has begun.
  expect([0, 'SIGTERM']).toContain(status)
})
