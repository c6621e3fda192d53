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

/** Reads a text that arrives in pieces. */
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

/** Cuts a text at the given places. */
function cut(text: string, places: number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end))
}

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'é', ' ', '@', '.', '1') }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', 'b', ' ') })
)

/** Records that a well-formed writer may make, with enclosures wherever they are needed and sometimes elsewhere. */
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

  it('tells the line on which each record begins', () => {
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

  it('finds how the first line ends, however long it is and whatever is enclosed in it', () => {
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

  it('takes another enclosure', () => {
    expect(read(["'it''s',\"x\"\n"], ',', "'").map(({ fields }) => fields)).toEqual([["it's", '"x"']])
  })

  it('names the line where an enclosure was opened and never closed', () => {
    expect(() => read(['a\nb,"c\nd\ne'])).toThrow(ImportFailure)
    expect(() => read(['a\nb,"c\nd\ne'])).toThrow(/^Line 2: /)
  })

  it('gives up on a record that never ends, before memory does', () => {
    expect(() => read(['x'.repeat(maxRecordLength + 1)])).toThrow(/^Line 1: /)
  })
})
