import type { ServerResponse } from 'node:http'
import { readdirSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { unpackFile } from '../../src-main/contact-files/formats/unpack.ts'
import { createApp } from '../support/built.ts'
import {
  clientOf,
  sharedApplication,
  type StartedApplication,
  temporaryDirectory
} from '../support/application.ts'
import { allSubscribers, deleteList, importFile, makeList } from '../support/builders.ts'
import { type FileServer, serveFiles } from '../support/file-server.ts'
import { zipOf } from '../support/zip.ts'

const file = 'email\na@example.com\nb@example.com\n'

function openedFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)]
    } catch {
      // The descriptor was closed in the meantime, like the one with which readdirSync() read this folder.
      return []
    }
  })
}

async function startDownloading(dataDirectory?: string): Promise<StartedApplication> {
  const directory = dataDirectory ?? (await temporaryDirectory())
  const settings = { service_url_imports_allow_private_addresses: true }
  const app = await createApp({ dataDirectory: directory, port: 0, settings })
  onTestFinished(() => app.close())
  return { app, api: await clientOf(app), dataDirectory: directory }
}

async function importFrom({ api }: StartedApplication, { url }: Pick<FileServer, 'url'>) {
  const list = await makeList(api)
  const answer = await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: { column_mapping: ['email'], file_source: { type: 'url', url } }
  })
  return { list, answer }
}

describe('a url import', () => {
  it('downloads its file, then imports it, and answers its address', async () => {
    const started = await startDownloading()
    const asked = Promise.withResolvers<ServerResponse>()
    const server = await serveFiles((_request, response) => {
      response.write(file.slice(0, 10))
      asked.resolve(response)
    })
    const { list, answer } = await importFrom(started, server)
    expect(answer.data).toMatchObject({ file_source: { type: 'url', filename: null, url: server.url } })
    const state = async () =>
      (await started.api.get<SubscriberImport>(`/subscriber_imports/${answer.data.id}`)).data.state
    await expect.poll(state).toBe('downloading')
    const response = await asked.promise
    response.end(file.slice(10))
    const ended = await started.api.imported(answer.data.id)
    expect([ended.state, ended.stats.subscribers.added]).toEqual(['finished', 2])
    expect(await allSubscribers(started.api, list.id)).toHaveLength(2)
  })

  it('tells as a job when a download that failed is tried again', async () => {
    const started = await startDownloading()
    const server = await serveFiles((_request, response) => void response.writeHead(503).end())
    const before = Date.now()
    const { answer } = await importFrom(started, server)
    const job = async (): Promise<Job | undefined> => {
      const { data } = await started.api.get<Job[]>('/jobs/unfinished?job_type=SubscriberImport')
      return data.find(({ id }) => id === answer.data.id)
    }
    let waiting = await job()
    for (let attempt = 0; attempt < 200 && waiting?.state !== 'loading_delayed'; attempt++) {
      await pause(20)
      waiting = await job()
    }
    expect(waiting).toMatchObject({ state: 'loading_delayed', paused: false, finished_at: null })
    // The second attempt comes 10 s after the first one.
    const seconds = (Date.parse(waiting?.retry_at ?? '') - before) / 1000
    expect(seconds).toBeGreaterThan(8.9)
    expect(seconds).toBeLessThan(20)
    await started.api.post(`/subscriber_imports/${answer.data.id}/cancel`)
    const { data } = await started.api.get<Job[]>('/jobs/all?job_type=SubscriberImport')
    expect(data).toMatchObject([{ state: 'cancelled', retry_at: null }])
  })

  it('is effectively cancelled and paused within 200 ms while it downloads', async () => {
    const started = await startDownloading()
    const server = await serveFiles((_request, response) => void response.write('email\n'))
    const { answer: first } = await importFrom(started, server)
    const { answer: second } = await importFrom(started, server)
    while ((await server.connections()) < 2) await pause(10)
    const path = '/subscriber_imports'
    expect((await started.api.post(`${path}/${first.data.id}/cancel`)).data).toMatchObject({
      state: 'cancelled'
    })
    expect((await started.api.post(`${path}/${second.data.id}/pause`)).data).toMatchObject({
      state: 'paused'
    })
    await pause(200)
    expect(await server.connections()).toBe(0)
  })

  it('ends with its list while it downloads', async () => {
    const started = await startDownloading()
    const server = await serveFiles((_request, response) => void response.write('email\n'))
    const { list, answer } = await importFrom(started, server)
    while ((await server.connections()) < 1) await pause(10)
    await deleteList(started.api, list.id)
    await expect.poll(() => server.connections()).toBe(0)
    expect((await started.api.imported(answer.data.id)).state).toBe('cancelled')
  })

  it('downloads again if the application ended during the download', async () => {
    const started = await startDownloading()
    const server = await serveFiles((_request, response, number) => {
      if (number === 1) response.write('email\n')
      else response.end(file)
    })
    const { list, answer } = await importFrom(started, server)
    while (server.requests < 1) await pause(10)
    await started.app.close()
    const again = await startDownloading(started.dataDirectory)
    expect(await again.api.imported(answer.data.id)).toMatchObject({ state: 'finished' })
    expect(await allSubscribers(again.api, list.id)).toHaveLength(2)
  })

  it.each([
    [{ type: 'url' }, /^file_source\.url cannot be blank$/],
    [{ type: 'url', url: 'ftp://example.com/a.csv' }, /^file_source\.url .*must begin with http/],
    [
      { type: 'url', url: 'http://127.0.0.1/a.csv' },
      /^file_source\.url 127\.0\.0\.1 is an address of this computer/
    ]
  ])('of %j is refused at once', async (file_source, message) => {
    const list = await makeList(shared.api)
    const answer = await shared.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: { column_mapping: ['email'], file_source }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })

  it('of a name that stands for this computer fails and says so', async () => {
    const { answer } = await importFrom(shared, { url: 'http://localhost:1/a.csv' })
    const ended = await shared.api.imported(answer.data.id)
    expect(ended.state).toBe('failed')
    expect(ended.error_message).toMatch(/localhost is an address of this computer/)
  })
})

