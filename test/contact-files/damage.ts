import { encode } from './encode.ts'

/** What a program or user does to a file before it arrives. */
export interface Damage {
  name: string
  write: (rows: string[][]) => string | Uint8Array
}

function csv(rows: string[][], separator = ',', lineBreak = '\n', quotesAll = false): string {
  const special = new RegExp(`[${separator === '|' ? '\\|' : separator}"\r\n]`)
  const cell = (text: string): string =>
    quotesAll || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  return rows.map((row) => row.map(cell).join(separator) + lineBreak).join('')
}

const utf16 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'))
const csvLines = (rows: string[][]): string[] => rows.map((row) => csv([row]).trimEnd())
const columns = (rows: string[][]): number => rows[0]?.length ?? 1

/** Each leaves the same people in the file. */
export const damages: Damage[] = [
  { name: 'as it is', write: (rows) => csv(rows) },
  { name: 'with a byte order mark and CRLF', write: (rows) => `\ufeff${csv(rows, ',', '\r\n')}` },
  { name: 'with old line breaks', write: (rows) => csv(rows, ',', '\r') },
  { name: 'with semicolons', write: (rows) => csv(rows, ';', '\r\n') },
  { name: 'with tabs, in UTF-16', write: (rows) => utf16(csv(rows, '\t', '\r\n')) },
  { name: 'with pipes', write: (rows) => csv(rows, '|') },
  { name: 'with everything enclosed', write: (rows) => csv(rows, ',', '\n', true) },
  {
    name: 'with each line enclosed as a whole',
    write: (rows) =>
      csv(
        csvLines(rows).map((line) => [line]),
        ',',
        '\r\n',
        true
      )
  },
  {
    name: 'with each line but the first enclosed as a whole',
    write: (rows) => {
      const [first = '', ...rest] = csvLines(rows)
      return `${first}\n${csv(
        rest.map((line) => [line]),
        ',',
        '\n',
        true
      )}`
    }
  },
  { name: 'in Windows-1252', write: (rows) => encode(csv(rows, ';', '\r\n'), 'windows-1252') },
  { name: 'with the line sep=', write: (rows) => `sep=;\r\n${csv(rows, ';', '\r\n')}` },
  { name: 'under a title', write: (rows) => `Export of our contacts\n\n${csv(rows)}` },
  {
    name: 'under a title as wide as the table',
    write: (rows) => csv([['Contacts', ...(rows[0]?.slice(1).map(() => '') ?? [])], ...rows], ';')
  },
  {
    name: 'with a separator at the end of each line',
    write: (rows) =>
      csv(
        rows.map((row) => [...row, '']),
        ';'
      )
  },
  { name: 'with padded cells', write: (rows) => csv(rows.map((row) => row.map((cell) => ` ${cell} `))) },
  { name: 'with blank lines', write: (rows) => csv(rows).replaceAll('\n', '\n\n') },
  {
    name: 'with lines of separators at its end',
    write: (rows) => csv(rows, ';') + `${';'.repeat(columns(rows) - 1)}\n`.repeat(3)
  },
  {
    name: 'with capital headers',
    write: (rows) => csv([rows[0]?.map((cell) => cell.toUpperCase()) ?? [], ...rows.slice(1)])
  }
]
