import { decodeText } from './text.ts'
import type { RowListener } from './open.ts'

const columns = [
  'Email',
  'First name',
  'Last name',
  'Name',
  'Email 2',
  'Phone',
  'Phone 2',
  'Company',
  'Job title',
  'Street',
  'City',
  'Zip',
  'State',
  'Country',
  'Birthday',
  'Website',
  'Notes',
  'Tags'
] as const
type ColumnName = (typeof columns)[number]

/** A property of a card: EMAIL;TYPE=HOME:anna@example.org */
interface Property {
  name: string
  parameters: string[]
  value: string
}

/**
 * Reads vCards 2.1, 3.0 and 4.0 (RFC 6350) as rows; the first row has the column names.
 * @param listener receives the line after BEGIN:VCARD
 * @returns true if all cards were read
 */
export async function readVcards(
  path: string,
  characterSet: string,
  listener: RowListener
): Promise<boolean> {
  if (!listener([...columns], 1)) return false
  let card: Property[] | null = null
  let begin = 0
  for await (const { text, line } of unfoldedLines(path, characterSet)) {
    if (/^BEGIN:VCARD\s*$/i.test(text)) {
      card = []
      begin = line
    } else if (/^END:VCARD\s*$/i.test(text)) {
      if (card && !listener(rowOf(card), begin + 1)) return false
      card = null
    } else {
      const property = propertyOf(text)
      if (property) card?.push(property)
    }
  }
  return true
}

/** Joins continued lines: they begin with white space, or follow a = of quoted-printable. */
async function* unfoldedLines(
  path: string,
  characterSet: string
): AsyncGenerator<{ text: string; line: number }> {
  let pieces: string[] = []
  let isQuoted = false
  let begin = 1
  let line = 0
  for await (const raw of linesOf(path, characterSet)) {
    line++
    const last = pieces.at(-1)
    if (last !== undefined && isQuoted && last.endsWith('=')) {
      pieces[pieces.length - 1] = last.slice(0, -1)
      pieces.push(raw)
    } else if (last !== undefined && /^[ \t]/.test(raw)) pieces.push(raw.slice(1))
    else {
      if (last !== undefined) yield { text: pieces.join(''), line: begin }
      pieces = [raw]
      isQuoted = /QUOTED-PRINTABLE/i.test(raw)
      begin = line
    }
  }
  if (pieces.length > 0) yield { text: pieces.join(''), line: begin }
}

async function* linesOf(path: string, characterSet: string): AsyncGenerator<string> {
  let rest = ''
  for await (const text of decodeText(path, characterSet)) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest.replace(/\r$/, '')
}

function propertyOf(line: string): Property | null {
  const match = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:[^":;]|"[^"]*")*)*):([^]*)$/.exec(line)
  if (!match) return null
  const parameters = (match[2] ?? '').split(';').slice(1)
  const isQuoted = parameters.some((each) => /QUOTED-PRINTABLE/i.test(each))
  const charset = parameters.find((each) => /^CHARSET=/i.test(each))?.slice('CHARSET='.length) ?? 'utf-8'
  const value = match[3] ?? ''
  return {
    name: (match[1] ?? '').toUpperCase(),
    parameters: parameters.map((each) => each.toLowerCase()),
    value: isQuoted ? quotedPrintable(value, charset) : value
  }
}

function quotedPrintable(text: string, charset: string): string {
  const bytes: number[] = []
  for (const part of text.split(/(=[0-9a-f]{2})/i)) {
    if (/^=[0-9a-f]{2}$/i.test(part)) bytes.push(Number.parseInt(part.slice(1), 16))
    else bytes.push(...Buffer.from(part))
  }
  try {
    return new TextDecoder(charset).decode(Uint8Array.from(bytes))
  } catch {
    // A card may name a character set that does not exist; its letters are most likely UTF-8.
    return new TextDecoder().decode(Uint8Array.from(bytes))
  }
}

function rowOf(card: readonly Property[]): string[] {
  const row = new Map<ColumnName, string>()
  const add = (column: ColumnName, value: string): void => {
    if (value !== '' && !row.has(column)) row.set(column, value)
  }
  const all = (name: string): Property[] =>
    card.filter((each) => each.name === name).toSorted((a, b) => preference(b) - preference(a))
  const parts = (name: string): string[] => partsOf(all(name)[0]?.value ?? '')
  const [family = '', given = ''] = parts('N')
  add('First name', given)
  add('Last name', family)
  add('Name', unescapeText(all('FN')[0]?.value ?? ''))
  const emails = all('EMAIL').map(({ value }) => unescapeText(value).replace(/^mailto:/i, ''))
  add('Email', emails[0] ?? '')
  add('Email 2', emails[1] ?? '')
  const phones = all('TEL').map(({ value }) => unescapeText(value).replace(/^tel:/i, ''))
  add('Phone', phones[0] ?? '')
  add('Phone 2', phones[1] ?? '')
  add('Company', parts('ORG')[0] ?? '')
  add('Job title', unescapeText(all('TITLE')[0]?.value ?? ''))
  const [, , street = '', city = '', state = '', zip = '', country = ''] = parts('ADR')
  add('Street', street)
  add('City', city)
  add('State', state)
  add('Zip', zip)
  add('Country', country)
  add('Birthday', birthdayOf(all('BDAY')[0]?.value ?? ''))
  add('Website', unescapeText(all('URL')[0]?.value ?? ''))
  add('Notes', unescapeText(all('NOTE')[0]?.value ?? ''))
  add(
    'Tags',
    all('CATEGORIES')
      .map(({ value }) => unescapeText(value))
      .join(',')
  )
  return columns.map((column) => row.get(column) ?? '')
}

function preference({ parameters }: Property): number {
  return parameters.some((each) => each === 'pref' || /^type=.*\bpref\b/.test(each) || /^pref=1$/.test(each))
    ? 1
    : 0
}

/** Splits a structured value and unescapes its parts. */
function partsOf(value: string): string[] {
  return [...value.matchAll(/((?:\\[^]|[^;])*)(?:;|$)/g)].map(([, part = '']) => unescapeText(part))
}

function unescapeText(value: string): string {
  return value
    .replaceAll(/\\([nN,;:\\])/g, (_, sign: string) => (sign.toLowerCase() === 'n' ? '\n' : sign))
    .trim()
}

/** One address book writes 1604 for an unknown year. */
function birthdayOf(value: string): string {
  const day = value.replace(/T.*$/, '')
  const unknownYear = /^1604-?(\d\d)-?(\d\d)$/.exec(day)
  if (unknownYear) return `--${unknownYear[1]}-${unknownYear[2]}`
  // The basic format of ISO 8601, in which vCard 4.0 writes days (RFC 6350, section 4.3.1).
  return day.replace(/^(\d{4}|--)(\d\d)(\d\d)$/, (_, year: string, month: string, rest: string) =>
    year === '--' ? `--${month}-${rest}` : `${year}-${month}-${rest}`
  )
}
