import { describe, expect, it } from 'vitest'
import { formatKind, writeSerial } from '../../src-main/contact-files/formats/serial-dates.ts'
import { gzipSync } from 'node:zlib'
import { zipOf } from '../support/zip.ts'
import { analyzed } from './read-file.ts'
import { odsOf, xlsxOf } from './spreadsheets.ts'

const people = [
  ['Email', 'Name', 'Zip', 'Joined', 'Score', 'Customer'],
  ['anna@example.org', 'Änne & Co', '01067', { date: 44663 }, 7, true],
  ['bert@example.org', 'Bert', '10115', { date: 44664.5 }, 8, false]
]
const expected = [
  {
    email: 'anna@example.org',
    Name: 'Änne & Co',
    Zip: '01067',
    Joined: '2022-04-12',
    Score: '7',
    Customer: 'true'
  },
  {
    email: 'bert@example.org',
    Name: 'Bert',
    Zip: '10115',
    Joined: expect.stringContaining('2022-04-13') as string,
    Score: '8',
    Customer: 'false'
  }
]

describe('a workbook of Excel', () => {
  it('comes in with dates, numbers and texts as its cells say', async () => {
    const { analysis, rows } = await analyzed(xlsxOf({ People: people }), { name: 'people.xlsx' })

    expect(analysis.kind).toBe('xlsx')
    expect(rows).toEqual(expected)
  })

  it('names its sheets, of which another one can be chosen', async () => {
    const file = xlsxOf({ Notes: [['nothing']], People: people })
    const { analysis, rows } = await analyzed(file, { choices: { sheet: 'People' } })

    expect(analysis.sheets).toEqual(['Notes', 'People'])
    expect(rows).toEqual(expected)
  })

  it('keeps the zeros that a format shows, and line breaks inside a cell', async () => {
    const { rows } = await analyzed(
      xlsxOf({
        S: [
          ['Email', 'PLZ', 'Note'],
          ['anna@example.org', { zeros: 1067 }, 'two\nlines']
        ]
      })
    )

    expect(rows).toEqual([{ email: 'anna@example.org', PLZ: '01067', Note: 'two\nlines' }])
  })

  it('has each row at the line that it has there, past blank ones', async () => {
    const { analysis, rows } = await analyzed(
      xlsxOf({ S: [['Contacts'], [], ['Email', 'Name'], ['no address', 'x'], [], ['b@example.org', 'Bert']] })
    )

    expect(analysis.reading.header_line).toBe(3)
    expect(rows.map(({ fault }) => fault)).toEqual([
      'line 4: email is not a valid email address, because it contains a space: "no address"',
      undefined
    ])
  })
})

describe('an OpenDocument spreadsheet', () => {
  it('comes in with dates, numbers and texts as its cells say', async () => {
    const { analysis, rows } = await analyzed(odsOf({ People: people }), { name: 'people.ods' })

    expect(analysis.kind).toBe('ods')
    expect(rows).toEqual(expected)
  })

  it('names its sheets, of which another one can be chosen', async () => {
    const { analysis, rows } = await analyzed(odsOf({ Notes: [['nothing']], People: people }), {
      choices: { sheet: 'People' }
    })

    expect(analysis.sheets).toEqual(['Notes', 'People'])
    expect(rows).toEqual(expected)
  })
})

describe('the format of a number', () => {
  it.each([
    ['dd.mm.yyyy', 'date'],
    ['[$-409]d-mmm-yy;@', 'date'],
    ['yyyy\\-mm\\-dd hh:mm', 'datetime'],
    ['h:mm AM/PM', 'time'],
    ['[h]:mm', 'duration'],
    ['0.00" days"', 'number'],
    ['[Red]0.00', 'number'],
    ['General', 'number']
  ])('%j is that of a %s', (format, kind) => {
    expect(formatKind(format)).toBe(kind)
  })

  it('counts days from 1900 or from 1904', () => {
    expect([
      writeSerial(59, 'date', false),
      writeSerial(60, 'date', false),
      writeSerial(61, 'date', false),
      writeSerial(44663, 'date', false),
      writeSerial(43201, 'date', true)
    ]).toEqual(['1900-02-28', '60', '1900-03-01', '2022-04-12', '2022-04-12'])
  })
})

const card = (lines: string): string =>
  `BEGIN:VCARD\r\n${lines.trim().replaceAll('\n', '\r\n')}\r\nEND:VCARD\r\n`