const shared = sharedApplication()

describe('a compressed file', () => {
  it.each([
    ['gzip', gzipSync(file)],
    ['a zip archive', zipOf({ 'people.csv': file })],
    ['a zip archive with the extras of a Mac', zipOf({ 'people.csv': file, '__MACOSX/._people.csv': 'x' })]
  ])('of %s is recognized by its content and imported', async (_what, content) => {
    const list = await makeList(shared.api)
    const ended = await importFile(shared, list.id, content)
    expect(ended).toMatchObject({ state: 'finished', error_message: null })
    expect((await allSubscribers(shared.api, list.id)).map(({ email }) => email)).toEqual([
      'a@example.com',
      'b@example.com'
    ])
  })

  it.runIf(process.platform === 'linux')('that is refused is not held open', async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, 'two.zip')
    await writeFile(path, zipOf({ 'a.csv': file, 'b.csv': file }))
    await expect(unpackFile(path, join(directory, 'out.csv'), new AbortController().signal)).rejects.toThrow()
    await vi.waitFor(() => expect(openedFiles()).not.toContain(path))
  })

  it.each([
    ['two files', zipOf({ 'a.csv': file, 'b.csv': file }), /the zip archive holds 2 files/],
    ['nothing', zipOf({}), /zip|spreadsheet|CSV/],
    [
      'a spreadsheet',
      zipOf({ '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<x/>' }),
      /this is a spreadsheet/
    ],
    [
      'a wrong size',
      zipOf({ 'people.csv': file }, 3),
      /^the compressed file cannot be unpacked: too many bytes/
    ],
    ['half of it', gzipSync(file.repeat(1000)).subarray(0, 40), /cannot be unpacked/]
  ])('with %s fails and says why', async (_what, content, message) => {
    const list = await makeList(shared.api)
    const ended = await importFile(shared, list.id, content)
    expect(ended.state).toBe('failed')
    expect(ended.error_message).toMatch(message)
    expect(await allSubscribers(shared.api, list.id)).toEqual([])
  })

  it('shows its first rows in the preview', async () => {
    const list = await makeList(shared.api)
    for (const [name, content] of [
      ['people.csv.gz', gzipSync(file)],
      ['people.zip', zipOf({ 'people.csv': file })]
    ] as const) {
      await writeFile(join(shared.dataDirectory, 'uploads', name), content)
      const response = await shared.api.raw(`/app/v1/mailing_lists/${list.id}/file_analyses`, {
        method: 'POST',
        body: JSON.stringify({ filename: name })
      })
      expect(await response.json()).toMatchObject({
        success: true,
        data: { columns: [{ header: 'email', samples: ['a@example.com', 'b@example.com'] }] }
      })
    }
  })
})

it.each(['a\\b.csv', '.', '..', 'folder/a.csv'])(
  'a file source is a name without folders, which %j is not',
  async (filename) => {
    const { api } = shared
    const list = await makeList(api)
    const answer = await api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: { column_mapping: ['email'], file_source: { type: 'upload_directory', filename } }
    })
    expect(answer.error_message).toBe(
      'file_source.filename must be the name of a file in the upload directory, without folders'
    )
  }
)
