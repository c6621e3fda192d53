import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { FileAnalysis } from '../../src-main/contact-files/analysis/schema.ts'
import type { ImportLinks } from '../../src-main/workbench/imports/endpoints.ts'
import type { ImportUndo } from '../../src-main/workbench/import-undos/endpoints.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import {
  analysisOf,
  importAsProposed,
  importAsRead,
  newFieldColumn,
  plainReading,
  readingColumn,
  upload
} from '../support/contact-files.ts'

const started = sharedApplication()

async function fieldNames(listId: number): Promise<string[]> {
  const { data } = await started.api.get<CustomField[]>(`/mailing_lists/${listId}/custom_fields`)
  return data.map(({ name }) => name)
}

describe('an upload', () => {
  it('goes into the upload directory, beside a file of the same name', async () => {
    const first = await upload(started.api, 'same.csv', 'one')
    const second = await upload(started.api, 'same.csv', 'two')

    expect([first, second]).toEqual(['same.csv', 'same (2).csv'])
  })

  it('of the same file again has the same name', async () => {
    const names = [
      await upload(started.api, 'again.csv', 'one'),
      await upload(started.api, 'again.csv', 'one')
    ]

    expect(names).toEqual(['again.csv', 'again.csv'])
    expect(await readdir(join(started.dataDirectory, 'uploads'))).not.toContain('again (2).csv')
  })

  it('cannot leave the upload directory or hide in it', async () => {
    const name = await upload(started.api, '../../.evil.csv', 'x')

    expect(name).toBe('evil.csv')
    expect(await readdir(join(started.dataDirectory, 'uploads'))).toContain('evil.csv')
  })
})

describe('the analysis of a file', () => {
  it('proposes the fields of the list and reserved names for its columns', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'First name', 'text')
    const { data } = await analysisOf(
      started.api,
      list.id,
      'E-Mail,Vorname,Status,Shoe\na@x.org,Anna,active,42\n'
    )

    expect(data.reading.columns.map(({ target, new_field_type }) => [target, new_field_type])).toEqual([
      ['email', null],
      ['First name', null],
      ['status', null],
      ['Shoe', 'number']
    ])
  })

  it('keeps to what a person chose', async () => {
    const list = await makeList(started.api)
    const { data } = await analysisOf(started.api, list.id, 'email;City\na@x.org;Wien\n', {
      choices: { csv_field_separator: ',', header_line: null }
    })

    expect(data.reading.file.csv_field_separator).toBe(',')
    expect(data.reading.header_line).toBeNull()
    expect(data.columns).toHaveLength(1)
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>, RegExp]>([
    ['an empty file', '', /empty/],
    [
      'a broken archive',
      Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]),
      /broken spreadsheet or zip archive/
    ],
    ['too many columns', `${'a,'.repeat(9999)}a\n`, /10,000 columns/]
  ])('refuses %s with a sentence', async (_what, content, message) => {
    const list = await makeList(started.api)
    const answer = await analysisOf(started.api, list.id, content)

    expect(answer.success).toBe(false)
    expect(answer.error_message).toMatch(message)
  })

  it('leaves nothing of what it unpacked', async () => {
    const list = await makeList(started.api)
    await analysisOf(started.api, list.id, 'email\na@x.org\n')

    const left = await readdir(join(started.dataDirectory, 'imports', 'sources')).catch(() => [])
    expect(left.filter((name) => name.startsWith('analysis'))).toEqual([])
  })
})

