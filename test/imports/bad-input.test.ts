import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importFile, makeField, makeList } from '../support/builders.ts'

const started = sharedApplication()

async function importOf(content: string | Uint8Array, settings: Record<string, unknown> = {}) {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'City', 'text')
  const result = await importFile(started, list.id, content, {
    column_mapping: ['email', 'City'],
    ...settings
  })
  return { result, listId: list.id }
}

async function expectExactStats({ result, listId }: Awaited<ReturnType<typeof importOf>>): Promise<void> {
  const { added, failed } = result.stats.subscribers
  expect(await allSubscribers(started.api, listId)).toHaveLength(added)
  expect(result.stats.records_imported).toBe(added + failed)
}

describe('a file that cannot be imported leaves the list untouched and says why', () => {
  it.each<[what: string, content: string | Uint8Array, message: RegExp]>([
    ['an empty file', '', /empty/],
    [
      'a file that is no text',
      Buffer.concat([Buffer.from('PK\x03\x04\0\0'), randomBytes(5000)]),
      /not a CSV file/
    ],
    [
      'an unclosed quote',
      'email,City\na@x.org,Wien\nb@x.org,"Graz\nc@x.org,Linz\n',
      /^Line 3: .* never closed/
    ],
    ['bytes that are no UTF-8', Buffer.from('email,City\na@x.org,Z\xfcrich\n', 'latin1'), /^Line 2: .*UTF-8/],
    ['10,000 columns', `${'a,'.repeat(9999)}a\n${'b,'.repeat(9999)}b\n`, /10,000 columns/],
    ['a single line of 50 MB', Buffer.alloc(50 * 1024 * 1024, 'x'), /^Line 1: .*1,048,576 characters/]
  ])('%s', async (_what, content, message) => {
    const { result, listId } = await importOf(content)
    expect(result.state).toBe('failed')
    expect(result.error_message).toMatch(message)
    expect(await allSubscribers(started.api, listId)).toEqual([])
  })
})

describe('a file with faults is imported as far as possible', () => {
  it('with only a header: nothing to add, and no fault', async () => {
    const { result } = await importOf('email,City\n')
    expect(result).toMatchObject({ state: 'finished', stats: { number_of_records: 0, records_imported: 0 } })
  })

  it('with rows that are shorter or longer than the mapping', async () => {
    const imported = await importOf('email,City\na@x.org\nb@x.org,Wien,more\nc@x.org,Graz\n')
    expect(imported.result.stats.subscribers).toMatchObject({ added: 2, failed: 1 })
    await expectExactStats(imported)
  })

  it('with columns of the same name: the mapping decides, by position', async () => {
    const { result, listId } = await importOf('City,email,City\nWien,a@x.org,Graz\n', {
      column_mapping: [null, 'email', 'City']
    })
    expect(result.state).toBe('finished')
    const [subscriber] = await allSubscribers(started.api, listId)
    expect(subscriber?.custom_fields['City']?.value).toBe('Graz')
  })

  it('with no email in any row: every row fails, with its line', async () => {
    const imported = await importOf('email,City\nWien,x\nGraz,y\n')
    expect(imported.result).toMatchObject({
      state: 'finished',
      stats: { subscribers: { added: 0, failed: 2 } }
    })
    await expectExactStats(imported)
  })

  it('with a byte order mark, CRLF, empty lines and no line break at its end', async () => {
    const imported = await importOf('\uFEFFemail,City\r\na@x.org,Wien\r\n\r\nb@x.org,"Gr\r\naz"')
    // A text field is one line, so the second row fails; the mark is no part of the header.
    expect(imported.result.stats.subscribers).toMatchObject({ added: 1, failed: 1 })
    await expectExactStats(imported)
  })

  it('in UTF-16, as spreadsheets save "Unicode text"', async () => {
    const text = Buffer.from('\uFEFFemail,City\na@x.org,Wien\n', 'utf16le')
    const { result } = await importOf(text)
    expect(result.state).toBe('failed')
    expect(result.error_message).toMatch(/UTF-16/)
  })
})
