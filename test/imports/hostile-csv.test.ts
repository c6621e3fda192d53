import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CsvReader } from '../../src-main/csv/csv-reader.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importFile, makeField, makeList } from '../support/builders.ts'

const started = sharedApplication()

function records(text: string): string[][] {
  const found: string[][] = []
  const reader = new CsvReader({ separator: ',', enclosure: '"' }, (fields) => found.push(fields))
  reader.push(text)
  reader.end()
  return found
}

const spectrum = 'node_modules/csv-spectrum'
const contradictory = 'location_coordinates'

describe('the files of csv-spectrum', () => {
  const names = globSync(`${spectrum}/csvs/*.csv`).map((path) => basename(path, '.csv'))

  it.each(names.filter((name) => name !== contradictory))('%s', (name) => {
    const [headers = [], ...rows] = records(readFileSync(`${spectrum}/csvs/${name}.csv`, 'utf8'))
    const expected = readFileSync(`${spectrum}/json/${name}.json`, 'utf8')
    const parsed = rows.map((row) => Object.fromEntries(headers.map((header, index) => [header, row[index]])))
    // Some expectations write the CRLF of their file as LF.
    const withoutCr = (json: string): unknown => JSON.parse(json.replaceAll('\\r\\n', '\\n'))
    expect(withoutCr(JSON.stringify(parsed))).toEqual(withoutCr(expected))
  })

  it(contradictory, () => {
    expect(records(readFileSync(`${spectrum}/csvs/${contradictory}.csv`, 'utf8'))).toEqual([
      ['Contact Phone Number', 'Location Coordinates', 'Cities', 'Counties'],
      ['2095257564', `37\ufffd36'37.8"N 121\ufffd2'17.9"W`, 'Modesto', 'Stanislaus']
    ])
  })
})

describe('quotes everywhere', () => {
  it.each<[text: string, fields: string[][]]>([
    ['""', [['']]],
    ['"",""\n', [['', '']]],
    ['""""\n', [['"']]],
    ['"a""b","""c"""\n', [['a"b', '"c"']]],
    ['a"b,c""d\n', [['a"b', 'c""d']]],
    [' "a" ,b\n', [[' "a" ', 'b']]],
    ['"\n"\n', [['\n']]],
    ['"a\r\nb",c\r\n', [['a\r\nb', 'c']]],
    [',\n', [['', '']]],
    [
      'a,"b\n\n\nc"\n\nd,e\n',
      [
        ['a', 'b\n\n\nc'],
        ['d', 'e']
      ]
    ]
  ])('%j', (text, fields) => {
    expect(records(text)).toEqual(fields)
  })
})

describe('a hostile file', () => {
  async function importOf(content: string | Uint8Array) {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text_multiline')
    const result = await importFile(started, list.id, content, { column_mapping: ['email', 'City'] })
    return { result, subscribers: await allSubscribers(started.api, list.id) }
  }
  const bytes = (...parts: (string | number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

  it.each<[what: string, content: Buffer, message: RegExp]>([
    ['a NUL byte', bytes('email,City\na@x.org,Wien\nb@x.org,Gr', [0], 'az\n'), /^Line 3: .*NUL/],
    ['a lone surrogate', bytes('email,City\na@x.org,', [0xed, 0xa0, 0x80], '\n'), /^Line 2: .*UTF-8/],
    [
      'an overlong slash',
      bytes('email,City\na@x.org,Wien\n', 'b@x.org,', [0xc0, 0xaf], '\n'),
      /^Line 3: .*UTF-8/
    ],
    [
      'a character beyond U+10FFFF',
      bytes('email,City\na@x.org,', [0xf4, 0x90, 0x80, 0x80], '\n'),
      /^Line 2: .*UTF-8/
    ],
    [
      'a character that is cut off',
      bytes('email,City\na@x.org,Wien\nb@x.org,', [0xe2, 0x82]),
      /^Line 3: .*UTF-8/
    ],
    [
      'an unclosed quote over many lines',
      bytes('email,City\na@x.org,"Wien\n', 'b@x.org,Graz\n'.repeat(1000)),
      /^Line 2: .*never closed/
    ],
    [
      'a quote that never closes in a file that never ends',
      bytes('email,City\na@x.org,"', 'x'.repeat(3_000_000)),
      /^Line 2: .*1,048,576 characters/
    ],
    ['UTF-16 without a mark', Buffer.from('email,City\na@x.org,Wien\n', 'utf16le'), /^Line 1: .*NUL/]
  ])('with %s fails naming the line, and leaves the list untouched', async (_what, content, message) => {
    const { result, subscribers } = await importOf(content)
    expect(result.state).toBe('failed')
    expect(result.error_message).toMatch(message)
    expect(subscribers).toEqual([])
  })

  it('of 1,000,000 empty lines has no records, and those among them are found with their lines', async () => {
    const empty = '\n'.repeat(500_000)
    const { result, subscribers } = await importOf(`email,City\n${empty}a@x.org,Wien\n${empty}nobody,Graz\n`)
    expect(result.stats).toMatchObject({ number_of_records: 2, records_imported: 2 })
    expect(subscribers.map(({ email }) => email)).toEqual(['a@x.org'])
    const log = await started.api.raw(`/ga/api/v2/subscriber_imports/${result.id}/logs/failed`)
    expect(await log.text()).toContain('line 1000003: email')
  })

  it('fails only the rows in which text follows a closing quote', async () => {
    const { result, subscribers } = await importOf('email,City\na@x.org,"Wien" x\nb@x.org,"Graz"\n')
    expect(result.stats.subscribers).toMatchObject({ added: 1, failed: 1 })
    expect(subscribers.map(({ email }) => email)).toEqual(['b@x.org'])
  })

  it('keeps control characters, bidirectional marks and formulas as they are', async () => {
    const city = '=cmd|/c calc!A1 \u202e\u0007 \u{1f600}'
    const { subscribers } = await importOf(`email,City\na@x.org,${city}\n`)
    expect(subscribers[0]?.custom_fields['City']?.value).toBe(city)
  })

  it('with quotes in every cell of 50,000 rows is whole', async () => {
    const rows = Array.from({ length: 50_000 }, (_, row) => `"p${row}@x.org","""${row}"", ""\n"""`)
    const { result, subscribers } = await importOf(`"email","City"\n${rows.join('\n')}\n`)
    expect(result.stats.subscribers.added).toBe(50_000)
    const byEmail = new Map(
      subscribers.map(({ email, custom_fields }) => [email, custom_fields['City']?.value])
    )
    for (const row of [0, 777, 49_999]) expect(byEmail.get(`p${row}@x.org`)).toBe(`"${row}", "\n"`)
  })
})