describe('the import of a file as it was analyzed', () => {
  it('creates the new fields and brings in everyone as the proposal says', async () => {
    const list = await makeList(started.api)
    const done = await importAsProposed(
      started,
      list.id,
      'E-Mail;Vorname;PLZ;Geburtstag;Newsletter\nAnna <anna@example.org>;Anna;01067;13.04.1985;ja\n' +
        'bert@example.org;Bert;10115;24.12.1990;nein\n'
    )

    expect(done.stats.subscribers).toMatchObject({ added: 2, failed: 0 })
    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      {
        email: 'anna@example.org',
        status: 'active',
        custom_fields: { PLZ: { value: '01067' }, Geburtstag: { type: 'date', value: '1985-04-13' } }
      },
      { email: 'bert@example.org', status: 'unsubscribed' }
    ])
  })

  it('leaves no field behind where it is refused', async () => {
    const list = await makeList(started.api)
    const filename = await upload(started.api, 'refused.csv', 'email,Age,Town\na@example.com,1,Wien\n')
    const reading = plainReading([], {
      columns: [readingColumn('email'), newFieldColumn('Age', 'number'), readingColumn('Town')]
    })

    await expect(importAsRead(started, list.id, filename, reading)).rejects.toThrow('Town is no custom field')

    expect(await fieldNames(list.id)).toEqual([])
  })

  it('fails the row of a value that a number field would change', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Number', 'number')
    const filename = await upload(
      started.api,
      'late.csv',
      'email,Number\na@example.com,17\nb@example.com,01067\n'
    )
    const done = await importAsRead(started, list.id, filename, plainReading(['email', 'Number']))
    const { data } = await started.api.workbench<{ complaint: string }[]>(
      'GET',
      `/subscriber_imports/${done.id}/failed_rows`
    )

    expect(done.stats.subscribers).toMatchObject({ added: 1, failed: 1 })
    expect(data.map(({ complaint }) => complaint)).toEqual([
      'Number would lose its leading zero as a number: "01067"'
    ])
  })

  it.each([
    ['keep', 'Wien'],
    ['clear', null]
  ] as const)('with %s for blank cells leaves a value as %j', async (blank_cells, city) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Wien' } })
    const filename = await upload(started.api, 'blank.csv', 'email,City\na@example.com,\n')
    await importAsRead(started, list.id, filename, plainReading(['email', 'City'], { blank_cells }), {
      overwrite: true
    })

    const [anna] = await allSubscribers(started.api, list.id)
    expect(anna?.custom_fields['City']?.value).toBe(city)
  })

  it('corrects rows by the same rules as the file', async () => {
    const list = await makeList(started.api)
    const done = await importAsProposed(
      started,
      list.id,
      'E-Mail;Status\nanna@example.org;Abgemeldet\nnobody;Abgemeldet\n'
    )
    const { data } = await started.api.workbench<{ id: number }>(
      'POST',
      `/subscriber_imports/${done.id}/corrections`,
      { rows: [{ place: 0, cells: ['Bert <bert@example.org>', 'Abgemeldet'] }] }
    )
    await started.api.imported(data.id)

    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      { email: 'anna@example.org', status: 'unsubscribed' },
      { email: 'bert@example.org', status: 'unsubscribed' }
    ])
  })

  it('corrects rows of an import that created a field', async () => {
    const list = await makeList(started.api)
    const done = await importAsProposed(started, list.id, 'email,Town\nanna@example.org,Wien\nnobody,Graz\n')
    const { data } = await started.api.workbench<{ id: number }>(
      'POST',
      `/subscriber_imports/${done.id}/corrections`,
      { rows: [{ place: 0, cells: ['bert@example.org', 'Graz'] }] }
    )
    await started.api.imported(data.id)

    expect(await fieldNames(list.id)).toEqual(['Town'])
    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      { email: 'anna@example.org', custom_fields: { Town: { value: 'Wien' } } },
      { email: 'bert@example.org', custom_fields: { Town: { value: 'Graz' } } }
    ])
  })

  it('takes corrected rows in the place of those of the file, and of no other import', async () => {
    const list = await makeList(started.api)
    const { data, filename } = await analysisOf(
      started.api,
      list.id,
      'email;Town\nanna@example.org;Wien\nnobody;"Gr"az\n\ncleo@;Ulm\ndora@example.org;Linz\n'
    )
    const corrected_rows = [
      { line: 3, cells: ['bert@example.org', 'Graz'] },
      { line: 5, cells: ['', ''] }
    ]
    const done = await importAsRead(started, list.id, filename, { ...data.reading, corrected_rows })
    const again = await analysisOf(
      started.api,
      list.id,
      'email;Town\neva@example.org;Bonn\nfay@example.org;Kiel\n'
    )

    expect(done.stats).toMatchObject({ number_of_records: 3, subscribers: { added: 3, failed: 0 } })
    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      { email: 'anna@example.org', custom_fields: { Town: { value: 'Wien' } } },
      { email: 'bert@example.org', custom_fields: { Town: { value: 'Graz' } } },
      { email: 'dora@example.org', custom_fields: { Town: { value: 'Linz' } } }
    ])
    expect(again.data.reading.corrected_rows).toEqual([])
  })

  it('tells what was read, and not what it was converted to', async () => {
    const list = await makeList(started.api)
    const bytes = Uint8Array.from(Buffer.from('\ufeffemail\tTown\tEmpty\na@example.org\tKöln\t\n', 'utf16le'))
    const { id } = await importAsProposed(started, list.id, bytes)

    const { data } = await started.api.workbench<ImportLinks>('GET', `/subscriber_imports/${id}/links`)

    expect(data.file).toEqual({
      kind: 'csv',
      character_set: 'utf-16le',
      headers: ['email', 'Town', 'Empty']
    })
  })

  it('reads the statuses of the API in a column of statuses that has no rule of its own', async () => {
    const list = await makeList(started.api)
    const filename = await upload(
      started.api,
      'statuses.csv',
      'email,status\na@example.com,unsubscribed\nb@example.com,active\n'
    )
    await importAsRead(
      started,
      list.id,
      filename,
      plainReading(['email', 'status'], { opted_out: 'leave_out' })
    )

    expect(await allSubscribers(started.api, list.id)).toMatchObject([{ email: 'b@example.com' }])
  })

  it('counts rows as it reads them: blank lines and totals are none, two addresses are two people', async () => {
    const list = await makeList(started.api)
    const { data, filename } = await analysisOf(
      started.api,
      list.id,
      'email,Orders\n"a@example.org, b@example.org",3\n,\nc@example.org,4\nTotal,7\n'
    )
    const done = await importAsRead(started, list.id, filename, {
      ...data.reading,
      several_addresses: 'each'
    })

    expect(done.stats).toMatchObject({ number_of_records: 3, records_imported: 3, subscribers: { added: 3 } })
  })
})

