import SQLite from 'better-sqlite3'
import { mkdir, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { ImportState, SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { serveFiles } from '../support/file-server.ts'
import { shortOrLong } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

/** A file of so many subscribers, in no order, and a failing row for every hundred of them. */
function peopleFile(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    row % 100 === 99 ? `nobody${row},City` : `p${(row * 7919) % rows}@example.com,City ${row % 500}`
  )
  return `email,City\n${lines.join('\n')}\n`
}

async function makePeopleList(api: Client): Promise<number> {
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text')
  return list.id
}

async function startImport(api: Client, listId: number, settings: Record<string, unknown>): Promise<number> {
  const { data, error_message } = await api.post<SubscriberImport>(
    `/mailing_lists/${listId}/subscriber_imports`,
    { subscriber_import: { column_mapping: ['email', 'City'], ...settings } }
  )
  expect(error_message).toBeNull()
  return data.id
}

async function importOf(api: Client, id: number): Promise<SubscriberImport> {
  return (await api.get<SubscriberImport>(`/subscriber_imports/${id}`)).data
}

async function reached(api: Client, id: number, state: ImportState): Promise<SubscriberImport> {
  for (;;) {
    const current = await importOf(api, id)
    if (current.state === state) return current
    if (['finished', 'failed', 'cancelled'].includes(current.state)) {
      throw new Error(`the import was ${current.state} before it was ${state}: ${current.error_message}`)
    }
    await pause(2)
  }
}

async function expectConsistent(api: Client, listId: number, { id, stats }: SubscriberImport): Promise<void> {
  const { added, failed } = stats.subscribers
  expect(stats.records_imported).toBe(added + failed)
  const subscribers = await allSubscribers(api, listId)
  expect(subscribers).toHaveLength(added)
  expect(
    subscribers.every(({ custom_fields }) => /^City \d+$/.test(String(custom_fields['City']?.value)))
  ).toBe(true)
  const counts = (await api.get<SubscriberCounts>('/subscriber_counts')).data
  expect(counts.mailing_lists.find(({ mailing_list }) => mailing_list.id === listId)?.counts.active).toBe(
    added
  )
  const log = await (await api.raw(`/ga/api/v2/subscriber_imports/${id}/logs/added`)).text()
  if (stats.number_of_records === stats.records_imported) {
    expect(log.trimEnd().split('\n').toSorted()).toEqual(subscribers.map(({ email }) => email).toSorted())
  }
}

describe('an application that is killed while an import is', () => {
  const rows = shortOrLong(40_000, 200_000, 2)

  async function killedIn(state: ImportState, settings: Record<string, unknown> = {}) {
    const directory = await temporaryDirectory()
    const first = await serve(directory)
    await mkdir(join(directory, 'uploads'), { recursive: true })
    await writeFile(join(directory, 'uploads', 'people.csv'), peopleFile(rows))
    const listId = await makePeopleList(first.api)
    const id = await startImport(first.api, listId, {
      file_source: { type: 'upload_directory', filename: 'people.csv' },
      ...settings
    })
    if (state === 'paused') {
      await reached(first.api, id, 'importing')
      await first.api.post(`/subscriber_imports/${id}/pause`)
    }
    await reached(first.api, id, state)
    await first.end('SIGKILL')
    const { api, end } = await serve(directory)
    onTestFinished(async () => void (await end('SIGTERM')))
    return { api, listId, id }
  }

  async function expectWhole({ api, listId, id }: Awaited<ReturnType<typeof killedIn>>): Promise<void> {
    const ended = await api.imported(id)
    expect(ended).toMatchObject({
      state: 'finished',
      error_message: null,
      stats: {
        number_of_records: rows,
        records_imported: rows,
        subscribers: { added: rows - rows / 100, failed: rows / 100 }
      }
    })
    await expectConsistent(api, listId, ended)
  }

  it('scheduled, waits for its time', async () => {
    const { api, id } = await killedIn('scheduled', { begins_at: '2040-01-01T00:00:00Z' })
    expect(await importOf(api, id)).toMatchObject({ state: 'scheduled', stats: { records_imported: 0 } })
  })

  it('splitting, reads the file again and is whole', async () => {
    await expectWhole(await killedIn('splitting'))
  })

  it('importing, continues where it stopped and is complete', async () => {
    await expectWhole(await killedIn('importing'))
  })

  it('paused, stays paused, and is complete once it is continued', async () => {
    const killed = await killedIn('paused')
    const { api, listId, id } = killed
    const paused = await importOf(api, id)
    expect(paused.state).toBe('paused')
    await expectConsistent(api, listId, paused)
    await api.post(`/subscriber_imports/${id}/unpause`)
    await expectWhole(killed)
  })

  it('finished, stays finished', async () => {
    await expectWhole(await killedIn('finished'))
  })

  it('downloading, downloads again and is whole', async () => {
    const content = peopleFile(rows)
    const served = await serveFiles((_request, response, number) => {
      // The first time it gets stuck half way.
      if (number === 1) response.write(content.slice(0, content.length / 2))
      else response.end(content)
    })
    const directory = await temporaryDirectory()
    const first = await serve(directory)
    await first.api.workbench('PUT', '/settings', { service_url_imports_allow_private_addresses: true })
    const listId = await makePeopleList(first.api)
    const id = await startImport(first.api, listId, {
      file_source: { type: 'url', url: served.url }
    })
    await reached(first.api, id, 'downloading')
    while (served.requests === 0) await pause(5)
    await first.end('SIGKILL')
    const { api, end } = await serve(directory)
    onTestFinished(async () => void (await end('SIGTERM')))
    await expectWhole({ api, listId, id })
  })
})

async function underWay(rows: number) {
  const { api, dataDirectory } = await startApplication()
  const listId = await makePeopleList(api)
  const file = join(dataDirectory, 'uploads', 'people.csv')
  await writeFile(file, peopleFile(rows))
  const id = await startImport(api, listId, {
    file_source: { type: 'upload_directory', filename: 'people.csv' }
  })
  while ((await importOf(api, id)).stats.records_imported === 0) await pause(2)
  return { api, listId, file, id }
}

it('an import whose file changed while it was paused fails, and says to import the file again', async () => {
  const rows = shortOrLong(50_000, 200_000, 2)
  const { api, listId, file, id } = await underWay(rows)
  await api.post(`/subscriber_imports/${id}/pause`)
  const paused = await importOf(api, id)
  expect(paused.state).toBe('paused')
  await writeFile(file, peopleFile(rows + 1))
  await api.post(`/subscriber_imports/${id}/unpause`)
  const ended = await api.imported(id)
  expect(ended).toMatchObject({
    state: 'failed',
    stats: { records_imported: paused.stats.records_imported }
  })
  // Its thread may not have noticed yet that it was paused, and then tells what it met in reading.
  expect([
    'the file people.csv changed while the import was interrupted, so the import cannot continue. Import the changed file again',
    'the file changed while it was being imported. The rows that were imported before stay; import the changed file again'
  ]).toContain(ended.error_message)
  await expectConsistent(api, listId, ended)
})

it('an import whose file changes while it is read does not end as if it were whole', async () => {
  const { api, listId, file, id } = await underWay(200_000)
  // In the middle of a row, of which nothing may be written.
  const cut = (await readFile(file, 'utf8')).indexOf('City', 0.95 * (await stat(file)).size) + 2
  await truncate(file, cut)
  const ended = await api.imported(id)
  expect(ended.state).toBe('failed')
  expect(ended.error_message).toMatch(/^the file changed while it was being imported/)
  await expectConsistent(api, listId, ended)
})

describe.skipIf(!canMount)('a disk that is full', () => {
  it('pauses an import with a message, and it continues once there is space', async () => {
    const rows = shortOrLong(100_000, 200_000, 2)
    const { directory, grow } = await smallDisk(shortOrLong(15, 30, 2))
    const { api } = await startApplication(directory)
    const listId = await makePeopleList(api)
    await writeFile(join(directory, 'uploads', 'people.csv'), peopleFile(rows))
    const id = await startImport(api, listId, {
      file_source: { type: 'upload_directory', filename: 'people.csv' }
    })
    const paused = await reached(api, id, 'paused')
    expect(paused.error_message).toBe('the disk is full. Free some space, then continue the import')
    expect(paused.stats.records_imported).toBeLessThan(rows)
    await expectConsistent(api, listId, paused)

    grow(400)
    expect(
      (await api.post<SubscriberImport>(`/subscriber_imports/${id}/unpause`)).data.error_message
    ).toBeNull()
    const ended = await api.imported(id)
    expect(ended).toMatchObject({ state: 'finished', stats: { records_imported: rows } })
    await expectConsistent(api, listId, ended)
  })

  it('pauses an import that unpacks its file, before the disk is completely full', async () => {
    const rows = 2000
    const { directory, grow } = await smallDisk(60)
    const { api } = await startApplication(directory)
    const listId = await makePeopleList(api)
    const wide = peopleFile(rows).replaceAll('\n', `,${'x'.repeat(50_000)}\n`)
    await writeFile(join(directory, 'uploads', 'people.csv.gz'), gzipSync(wide))
    const id = await startImport(api, listId, {
      file_source: { type: 'upload_directory', filename: 'people.csv.gz' },
      column_mapping: ['email', 'City', null]
    })
    const paused = await reached(api, id, 'paused')
    expect(paused.error_message).toBe('the disk is full. Free some space, then continue the import')
    expect(await readdir(join(directory, 'imports', 'sources'))).toEqual([])
    // What else is changed meanwhile is kept.
    await makeSubscriber(api, (await makeList(api)).id, 'somebody@example.com')

    grow(400)
    await api.post(`/subscriber_imports/${id}/unpause`)
    const ended = await api.imported(id)
    expect(ended).toMatchObject({ state: 'finished', stats: { records_imported: rows } })
    await expectConsistent(api, listId, ended)
  })

  it('fails an export with a sentence, and removes its file', async () => {
    const { directory, fill, grow } = await smallDisk(30)
    const first = await startApplication(directory)
    const list = await makeList(first.api)
    await makeField(first.api, list.id, 'Notes', 'text_multiline')
    for (let number = 0; number < 60; number++) {
      const custom_fields = { Notes: 'x'.repeat(100_000) }
      await makeSubscriber(first.api, list.id, `p${number}@example.com`, { custom_fields })
    }
    // With its end the log is copied into the database, which takes the same space once more: not in the midst of the export.
    await first.app.close()
    const { api } = await startApplication(directory)
    await fill(1_000_000)
    const start = async (): Promise<SubscriberExport> => {
      const { data } = await api.post<SubscriberExport>(`/mailing_lists/${list.id}/subscriber_exports`, {
        subscriber_export: {}
      })
      return api.exported(data.id)
    }
    expect(await start()).toMatchObject({
      state: 'failed',
      error_message: 'The export stopped: the disk is full. Free some space, then export again'
    })
    expect(await readdir(join(directory, 'exports'))).toEqual([])
    grow(100)
    expect(await start()).toMatchObject({ state: 'finished', stats: { records_exported: 60 } })
  })

  it('refuses changes with a sentence, and takes them once there is space', async () => {
    const { directory, grow } = await smallDisk(3)
    const { api } = await startApplication(directory)
    const list = await makeList(api)
    await makeField(api, list.id, 'Notes', 'text_multiline')
    const add = (number: number) =>
      api.post(`/mailing_lists/${list.id}/subscribers`, {
        subscriber: {
          email: `p${number}@example.com`,
          status: 'active',
          custom_fields: { Notes: 'x'.repeat(100_000) }
        }
      })
    let added = 0
    let answer = await add(added)
    for (; answer.success; answer = await add(added)) added++
    expect(answer.error_code).toBe('internal_error')
    expect(answer.error_message).toBe('the disk is full. Free some space and try again')
    expect(await allSubscribers(api, list.id)).toHaveLength(added)
    grow(50)
    expect((await add(added)).success).toBe(true)
  })
})

describe('a database that another program has locked', () => {
  function lock(directory: string): SQLite.Database {
    const other = new SQLite(join(directory, 'listwright.db'))
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    return other
  }

  it('refuses changes with a sentence, and is read meanwhile', async () => {
    const { api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const other = lock(dataDirectory)
    const refused = api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'a@example.com', status: 'active' }
    })
    const began = performance.now()
    expect(await allSubscribers(api, list.id)).toEqual([])
    expect(performance.now() - began).toBeLessThan(1000)
    expect(await refused).toMatchObject({
      error_code: 'internal_error',
      error_message:
        'the data is locked by another program, such as a database browser. Close it there and try again'
    })
    other.exec('ROLLBACK')
    await makeSubscriber(api, list.id, 'a@example.com')
  })

  it('does not hold the end of the application up', async () => {
    const { api, app, dataDirectory } = await startApplication()
    const listId = await makePeopleList(api)
    await writeFile(join(dataDirectory, 'uploads', 'people.csv'), peopleFile(100_000))
    const id = await startImport(api, listId, {
      file_source: { type: 'upload_directory', filename: 'people.csv' }
    })
    for (let imported = 0; imported === 0;) imported = (await importOf(api, id)).stats.records_imported
    lock(dataDirectory)
    await pause(300)
    const began = performance.now()
    await app.close()
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it('holds an import up, which is whole once the lock is gone', async () => {
    const rows = shortOrLong(50_000, 200_000, 2)
    const { api, dataDirectory } = await startApplication()
    const listId = await makePeopleList(api)
    await writeFile(join(dataDirectory, 'uploads', 'people.csv'), peopleFile(rows))
    const id = await startImport(api, listId, {
      file_source: { type: 'upload_directory', filename: 'people.csv' }
    })
    for (let imported = 0; imported === 0;) imported = (await importOf(api, id)).stats.records_imported
    const other = lock(dataDirectory)
    await pause(6000)
    expect((await importOf(api, id)).state).toBe('importing')
    other.exec('ROLLBACK')
    const ended = await api.imported(id)
    expect(ended).toMatchObject({ state: 'finished', stats: { records_imported: rows } })
    await expectConsistent(api, listId, ended)
  })
})
