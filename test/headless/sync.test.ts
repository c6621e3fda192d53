import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { entryPoint } from '../support/built.ts'

const execute = promisify(execFile)

async function sync(dataDirectory: string, ...args: string[]): Promise<{ status: number; answer: unknown }> {
  const all = [entryPoint, 'sync', ...args, '--data-dir', dataDirectory, '--json']
  const { stdout, status } = await execute(process.execPath, all).then(
    (done) => ({ stdout: done.stdout, status: 0 }),
    (error: unknown) => {
      const failed = error as { stdout: string; code: number }
      return { stdout: failed.stdout, status: failed.code }
    }
  )
  expect(stdout.trimEnd().split('\n').length).toBe(1)
  return { status, answer: JSON.parse(stdout) as unknown }
}

test('the command line sets up a server, mirrors, compares, pauses and removes, beside an application and without one', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const list = await makeList(here.api, { name: 'Readers' })
  await makeSubscriber(here.api, list.id, 'a@example.com')
  const keyFile = join(await temporaryDirectory(), 'key')
  await writeFile(keyFile, `${await there.app.createApiKey('sync')}\n`)
  const from = (...more: string[]) =>
    sync(here.dataDirectory, 'add', '--url', there.app.baseUrl, '--organization', '1', ...more)

  expect(await from('--key-file', '/dev/null')).toMatchObject({ status: 1 })
  const added = await from('--key-file', keyFile, '--direction', 'both')
  expect(added).toEqual({ status: 0, answer: { remote: 1 } })
  expect(await sync(here.dataDirectory, 'verify')).toMatchObject({ status: 1, answer: { equal: false } })
  expect(await sync(here.dataDirectory, 'run')).toEqual({
    status: 0,
    answer: { pushed: { mailing_list: 1, subscriber: 1 }, pulled: {}, refused: 0, conflicts: 0 }
  })
  await here.app.close()

  const { data: lists } = await there.api.get<{ id: number }[]>('/mailing_lists')
  await makeSubscriber(there.api, lists[0]?.id ?? 0, 'b@example.com')
  expect(await sync(here.dataDirectory, 'run', '--remote', '1')).toMatchObject({
    status: 0,
    answer: { pulled: { subscriber: 1 } }
  })
  expect(await sync(here.dataDirectory, 'verify')).toMatchObject({
    status: 0,
    answer: { equal: true, differences: [] }
  })
  expect(await sync(here.dataDirectory, 'pause')).toMatchObject({
    status: 0,
    answer: { remote: 1, state: 'paused' }
  })
  expect(await sync(here.dataDirectory, 'status')).toMatchObject({
    answer: { remotes: [{ id: 1, state: 'paused' }] }
  })
  expect(await sync(here.dataDirectory, 'remove', '--remote', '2')).toMatchObject({ status: 1 })
  expect(await sync(here.dataDirectory, 'remove')).toEqual({ status: 0, answer: { remote: 1 } })
  expect(await sync(here.dataDirectory, 'run')).toMatchObject({
    status: 1,
    answer: { error: 'No server is set up. See: listwright sync --help' }
  })
})

test('a wrong key or address is reported in words, and nothing is stored', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const keyFile = join(await temporaryDirectory(), 'key')
  await writeFile(keyFile, 'wrong')
  const add = (url: string) =>
    sync(here.dataDirectory, 'add', '--url', url, '--organization', '1', '--key-file', keyFile)
  const host = new URL(there.app.baseUrl).host
  expect((await add(there.app.baseUrl)).answer).toMatchObject({
    error: expect.stringContaining(`${host} did not accept this key`) as string
  })
  expect((await add('http://api.example.com')).answer).toEqual({
    error: 'base_url must begin with https://, so that nobody can intercept the key'
  })
  expect((await add('http://127.0.0.1:1')).answer).toEqual({
    error: '127.0.0.1:1 cannot be reached: nothing answers at this address'
  })
  expect(await sync(here.dataDirectory, 'status')).toMatchObject({ answer: { remotes: [] } })
})

test('nothing is created without data, except by adding a server', async () => {
  const nowhere = join(await temporaryDirectory(), 'typo')
  expect(await sync(nowhere, 'status')).toMatchObject({
    status: 1,
    answer: { error: expect.stringContaining('There is no data in') as string }
  })
  expect(existsSync(nowhere)).toBe(false)
})

test('questions of a run are shown and answered on the command line', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const list = await makeList(here.api, { name: 'Readers' })
  for (let person = 0; person < 20; person++)
    await makeSubscriber(here.api, list.id, `p${person}@example.com`)
  const keyFile = join(await temporaryDirectory(), 'key')
  await writeFile(keyFile, await there.app.createApiKey('sync'))
  await sync(
    here.dataDirectory,
    ...['add', '--url', there.app.baseUrl, '--organization', '1', '--key-file', keyFile],
    ...['--direction', 'both']
  )
  await sync(here.dataDirectory, 'run')
  expect(await sync(here.dataDirectory, 'answer', 'send-again')).toMatchObject({
    status: 1,
    answer: { error: expect.stringContaining('is not asking anything') as string }
  })
  const { data: lists } = await there.api.get<{ id: number }[]>('/mailing_lists')
  for (let person = 0; person < 15; person++)
    await there.api.delete(`/mailing_lists/${lists[0]?.id}/subscribers/p${person}@example.com`)
  const question = 'Answer with: sync answer send-again, or sync answer remove-here'
  expect(await sync(here.dataDirectory, 'run')).toMatchObject({
    status: 1,
    answer: { error: expect.stringContaining(question) as string }
  })
  expect(await sync(here.dataDirectory, 'answer', 'leave-out')).toEqual({
    status: 1,
    answer: {
      error: 'sync answer needs send-again or remove-here, not "leave-out"'
    }
  })
  expect(await sync(here.dataDirectory, 'answer', 'send-again')).toMatchObject({ status: 0 })
  expect(await sync(here.dataDirectory, 'run')).toMatchObject({ status: 0 })
  expect(await sync(here.dataDirectory, 'verify')).toMatchObject({ status: 0, answer: { equal: true } })
})
