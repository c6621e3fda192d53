import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import type { SuppressedAddressImport } from '../../src-main/api/suppressed-address-imports/schema.ts'
import type { SuppressedAddress, SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { sharedApplication, startApplication } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

const started = sharedApplication()
let made = 0

async function makeSuppressionList(api: Client, mailing_list_id: number | null = null): Promise<number> {
  const suppression_list = { name: `Suppression ${++made}`, mailing_list_id }
  return (await api.post<SuppressionList>('/suppression_lists', { suppression_list })).data.id
}

async function begin(
  api: Client,
  listId: number,
  content: string | Uint8Array<ArrayBuffer>
): Promise<Answer<SuppressedAddressImport>> {
  const filename = `never-${++made}.csv`
  await api.raw(`/app/v1/uploads/${filename}`, { method: 'PUT', body: content })
  return api.workbench('POST', `/suppression_lists/${listId}/suppressed_address_imports`, { filename })
}

async function ended(api: Client, listId: number, id: number): Promise<SuppressedAddressImport> {
  for (let attempt = 0; attempt < 2000; attempt++) {
    const found = await find(api, listId, id)
    if (found.finished_at !== null) return found
    await pause(20)
  }
  throw new Error(`import ${id} did not end`)
}

async function find(api: Client, listId: number, id: number): Promise<SuppressedAddressImport> {
  const path = `/suppression_lists/${listId}/suppressed_address_imports`
  const { data } = await api.workbench<SuppressedAddressImport[]>('GET', path)
  const found = data.find((each) => each.id === id)
  if (!found) throw new Error(`import ${id} is not listed`)
  return found
}

async function countOn(api: Client, listId: number): Promise<number> {
  const { num_records: count } = await api.get(`/suppression_lists/${listId}/suppressed_addresses`)
  return count ?? 0
}

const manyAddresses = (count: number): string =>
  Array.from({ length: count }, (_, number) => `p${number}@example.com`).join('\n')

describe('a file of addresses to suppress', () => {
  it('gives of each record the first cell that is an address, a domain or an MD5 sum', async () => {
    const { api } = started
    const listId = await makeSuppressionList(api)
    await api.post(`/suppression_lists/${listId}/suppressed_addresses/create_multiple`, {
      data: ['known@example.com']
    })
    const { data } = await begin(
      api,
      listId,
      [
        'Name;Email;Since',
        'Ada;ada@example.org;2020',
        '"Lovelace; A.";  @example.net ;2021',
        'Sum;D41D8CD98F00B204E9800998ECF8427E;',
        'Known;Known@example.com;',
        'Nobody;;'
      ].join('\n')
    )
    expect(data).toMatchObject({ suppression_list_id: listId, state: 'scheduled', finished_at: null })
    expect(await ended(api, listId, data.id)).toMatchObject({
      state: 'finished',
      error_message: null,
      number_of_records: 6,
      records_read: 6,
      addresses_added: 3,
      records_skipped: 2
    })
    const { data: addresses } = await api.get<SuppressedAddress[]>(
      `/suppression_lists/${listId}/suppressed_addresses`
    )
    expect(addresses.map(({ email, address_type }) => `${address_type} ${email}`).sort()).toEqual([
      'a ada@example.org',
      'a known@example.com',
      'd @example.net',
      'm D41D8CD98F00B204E9800998ECF8427E'
    ])
  })

  it('is a job of the type SuppressedAddressImport', async () => {
    const { api } = started
    const mailingList = await makeList(api)
    const listId = await makeSuppressionList(api, mailingList.id)
    const { data } = await begin(api, listId, manyAddresses(1500))
    const { filename } = await ended(api, listId, data.id)
    const { data: jobs } = await api.get<Job[]>('/jobs/all?job_type=SuppressedAddressImport')
    expect(jobs.find(({ id }) => id === data.id)).toMatchObject({
      job_type: 'SuppressedAddressImport',
      name: filename,
      state: 'finished',
      state2: null,
      paused: false,
      mailing_list_id: mailingList.id,
      suppression_list_id: listId,
      organization_id: 1,
      progress_value: 1500,
      progress_total: 1500,
      retry_at: null
    })
  })

  it('is refused when it is not text or does not exist', async () => {
    const { api } = started
    const listId = await makeSuppressionList(api)
    expect((await begin(api, listId, Buffer.from('%PDF-1.7 …'))).error_message).toContain('PDF')
    const path = `/suppression_lists/${listId}/suppressed_address_imports`
    expect(await api.workbench('POST', path, { filename: 'nowhere.csv' })).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'file_source.filename nowhere.csv is not in the upload directory'
    })
  })

  it('is paused, goes on and is cancelled; what it added stays', async () => {
    const { api } = started
    const listId = await makeSuppressionList(api)
    const { data } = await begin(api, listId, manyAddresses(60_000))
    const act = (action: string): Promise<Answer<SuppressedAddressImport>> =>
      api.workbench('POST', `/suppressed_address_imports/${data.id}/${action}`)
    expect((await act('unpause')).error_message).toMatch(/^an import that is \w+ cannot be unpaused$/)
    expect((await act('pause')).data.state).toBe('paused')
    await pause(100)
    const held = await find(api, listId, data.id)
    expect(held.state).toBe('paused')
    expect(await countOn(api, listId)).toBe(held.addresses_added)
    expect((await act('unpause')).success).toBe(true)
    while ((await find(api, listId, data.id)).records_read === held.records_read) await pause(5)
    expect((await act('cancel')).data.state).toBe('cancelled')
    const cancelled = await find(api, listId, data.id)
    expect(cancelled.records_read).toBeLessThan(60_000)
    await pause(100)
    expect(await countOn(api, listId)).toBe(cancelled.addresses_added)
    for (const action of ['pause', 'unpause', 'cancel']) {
      expect((await act(action)).error_code).toBe('validation_failed')
    }
  })

  it('continues after the application ended in the middle, without duplicates or losses', async () => {
    const first = await startApplication()
    const listId = await makeSuppressionList(first.api)
    const { data } = await begin(first.api, listId, manyAddresses(40_000))
    while ((await find(first.api, listId, data.id)).records_read === 0) await pause(5)
    await first.app.close()
    const { api } = await startApplication(first.dataDirectory)
    expect(await ended(api, listId, data.id)).toMatchObject({
      state: 'finished',
      records_read: 40_000,
      addresses_added: 40_000,
      records_skipped: 0
    })
    expect(await countOn(api, listId)).toBe(40_000)
  })

  it.skipIf(!canMount)('on a full disk fails and says what to do', async () => {
    const { directory } = await smallDisk(60)
    const { api } = await startApplication(directory)
    const listId = await makeSuppressionList(api)
    const content = gzipSync('nobody@example.com,'.concat('x'.repeat(50_000), '\n').repeat(2000))
    const { data } = await begin(api, listId, new Uint8Array(content))
    expect(await ended(api, listId, data.id)).toMatchObject({
      state: 'failed',
      error_message: 'the disk is full. Free some space, then import the file again'
    })
  })
})