describe('vCards', () => {
  it('of version 3 come in as people', async () => {
    const { analysis, rows } = await analyzed(
      card(`
VERSION:3.0
N:Adams;Anna;;;
FN:Anna Adams
ORG:Moor\\, Inc.;Sales
EMAIL;type=INTERNET;type=HOME:anna@example.net
EMAIL;type=INTERNET;type=pref:anna@example.org
TEL;type=CELL:+49 30 1
ADR;type=HOME:;;Main Street 1;Ulm;;89073;Germany
BDAY:1985-04-13
NOTE:first line\\nsecond line`)
    )

    expect(analysis.kind).toBe('vcard')
    expect(rows).toEqual([
      {
        email: 'anna@example.org',
        'First name': 'Anna',
        'Last name': 'Adams',
        Name: 'Anna Adams',
        'Email 2': 'anna@example.net',
        Phone: '+49 30 1',
        Company: 'Moor, Inc.',
        Street: 'Main Street 1',
        City: 'Ulm',
        Zip: '89073',
        Country: 'Germany',
        Birthday: '1985-04-13',
        Notes: 'first line\nsecond line'
      }
    ])
  })

  it('have semicolons and backslashes in their names', async () => {
    const { rows } = await analyzed(
      card('VERSION:4.0\nN:Back\\\\;Anna\\;Maria;;;\nEMAIL:anna@example.org\nORG:Moor\\;')
    )

    expect(rows).toMatchObject([{ 'Last name': 'Back\\', 'First name': 'Anna;Maria', Company: 'Moor;' }])
  })

  it('decodes the quoted-printable values of vCards of version 2.1', async () => {
    const { rows } = await analyzed(
      card(`
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCr=
gen
EMAIL;INTERNET;PREF:juergen@example.org`)
    )

    expect(rows).toMatchObject([
      { email: 'juergen@example.org', 'First name': 'Jürgen', 'Last name': 'Müller' }
    ])
  })

  it('of version 4 have folded lines, groups and days without a year', async () => {
    const { rows } = await analyzed(
      card(`
VERSION:4.0
FN:A very long name that
  goes on
item1.EMAIL:mailto:anna@example.org
BDAY:--0413`) + card('VERSION:4.0\nFN:Bert\nEMAIL;PREF=1:bert@example.org\nBDAY:--1224')
    )

    expect(rows).toMatchObject([
      { email: 'anna@example.org', Name: 'A very long name that goes on', Birthday: '04-13' },
      { email: 'bert@example.org', Name: 'Bert', Birthday: '12-24' }
    ])
  })
})

describe('an archive', () => {
  it('of several files lets one be chosen', async () => {
    const archive = zipOf({
      '__MACOSX/x.csv': 'x',
      'a/first.csv': 'email\na@example.org\n',
      'second.csv': 'email\nb@example.org\n',
      'picture.png': 'x'
    })
    const first = await analyzed(archive, { name: 'all.zip' })
    const second = await analyzed(archive, { name: 'all.zip', choices: { entry: 'second.csv' } })

    expect(first.analysis.entries).toEqual(['a/first.csv', 'second.csv'])
    expect(first.rows).toEqual([{ email: 'a@example.org' }])
    expect(second.rows).toEqual([{ email: 'b@example.org' }])
  })

  it('may hold a workbook', async () => {
    const { analysis, rows } = await analyzed(zipOf({ 'people.xlsx': xlsxOf({ P: people }) }))

    expect(analysis.kind).toBe('xlsx')
    expect(rows).toEqual(expected)
  })

  it('may be compressed with gzip, in any character set', async () => {
    const bytes = gzipSync(Buffer.from('\ufeffE-Mail\tOrt\r\nanna@example.org\tŁódź\r\n', 'utf16le'))

    expect((await analyzed(bytes)).rows).toEqual([{ email: 'anna@example.org', Ort: 'Łódź' }])
  })

  it.each([
    ['holds nothing that could be imported', zipOf({ 'picture.png': 'x' }), /holds no contact file/],
    ['is a document of Numbers', zipOf({ 'Index/Document.iwa': 'x' }), /Numbers document.*Excel/],
    ['is a binary workbook', zipOf({ 'xl/workbook.bin': 'x' }), /save it as \.xlsx/],
    [
      'is an old workbook',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      /save it as \.xlsx/
    ],
    ['is a PDF document', Buffer.from('%PDF-1.7 …'), /PDF document/]
  ])('is refused with advice if it %s', async (_, content, sentence) => {
    await expect(analyzed(content)).rejects.toThrow(sentence)
  })
})
