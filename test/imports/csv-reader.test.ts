import { englishOf } from '../../src-main/base/refusal.ts'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CsvReader, maxRecordLength } from '../../src-main/csv/csv-reader.ts'
import { ImportFailure } from '../../src-main/csv/failure.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

interface ReadRecord {
  fields: string[]
  line: number
}

function read(pieces: string[], separator = ',', enclosure = '"'): ReadRecord[] {
  const records: ReadRecord[] = []
  const reader = new CsvReader({ separator, enclosure }, (fields, line) => records.push({ fields, line }))
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return records
}

function fieldsOf(text: string): string[][] {
  return read([text]).map(({ fields }) => fields)
}

function cut(text: string, places: number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end))
}

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'é', ' ', '@', '.', '1') }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', 'b', ' ') })
)

const file = fc
  .record({
    rows: fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 1, maxLength: 5 }), { maxLength: 12 }),
    separator: fc.constantFrom(',', ';', '\t'),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    ended: fc.boolean()
  })
  .map(({ rows, separator, lineBreak, ended }) => {
    const lines = rows.map((row) =>
      row
        .map(([text, enclosed]) =>
          enclosed || /["\n\r]/.test(text) || text.includes(separator)
            ? `"${text.replaceAll('"', '""').replaceAll('\n', lineBreak)}"`
            : text
        )
        .join(separator)
    )
    return { text: lines.join(lineBreak) + (ended && lines.length > 0 ? lineBreak : ''), separator }
  })

describe('the CSV reader', () => {
  it(`reads what csv-parse reads, in whatever pieces it arrives (SEED=${seed})`, () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 6 }), ({ text, separator }, places) => {
        const expected = parse(text, {
          delimiter: separator,
          relax_column_count: true,
          skip_empty_lines: true,
          record_delimiter: ['\r\n', '\n']
        })
        const records = read(cut(text, places), separator)
        expect(records.map(({ fields }) => fields)).toEqual(expected)
      }),
      { seed, numRuns: 3000 }
    )
  })

  it('reports the line on which each record begins', () => {
    expect(read(['a\n"b\nc"\n\nd\n']).map(({ line }) => line)).toEqual([1, 2, 5])
  })

  it('takes LF, CRLF and CR, as the first line ends', () => {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      expect(fieldsOf(['a,b', 'c,d', ''].join(lineBreak))).toEqual([
        ['a', 'b'],
        ['c', 'd']
      ])
    }
  })

  it('recognizes the first line ending, however long the line is and whatever it encloses', () => {
    for (const first of ['a', 'ab', 'abc', '"\n"', '"x\n",y', '"\r",z']) {
      for (const lineBreak of ['\n', '\r\n', '\r']) {
        const text = [first, 'q,r', 's', ''].join(lineBreak)
        expect(fieldsOf(text).slice(1)).toEqual([['q', 'r'], ['s']])
      }
    }
  })

  it('reads doubled enclosures as one, and enclosures inside plain fields as they are', () => {
    expect(fieldsOf('"say ""hi""",5" pipe\n')).toEqual([['say "hi"', '5" pipe']])
  })

  it('takes another enclosure character', () => {
    expect(read(["'it''s',\"x\"\n"], ',', "'").map(({ fields }) => fields)).toEqual([["it's", '"x"']])
  })

  it('names the line where an enclosure was opened and never closed', () => {
    expect(() => read(['a\nb,"c\nd\ne'])).toThrow(ImportFailure)
    expect(() => read(['a\nb,"c\nd\ne'])).toThrow(/^Line 2: /)
  })

  it('refuses a record that never ends before memory runs out', () => {
    expect(() => read(['x'.repeat(maxRecordLength + 1)])).toThrow(/^Line 1: /)
  })

  it('shows the fault of a record, and the excess text', () => {
    const found: unknown[] = []
    const reader = new CsvReader({ separator: ',', enclosure: "'" }, (fields, line, fault) => {
      found.push({ fields, line, fault: fault && englishOf(fault) })
    })
    reader.push("a,b\n'x'y,z\nc,'d' \n'e'\n'f'\r\n")
    reader.end()
    const fault = "after the closing ' there is more text; a ' inside a field must be doubled"
    expect(found).toEqual([
      { fields: ['a', 'b'], line: 1, fault: null },
      { fields: ['x', 'y,z'], line: 2, fault },
      { fields: ['c', 'd', ' '], line: 3, fault },
      { fields: ['e'], line: 4, fault: null },
      { fields: ['f'], line: 5, fault: null }
    ])
  })

  it('keeps a carriage return in an enclosed field, and drops that of a line ending', () => {
    const text = ['"a\r"', '"b\r",c', '"d",e\r', '"f"\r', 'g\r', '\r', ''].join('\n')
    expect(fieldsOf(text)).toEqual([['a\r'], ['b\r', 'c'], ['d', 'e'], ['f'], ['g']])
    expect(fieldsOf('x\n"a","b"\r')).toEqual([['x'], ['a', 'b']])
    expect(fieldsOf('"a\r"')).toEqual([['a\r']])
  })

  it('reads the same records however a text is split in two', () => {
    const text = 'h,"i\r\nj"\r\n"a""b",c\r\n\r\n"","d\r\n""e"""\r\nf,"g'
    for (const ending of ['"', '"\r\n', '"\r']) {
      const whole = read([text + ending])
      expect(whole.map(({ line }) => line)).toEqual([1, 3, 5, 7])
      expect(whole.map(({ fields }) => fields)).toEqual([
        ['h', 'i\r\nj'],
        ['a"b', 'c'],
        ['', 'd\r\n"e"'],
        ['f', 'g']
      ])
      for (let place = 0; place <= text.length + ending.length; place++) {
        const pieces = [(text + ending).slice(0, place), (text + ending).slice(place)]
        expect(read(pieces), `cut at ${place}`).toEqual(whole)
      }
    }
  })

  it('that only finds records returns no fields', () => {
    const found: string[][] = []
    const reader = new CsvReader({ separator: ',', enclosure: '"' }, (fields) => found.push(fields), false)
    reader.push('a,b\n"c",d\n')
    reader.end()
    expect(found).toEqual([[], []])
  })

  it('distinguishes an enclosure that is never closed from a file without line breaks', () => {
    expect(() => read([`a\n${'x'.repeat(maxRecordLength + 1)}`])).toThrow(/^Line 2: .*no line breaks/)
    expect(() => read([`a\n"${'x'.repeat(maxRecordLength)}`])).toThrow(/^Line 2: .*never closed/)
    expect(read([`a\n${'x'.repeat(maxRecordLength)}`, '\n']).map(({ line }) => line)).toEqual([1, 2])
  })
})
