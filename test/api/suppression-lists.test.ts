import SQLite from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SuppressedAddress, SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { outboxOf } from '../support/outbox.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
let made = 0

async function makeSuppressionList(
  api: Client,
  settings: Record<string, unknown> = {}
): Promise<SuppressionList> {
  const suppression_list = { name: `Suppression ${++made}`, ...settings }
  return (await api.post<SuppressionList>('/suppression_lists', { suppression_list })).data
}

function suppress(api: Client, id: number, data: string[]) {
  return api.post(`/suppression_lists/${id}/suppressed_addresses/create_multiple`, { data })
}

async function addressesOf(api: Client, id: number): Promise<SuppressedAddress[]> {
  return (await api.get<SuppressedAddress[]>(`/suppression_lists/${id}/suppressed_addresses`)).data
}

async function recipientsOf(listId: number): Promise<string[]> {
  const { api, dataDirectory } = started
  const { id } = await makeCampaign(api, listId, {
    dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  const { stat_summary } = await api.sent(id)
  const addresses = (await outboxOf(dataDirectory, id)).map(({ headers }) => headers.get('to') ?? '')
  expect(stat_summary?.messages_sent).toBe(addresses.length)
  const { data } = await api.workbench<{ recipients: number }>('GET', `/campaigns/${id}/progress`)
  expect(data.recipients).toBe(addresses.length)
  return addresses
}

describe('a suppression list', () => {
  it('has a name of its own, may be for one list, and is global when it is for all of the System Organization', async () => {
    const { api } = started
    const list = await makeList(api)
    const own = await makeSuppressionList(api, { name: 'Own', mailing_list_id: list.id })
    expect(own).toMatchObject({ name: 'Own', mailing_list_id: list.id, global: false })
    const { data: all } = await api.put<SuppressionList>(`/suppression_lists/${own.id}`, {
      suppression_list: { mailing_list_id: null }
    })
    expect(all).toMatchObject({ name: 'Own', mailing_list_id: null, global: true })
    expect(await api.post('/suppression_lists', { suppression_list: { name: ' own ' } })).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'name "own" is already taken by another suppression list'
    })
    expect(
      await api.post('/suppression_lists', { suppression_list: { name: 'New', mailing_list_id: 999_999 } })
    ).toMatchObject({ error_code: 'not_found' })
    // Global lists would keep the other tests' campaigns from their recipients.
    await api.put(`/suppression_lists/${own.id}`, { suppression_list: { mailing_list_id: list.id } })
  })

  it('recognizes addresses, domains and MD5 sums, stores each once, and returns them in pages', async () => {
    const { api } = started
    const { id } = await makeSuppressionList(api, { mailing_list_id: (await makeList(api)).id })
    const md5 = 'B58996C504C5638798EB6B511E6F49AF'
    await suppress(api, id, ['Anna@Example.com', '@Example.ORG', md5, '', 'anna@example.com'])
    const all = await addressesOf(api, id)
    expect(all.map(({ email, address_type }) => [email, address_type])).toEqual([
      ['Anna@Example.com', 'a'],
      ['@Example.ORG', 'd'],
      [md5, 'm']
    ])
    const page = await api.get<SuppressedAddress[]>(
      `/suppression_lists/${id}/suppressed_addresses?per_page=2&page=1`
    )
    expect(page).toMatchObject({ num_records: 3, num_pages: 2, data: [{ id: all[2]?.id }] })
    const path = `/suppression_lists/${id}/suppressed_addresses`
    expect((await api.delete(`${path}/${encodeURIComponent('ANNA@example.com')}`)).success).toBe(true)
    expect((await api.delete(`${path}/${all[1]?.id}`)).success).toBe(true)
    expect((await api.delete(`${path}/${md5.toLowerCase()}`)).success).toBe(true)
    expect(await addressesOf(api, id)).toEqual([])
    expect(await api.delete(`${path}/${all[1]?.id}`)).toMatchObject({ error_code: 'not_found' })
  })

  it('adds nothing if one entry is invalid, and names that entry', async () => {
    const { api } = started
    const { id } = await makeSuppressionList(api, { mailing_list_id: (await makeList(api)).id })
    expect(await suppress(api, id, ['a@example.com', 'nobody', '@'])).toMatchObject({
      error_code: 'validation_failed',
      error_message:
        'data.1 is no email address, @domain or MD5 sum: "nobody", data.2 is no email address, @domain or MD5 sum: "@"'
    })
    expect(await addressesOf(api, id)).toEqual([])
  })
})