it('the import of a file creates fields only for users who may, and proposes none to others', async () => {
  const list = await makeList(started.api)
  const api = await clientOfUser(started, { permissions: { subscriber: ['import'] } })
  const content = 'email,Town\na@example.com,Wien\n'
  const { data, filename } = await analysisOf(api, list.id, content)
  const reading = plainReading([], { columns: [readingColumn('email'), newFieldColumn('Town', 'text')] })

  expect(data.reading.columns.map(({ target }) => target)).toEqual(['email', null])
  await expect(importAsRead({ api }, list.id, filename, reading)).rejects.toThrow('custom_field.create')
  expect((await importAsRead({ api }, list.id, filename, data.reading)).stats.subscribers.added).toBe(1)
})

it('the undoing of an import names the fields that it created, as long as they are there', async () => {
  const list = await makeList(started.api)
  const done = await importAsProposed(started, list.id, 'email,Town\na@example.com,Wien\n')
  const undo = (method = 'GET') =>
    started.api.workbench<ImportUndo>(method, `/subscriber_imports/${done.id}/undo`)
  await undo('POST')
  await expect.poll(async () => (await undo()).data.state).toBe('finished')
  const [town] = (await undo()).data.created_fields

  expect(town?.name).toBe('Town')

  await started.api.delete(`/custom_fields/${town?.id}`)
  expect((await undo()).data.created_fields).toEqual([])
})

it('a saved reading restores the target of each column, even with equal headers', async () => {
  const list = await makeList(started.api)
  for (const name of ['Home', 'Work']) await makeField(started.api, list.id, name, 'text')
  const header = 'City'
  const saved = plainReading([], {
    columns: [readingColumn('email'), readingColumn('Home', { header }), readingColumn('Work', { header })]
  })
  const filename = await upload(started.api, 'cities.csv', 'email,City,City\na@example.com,Wien,Graz\n')
  const { data } = await started.api.workbench<FileAnalysis>(
    'POST',
    `/mailing_lists/${list.id}/file_analyses`,
    { filename, saved }
  )

  expect(data.reading.columns.map(({ target }) => target)).toEqual(['email', 'Home', 'Work'])
})

describe('the preview of rows', () => {
  it('reads them as an import would', async () => {
    const list = await makeList(started.api)
    const reading = plainReading([], {
      columns: [readingColumn('email'), newFieldColumn('Joined', 'date')],
      tidies_values: true
    })
    const { data } = await started.api.workbench('POST', `/mailing_lists/${list.id}/row_previews`, {
      reading,
      rows: [
        [' Anna <a@example.org> ', '13.04.1985'],
        ['', '']
      ]
    })

    expect(data).toEqual({
      mapping: ['email', 'Joined'],
      rows: [{ cells: ['a@example.org', '1985-04-13'], fault: null }]
    })
  })
})
