import SQLite from 'better-sqlite3'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { decodeFile } from '../../src-main/csv/decode.ts'
import { isGuarded } from '../../src-main/base/address-guard.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, importFile, importText, makeField, makeList } from '../support/builders.ts'
import { serveFiles } from '../support/file-server.ts'

const started = sharedApplication()

describe('the format of an import', () => {
  it.each(['utf-8', 'UTF-8', 'iso-8859-1', 'Iso-8859-1'])(
    'takes the character set %s in any letter case, and answers it as it was sent',
    async (character_set) => {
      const list = await makeList(started.api)
      await makeField(started.api, list.id, 'City', 'text')
      const encoding = /^utf/i.test(character_set) ? 'utf8' : 'latin1'
      const ended = await importFile(
        started,
        list.id,
        Buffer.from('email,City\na@example.com,Zürich\n', encoding),
        {
          column_mapping: ['email', 'City'],
          file_format: { character_set }
        }
      )
      expect(ended).toMatchObject({ state: 'finished', file_format: { character_set } })
      const [only] = await allSubscribers(started.api, list.id)
      expect(only?.custom_fields['City']?.value).toBe('Zürich')
    }
  )

  it('refuses another character set by name', async () => {
    const list = await makeList(started.api)
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        file_format: { character_set: 'UTF-7' },
        file_source: { type: 'json', content: 'email\n' }
      }
    })
    expect(answer.error_message).toBe('file_format.character_set must be one of UTF-8, ISO-8859-1')
  })

  it.each([
    ['tab', '\t'],
    ['TAB', '\t'],
    ['\\t', '\t'],
    ['\t', '\t'],
    ['comma', ','],
    [';', ';']
  ])('takes the separator %j', async (csv_field_separator, separator) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const ended = await importText(
      started.api,
      list.id,
      `email${separator}City\na@example.com${separator}Bern\n`,
      {
        column_mapping: ['email', 'City'],
        file_format: { csv_field_separator }
      }
    )
    expect(ended.file_format.csv_field_separator).toBe(separator)
    const [only] = await allSubscribers(started.api, list.id)
    expect(only?.custom_fields['City']?.value).toBe('Bern')
  })

  it('does not decode the text of a json import once more', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Name', 'text')
    const ended = await importText(started.api, list.id, 'email,Name\na@example.com,Müller 猫\n', {
      column_mapping: ['email', 'Name'],
      file_format: { character_set: 'ISO-8859-1' }
    })
    expect(ended.file_format.character_set).toBe('ISO-8859-1')
    const [only] = await allSubscribers(started.api, list.id)
    expect(only?.custom_fields['Name']?.value).toBe('Müller 猫')
  })

  it('takes reserved columns in any letter case, and answers them as they were sent', async () => {
    const list = await makeList(started.api)
    const column_mapping = ['Email', 'STATUS']
    const ended = await importText(started.api, list.id, 'E,S\na@example.com,bounced\n', { column_mapping })
    expect(ended).toMatchObject({ state: 'finished', column_mapping, stats: { subscribers: { added: 1 } } })
    expect((await allSubscribers(started.api, list.id))[0]?.status).toBe('bounced')
  })

  it('lets a blank cell clear the existing value if overwrite is on', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeField(started.api, list.id, 'Age', 'number')
    const settings = { column_mapping: ['email', 'City', 'Age'], overwrite: true }
    await importText(started.api, list.id, 'email,City,Age\na@example.com,Bern,7\n', settings)
    await importText(started.api, list.id, 'email,City,Age\na@example.com,,8\n', settings)
    const [only] = await allSubscribers(started.api, list.id)
    expect([only?.custom_fields['City']?.value, only?.custom_fields['Age']?.value]).toEqual([null, 8])
  })

  it('drops defaults for attributes that the list does not have', async () => {
    const list = await makeList(started.api, { has_confirmed: true })
    const subscriber_defaults = { status: 'active', confirmed: true, format: 'html' }
    const ended = await importText(started.api, list.id, 'email\na@example.com\n', { subscriber_defaults })
    expect(ended.subscriber_defaults).toEqual({ status: 'active', confirmed: true })
  })

  it('takes the defaults for attributes that the list has', async () => {
    const list = await makeList(started.api, { has_confirmed: true, has_format: true })
    const subscriber_defaults = { status: 'active', confirmed: true, format: 'plaintext' }
    const ended = await importText(started.api, list.id, 'email\na@example.com\n', { subscriber_defaults })
    expect(ended.subscriber_defaults).toEqual(subscriber_defaults)
    const [only] = await allSubscribers(started.api, list.id)
    expect(only).toMatchObject({ confirmed: true, email_format: 'plaintext' })
  })
})