describe('suppressed addresses get no messages', () => {
  it('by address in any letter case, by domain and by MD5 sum, on the list that it is for', async () => {
    const { api } = started
    const [list, other] = [await makeList(api), await makeList(api)]
    const emails = ['Anna@example.com', 'ben@example.com', 'carl@example.org', 'dora@example.net']
    for (const email of emails) {
      await makeSubscriber(api, list.id, email)
      await makeSubscriber(api, other.id, email)
    }
    const { id } = await makeSuppressionList(api, { mailing_list_id: list.id })
    const md5 = createHash('md5').update('dora@example.net').digest('hex')
    await suppress(api, id, ['anna@EXAMPLE.com', '@example.org', md5])
    expect(await recipientsOf(list.id)).toEqual(['ben@example.com'])
    expect(await recipientsOf(other.id)).toEqual(emails)
  })

  it('on all lists when the suppression list is global', async () => {
    const { api } = started
    const list = await makeList(api)
    for (const name of ['anna', 'global']) await makeSubscriber(api, list.id, `${name}@example.com`)
    const { id } = await makeSuppressionList(api)
    await suppress(api, id, ['global@example.com'])
    expect(await recipientsOf(list.id)).toEqual(['anna@example.com'])
    await api.delete(`/suppression_lists/${id}/suppressed_addresses/global%40example.com`)
    expect(await recipientsOf(list.id)).toEqual(['anna@example.com', 'global@example.com'])
  })

  it('but not by the lists of another organization', async () => {
    const { api } = started
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'anna@example.com')
    const stranger = await clientOfUser(started, {
      organizationId: await makeOrganization(started),
      role: 'organization_admin'
    })
    const { id, global } = await makeSuppressionList(stranger)
    expect(global).toBe(false)
    await suppress(stranger, id, ['anna@example.com'])
    expect(await recipientsOf(list.id)).toEqual(['anna@example.com'])
  })
})

it(`a request for many addresses that is killed half way is carried out whole (SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  const directory = await temporaryDirectory()
  let application = await serve(directory)
  const { id } = await makeSuppressionList(application.api)
  const emails = Array.from({ length: 60_000 }, (_, number) => `p${number}@example.com`)
  const request = suppress(application.api, id, emails).catch(() => null)
  const count = async (): Promise<number> => {
    const path = `/suppression_lists/${id}/suppressed_addresses?per_page=1`
    return (await application.api.get(path)).num_records ?? 0
  }
  while ((await count()) < random() * 40_000);
  await application.end('SIGKILL')
  await request
  application = await serve(directory)
  for (const began = performance.now(); (await count()) < emails.length;) {
    if (performance.now() - began > 30_000) break
  }
  expect(await count()).toBe(emails.length)
  await application.end('SIGTERM')
}, 90_000)

it.skipIf(!canMount)(
  'addresses that a full disk keeps from being written are suppressed once there is space',
  async () => {
    const { directory, grow } = await smallDisk(16)
    const { api } = await startApplication(directory)
    const { id } = await makeSuppressionList(api)
    const count = 100_000
    const addresses = Array.from({ length: count }, (_, number) => `somebody${number}@example.com`)
    const answer = await suppress(api, id, addresses)
    expect(answer).toMatchObject({
      success: false,
      error_message: expect.stringContaining('disk is full') as string
    })
    const suppressed = async (): Promise<number | undefined> =>
      (await api.get(`/suppression_lists/${id}/suppressed_addresses`)).num_records
    expect(await suppressed()).toBeLessThan(count)
    grow(200)
    await expect.poll(suppressed, { timeout: 30_000 }).toBe(count)
  }
)

it('any page of a list of 250,000 addresses is read, the last and what comes after it too', async () => {
  const { app, api, dataDirectory } = await startApplication()
  const list = await makeSuppressionList(api)
  await app.close()
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  database.exec(`
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 250000)
    INSERT INTO suppressed_addresses (suppression_list_id, user_id, email, key, address_type)
    SELECT ${list.id}, 1, 'p' || n || '@example.com', 'p' || n || '@example.com', 'a' FROM n;
    UPDATE suppression_lists SET addresses = 250000`)
  database.close()
  const again = await startApplication(dataDirectory)
  const page = async (number: number): Promise<string[]> => {
    const path = `/suppression_lists/${list.id}/suppressed_addresses?per_page=400&page=${number}`
    return (await again.api.get<SuppressedAddress[]>(path)).data.map(({ email }) => email)
  }
  const emails = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, index) => `p${first + index}@example.com`)
  expect(await page(0)).toEqual(emails(1, 400))
  expect(await page(250)).toEqual(emails(100_001, 100_400))
  expect(await page(624)).toEqual(emails(249_601, 250_000))
  expect(await page(625)).toEqual([])
})
