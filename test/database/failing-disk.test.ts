import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { canFail, type FaultRates, type FaultyDisk, faultyDisk } from '../support/disk-faults.ts'
import { serve, type ServedApplication } from '../support/process.ts'

const none = { shortWrites: 0, failedWrites: 0, failedSyncs: 0 }
const always = 1_000_000

const isIntact = (api: Client) =>
  expect
    .poll(async () => (await api.workbench('GET', '/integrity')).data, { timeout: 20_000 })
    .toEqual({
      state: 'sound',
      faults: []
    })

describe.runIf(canFail)('a disk that fails', () => {
  interface Failing {
    directory: string
    disk: FaultyDisk
    app: ServedApplication
    listId: number
  }

  async function failing(rates: Partial<FaultRates>): Promise<Failing> {
    const directory = await temporaryDirectory()
    const disk = faultyDisk(await temporaryDirectory(), directory, 1)
    const app = await serve(directory, { env: disk.env })
    const list = await makeList(app.api)
    await makeSubscriber(app.api, list.id, 'before@example.com')
    await isIntact(app.api)
    disk.set({ ...none, ...rates })
    return { directory, disk, app, listId: list.id }
  }

  const add = (api: Client, listId: number, email: string) =>
    api.post(`/mailing_lists/${listId}/subscribers`, { subscriber: { email, status: 'active' } })

  async function emails(api: Client, listId: number): Promise<string[]> {
    const { data } = await api.get<{ email: string }[]>(`/mailing_lists/${listId}/subscribers`)
    return data.map(({ email }) => email).sort()
  }

  it('on a write refuses the change with a sentence, and everything works again afterwards', async () => {
    const { app, disk, listId } = await failing({ failedWrites: always })
    const refused = await add(app.api, listId, 'a@example.com')
    expect(refused).toMatchObject({
      status: 500,
      error_code: 'internal_error',
      error_message: 'the disk has failed to read or write. Check the disk and its cable and try again'
    })
    expect(await emails(app.api, listId)).toEqual(['before@example.com'])
    disk.set(none)
    expect((await add(app.api, listId, 'a@example.com')).success).toBe(true)
    expect(await app.end('SIGTERM')).toBe(0)
  })

  it('that writes less than requested gets the rest written', async () => {
    const { app, directory, disk, listId } = await failing({ shortWrites: always })
    // Half of them are followed by an error.
    const added: string[] = []
    for (let number = 0; number < 20; number++) {
      const email = `p${number}@example.com`
      if ((await add(app.api, listId, email)).success) added.push(email)
    }
    disk.set(none)
    await app.end('SIGKILL')
    const again = await serve(directory)
    expect(await emails(again.api, listId)).toEqual(expect.arrayContaining(['before@example.com', ...added]))
    await isIntact(again.api)
  })

  it('to sync ends the application with a sentence, and confirmed changes are stored', async () => {
    const { app, directory, disk, listId } = await failing({ failedSyncs: always })
    const refused = await add(app.api, listId, 'a@example.com')
    expect(refused.error_message).toBe(
      'the disk has failed to read or write. Check the disk and its cable and try again'
    )
    expect(await app.ended).toBe(1)
    expect(app.errors()).toContain(
      'Listwright must stop: The disk failed to store changes, so Listwright had to stop. Everything that was confirmed before is there at the next start. Check the disk and its cable first.'
    )
    disk.set(none)
    const again = await serve(directory)
    expect(await emails(again.api, listId)).toEqual(['before@example.com'])
    await isIntact(again.api)
  })

  it('as the application ends is reported, and confirmed changes are stored', async () => {
    const { app, directory, disk, listId } = await failing({})
    await add(app.api, listId, 'a@example.com')
    disk.set({ ...none, failedSyncs: always })
    expect(await app.end('SIGTERM')).toBe(1)
    expect(app.errors()).toContain('Listwright did not shut down cleanly: ')
    disk.set(none)
    const again = await serve(directory)
    expect(await emails(again.api, listId)).toEqual(['a@example.com', 'before@example.com'])
    await isIntact(again.api)
  })

  it('during an import stops it with a sentence, and it continues afterwards', async () => {
    const { app, disk, listId } = await failing({})
    // Long enough to be under way when the disk fails, also on a busy machine.
    const rows = 100_000
    const content = Array.from({ length: rows }, (_, number) => `p${number}@example.com\n`).join('')
    const { data } = await app.api.post<{ id: number }>(`/mailing_lists/${listId}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        file_format: { csv_has_headers: false },
        file_source: { type: 'json', content }
      }
    })
    disk.set({ ...none, failedWrites: always })
    const state = async () =>
      (await app.api.get<{ state: string; error_message: string | null }>(`/subscriber_imports/${data.id}`))
        .data
    await expect.poll(() => disk.counts().failedWrites, { timeout: 30_000 }).toBeGreaterThan(0)
    // It can note that it is held up only once something can be written.
    disk.set(none)
    await expect.poll(async () => (await state()).state, { timeout: 30_000 }).toBe('paused')
    await app.api.post(`/subscriber_imports/${data.id}/unpause`)
    expect(await app.api.imported(data.id)).toMatchObject({
      state: 'finished',
      stats: { subscribers: { added: rows } }
    })
    expect(await app.end('SIGTERM')).toBe(0)
  })
})

describe('a data directory that is gone while the application runs', () => {
  const add = (api: Client, listId: number, email: string) =>
    api.post(`/mailing_lists/${listId}/subscribers`, { subscriber: { email, status: 'active' } })

  const gone =
    'the data is no longer in its folder, which was moved, removed or replaced. Put it back and try again'
  const ways: [string, string, (directory: string) => Promise<() => Promise<void>>][] = [
    [
      'moved away',
      gone,
      async (directory) => {
        await rename(directory, `${directory}-away`)
        return () => rename(`${directory}-away`, directory)
      }
    ],
    [
      'replaced by a copy',
      gone,
      async (directory) => {
        await cp(directory, `${directory}-copy`, { recursive: true })
        await rename(directory, `${directory}-away`)
        await rename(`${directory}-copy`, directory)
        return async () => {
          await rm(directory, { recursive: true })
          await rename(`${directory}-away`, directory)
        }
      }
    ],
    [
      'emptied of its database',
      gone,
      async (directory) => {
        await rename(join(directory, 'listwright.db'), join(directory, 'away.db'))
        return () => rename(join(directory, 'away.db'), join(directory, 'listwright.db'))
      }
    ],
    [
      'emptied of the log of its database',
      'the log of the database is no longer in its folder. Put it back, or start Listwright again, and try again',
      async (directory) => {
        await rename(join(directory, 'listwright.db-wal'), join(directory, 'away'))
        return () => rename(join(directory, 'away'), join(directory, 'listwright.db-wal'))
      }
    ]
  ]

  it.runIf(process.platform !== 'win32').each(ways)(
    'and was %s confirms no change, and takes changes again once it is back',
    async (_, refusal, take) => {
      const directory = join(await temporaryDirectory(), 'data')
      const app = await serve(directory)
      const { id } = await makeList(app.api)
      expect((await add(app.api, id, 'before@example.com')).success).toBe(true)
      const putBack = await take(directory)
      const refused = await add(app.api, id, 'meanwhile@example.com')
      expect(refused).toMatchObject({ success: false, error_message: refusal })
      await putBack()
      expect((await add(app.api, id, 'after@example.com')).success).toBe(true)
      expect(await app.end('SIGTERM')).toBe(0)
      const again = await serve(directory)
      const { data } = await again.api.get<{ email: string }[]>(`/mailing_lists/${id}/subscribers`)
      expect(data.map(({ email }) => email)).toEqual(['before@example.com', 'after@example.com'])
      await again.end('SIGTERM')
    }
  )
})
