import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ImportPreview } from '../../src-main/workbench/endpoints/import-preview.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList } from '../support/builders.ts'

const started = sharedApplication()

async function upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const response = await started.api.raw(`/app/v1/uploads/${encodeURIComponent(name)}`, {
    method: 'PUT',
    body: content
  })
  return ((await response.json()) as { data: { filename: string } }).data.filename
}

interface PreviewAnswer {
  success: boolean
  data: ImportPreview
  error_message: string | null
}

async function preview(
  content: string | Uint8Array<ArrayBuffer>,
  choice: Record<string, unknown> = {},
  listId?: number
): Promise<PreviewAnswer> {
  const filename = await upload('people.csv', content)
  const list = listId ?? (await makeList(started.api)).id
  const response = await started.api.raw(`/app/v1/mailing_lists/${list}/import_preview`, {
    method: 'POST',
    body: JSON.stringify({ filename, file_format: choice })
  })
  return (await response.json()) as PreviewAnswer
}

describe('an upload', () => {
  it('goes into the upload directory, beside a file of the same name', async () => {
    const first = await upload('same.csv', 'one')
    const second = await upload('same.csv', 'two')
    expect([first, second]).toEqual(['same.csv', 'same (2).csv'])
  })

  it('cannot leave the upload directory or hide in it', async () => {
    const name = await upload('../../.evil.csv', 'x')
    expect(name).toBe('evil.csv')
    expect(await readdir(join(started.dataDirectory, 'uploads'))).toContain('evil.csv')
  })
})

describe('the preview of an import', () => {
  it.each([
    [',', 'email,City\na@x.org,Wien\n'],
    [';', 'email;City\na@x.org;"Wien, Graz"\n'],
    ['\t', 'email\tCity\na@x.org\tWien\n'],
    ['|', 'email|City\na@x.org|Wien\n']
  ])('detects %j between columns', async (separator, content) => {
    const { data } = await preview(content)
    expect(data.file_format.csv_field_separator).toBe(separator)
    expect(data.columns.map(({ header }) => header)).toEqual(['email', 'City'])
  })

  it('detects the character set, the enclosure and a missing header', async () => {
    const latin = Buffer.from("'a@x.org','Z\xfcrich, Kreis 1'\n'b@x.org','Bern'\n", 'latin1')
    const { data } = await preview(Uint8Array.from(latin))
    expect(data.file_format).toEqual({
      character_set: 'ISO-8859-1',
      csv_field_separator: ',',
      csv_field_enclosure: "'",
      csv_has_headers: false,
      escape_formulas: false
    })
    expect(data.rows[0]).toEqual(['a@x.org', 'Zürich, Kreis 1'])
  })

  it('keeps to what the user chose', async () => {
    const { data } = await preview('email;City\na@x.org;Wien\n', { csv_field_separator: ',' })
    expect(data.columns).toHaveLength(1)
  })

  it('matches columns to the fields of the list and to reserved names', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'First name', 'text')
    const { data } = await preview('E-Mail,first_name,Status,Shoe\na@x.org,Anna,active,42\n', {}, list.id)
    expect(data.columns.map(({ suggestion }) => suggestion)).toEqual(['email', 'First name', 'status', null])
  })

  it('recognizes a column of addresses by its values', async () => {
    const { data } = await preview('Kontakt,Ort\na@x.org,Wien\nb@x.org,Graz\n')
    expect(data.columns[0]?.suggestion).toBe('email')
  })

  it('guesses the type of a new field from its values, and never one that would change them', async () => {
    const { data } = await preview(
      'email,age,signup,vip,zip,city\na@x.org,42,31/12/2020,yes,01234,Wien\nb@x.org,7,01/02/2021,no,04567,Graz\n'
    )
    expect(data.columns.map(({ guessed_types }) => guessed_types.dmy)).toEqual([
      'text',
      'number',
      'date',
      'boolean',
      'text',
      'text'
    ])
    expect(data.columns[2]).toMatchObject({ date_order: 'dmy', guessed_types: { mdy: 'text' } })
  })

  it('takes the order of day and month in which most dates of a column can be read', async () => {
    const days = Array.from({ length: 19 }, (_, index) => `a${index}@x.org,${index + 10}/05/2021\n`)
    const { data } = await preview(`email,joined\nb@x.org,05/31/2021\n${days.join('')}`)
    expect(data.columns[1]).toMatchObject({ date_order: 'dmy', guessed_types: { dmy: 'date' } })
  })

  it('says that an order is unclear where every date can be read in both', async () => {
    const { data } = await preview('email,joined,birthday,born\na@x.org,01/02/2021,3/4,2001-02-03\n')
    expect(data.columns.map(({ date_order }) => date_order)).toEqual([null, 'unclear', 'unclear', null])
  })

  it('takes an unclear order from the last import of a column with this header', async () => {
    const list = await makeList(started.api)
    await started.api.workbench('PUT', `/mailing_lists/${list.id}/remembered_columns`, {
      columns: [{ header: 'Joined', target: null, date_format: 'dmy' }]
    })
    const read = async (day: string) => (await preview(`email,joined\na@x.org,${day}\n`, {}, list.id)).data
    expect((await read('01/02/2021')).columns[1]?.date_order).toBe('dmy')
    expect((await read('01/31/2021')).columns[1]?.date_order).toBe('mdy')
  })

  it('warns of columns with the same name, by their numbers', async () => {
    const { data } = await preview('email,City,city\na@x.org,Wien,Graz\n')
    expect(data.warnings).toEqual(['Columns 2 and 3 are both named "city".'])
  })

  it('warns of a file without rows', async () => {
    expect((await preview('email,City\n')).data.warnings).toEqual([
      'The file holds a header line and no rows.'
    ])
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>, RegExp]>([
    ['an empty file', '', /empty/],
    ['a file that is no text', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 1, 2]), /not a CSV file/],
    ['too many columns', `${'a,'.repeat(9999)}a\n`, /10,000 columns/]
  ])('refuses %s with a sentence', async (_what, content, message) => {
    const answer = await preview(content)
    expect(answer.success).toBe(false)
    expect(answer.error_message).toMatch(message)
  })
})