it('an import may begin "now", which is answered as the time itself', async () => {
  const list = await makeList(started.api)
  const before = Math.floor(Date.now() / 1000)
  const ended = await importText(started.api, list.id, 'email\na@example.com\n', { begins_at: 'now' })
  expect(Date.parse(ended.begins_at) / 1000).toBeGreaterThanOrEqual(before)
})

it('an import at an impossible time is refused, and lists and jobs go on answering', async () => {
  const list = await makeList(started.api)
  for (const begins_at of [Date.now() * 1000, '99999-01-01', '1969-01-01T00:00:00Z']) {
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        begins_at,
        column_mapping: ['email'],
        file_source: { type: 'json', content: 'email\na@example.com\n' }
      }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^begins_at must be/)
  }
  expect(await started.api.get('/jobs/all')).toMatchObject({ success: true })
  const imported = await importText(started.api, list.id, 'email,T\na@example.com,1950-01-01\n', {
    column_mapping: ['email', 'subscribe_time']
  })
  expect(imported.stats.subscribers).toMatchObject({ added: 0, failed: 1 })
})

it('an import that waits for its download does not hold up the next of its list', async () => {
  await started.api.workbench('PUT', '/settings', { service_url_imports_allow_private_addresses: true })
  const server = await serveFiles((_request, response) => {
    response.statusCode = 503
    response.end()
  })
  const list = await makeList(started.api)
  const { data: waiting } = await started.api.post<SubscriberImport>(
    `/mailing_lists/${list.id}/subscriber_imports`,
    {
      subscriber_import: { column_mapping: ['email'], file_source: { type: 'url', url: server.url } }
    }
  )
  while (server.requests === 0) await pause(10)
  const ended = await importText(started.api, list.id, 'email\na@example.com\n')
  expect(ended.state).toBe('finished')
  const { data } = await started.api.get<SubscriberImport>(`/subscriber_imports/${waiting.id}`)
  expect(data.state).toBe('downloading')
  await started.api.post(`/subscriber_imports/${waiting.id}/cancel`)
})

it('the log of failed rows is as they came, and safe for spreadsheets when asked to be', async () => {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'Note', 'text')
  const content = 'email,Note\nnobody,=1+1\nnobody,-5\n'
  const { id } = await importText(started.api, list.id, content, { column_mapping: ['email', 'Note'] })
  const path = `/ga/api/v2/subscriber_imports/${id}/logs/failed`
  const first = async (query: string) =>
    (await (await started.api.raw(path + query)).text()).split('\n').map((line) => line.split(',')[1])
  expect(await first('')).toEqual(['=1+1', '-5', undefined])
  expect(await first('?escape_formulas=1')).toEqual(["'=1+1", '-5', undefined])
})

it.each(['64:ff9b:1::7f00:1', '::7f00:1', 'fec0::1', '2001:0:7f00:1::', '2002:7f00:1::', '::ffff:127.0.0.1'])(
  '%s is an address of this computer or of a private network',
  (address) => {
    expect(isGuarded(address)).toBe(true)
  }
)

it('characters that begin in one part of a large file and end in the next are whole', async () => {
  const content = 'ä€😀'.repeat(100_000)
  const path = join(await temporaryDirectory(), 'large.csv')
  await writeFile(path, content)
  let read = ''
  for await (const part of decodeFile(path, 'UTF-8')) read += part
  expect(read === content).toBe(true)
})

it('a default for a field that the list does not have is refused by name', async () => {
  const list = await makeList(started.api)
  const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: ['email'],
      default_custom_fields: { Town: 'Wien' },
      file_source: { type: 'json', content: 'email\n' }
    }
  })
  expect(answer).toMatchObject({
    error_code: 'validation_failed',
    error_message: expect.stringMatching(/^default_custom_fields: .*Town/) as string
  })
})

it('imports of one list are written one after the other, in the order in which they were asked for', async () => {
  const list = await makeList(started.api)
  const lines = (city: string): string =>
    Array.from({ length: 20_000 }, (_, row) => `a${row}@example.com,${city}\n`).join('')
  await makeField(started.api, list.id, 'City', 'text')
  const begin = async (city: string) => {
    const { data } = await started.api.post<SubscriberImport>(
      `/mailing_lists/${list.id}/subscriber_imports`,
      {
        subscriber_import: {
          column_mapping: ['email', 'City'],
          overwrite: true,
          file_source: { type: 'json', content: `email,City\n${lines(city)}` }
        }
      }
    )
    return data.id
  }
  const ids = [await begin('Wien'), await begin('Graz')]
  const [, second] = await Promise.all(ids.map((id) => started.api.imported(id)))
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  const times = database
    .prepare('SELECT started_at, finished_at FROM subscriber_imports WHERE mailing_list_id = ? ORDER BY id')
    .all(list.id) as { started_at: number; finished_at: number }[]
  database.close()
  expect(times[1]?.started_at).toBeGreaterThanOrEqual(times[0]?.finished_at ?? Infinity)
  expect(second?.stats.subscribers.updated).toBe(20_000)
})
