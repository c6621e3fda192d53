import { encode } from './encode.ts'
import { odsOf, type SheetCell, xlsxOf } from './spreadsheets.ts'

// How spreadsheet and mail programs write a table of people, each by its own rules.

export type Language = 'en' | 'de' | 'cs'

/** A made-up person of a table. */
export interface Person {
  first: string
  last: string
  email: string
  zip: string
  /** Days since 1899-12-30, as spreadsheets count. */
  born: number
  wantsNews: boolean
  notes: string
  score: number
}

/** A file of a program, and the names of its columns for what a person has; null where the program does not write it. */
export interface ProgramFile {
  name: string
  content: string | Uint8Array
  columns: {
    first: string
    zip: string
    born: string | null
    news: string | null
    notes: string
    score: string | null
  }
}

interface Program {
  name: string
  languages: readonly Language[]
  write: (people: readonly Person[], language: Language) => ProgramFile
}

const words = {
  en: {
    columns: {
      first: 'First Name',
      last: 'Last Name',
      email: 'Email',
      zip: 'ZIP',
      born: 'Birthday',
      news: 'Newsletter',
      notes: 'Notes',
      score: 'Score'
    },
    truth: ['TRUE', 'FALSE'],
    separator: ',',
    codePage: 'windows-1252'
  },
  de: {
    columns: {
      first: 'Vorname',
      last: 'Nachname',
      email: 'E-Mail',
      zip: 'PLZ',
      born: 'Geburtstag',
      news: 'Newsletter',
      notes: 'Notizen',
      score: 'Punkte'
    },
    truth: ['WAHR', 'FALSCH'],
    separator: ';',
    codePage: 'windows-1252'
  },
  cs: {
    columns: {
      first: 'First Name',
      last: 'Last Name',
      email: 'E-mail',
      zip: 'PSČ',
      born: 'Birthday',
      news: 'Newsletter',
      notes: 'Notes',
      score: 'Score'
    },
    truth: ['true', 'false'],
    separator: ';',
    codePage: 'windows-1250'
  }
} as const

function dayOf(born: number): { day: number; month: number; year: number } {
  const date = new Date(Date.UTC(1899, 11, 30) + born * 86_400_000)
  return { day: date.getUTCDate(), month: date.getUTCMonth() + 1, year: date.getUTCFullYear() }
}

/** A day as a spreadsheet shows it in a country. */
function shownDay(born: number, language: Language): string {
  const { day, month, year } = dayOf(born)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (language === 'en') return `${month}/${day}/${year}`
  return language === 'de' ? `${two(day)}.${two(month)}.${year}` : `${day}. ${month}. ${year}`
}

export function isoDay(born: number): string {
  return new Date(Date.UTC(1899, 11, 30) + born * 86_400_000).toISOString().slice(0, 10)
}

function shownTable(people: readonly Person[], language: Language): string[][] {
  const { columns, truth } = words[language]
  return [
    Object.values(columns),
    ...people.map(({ first, last, email, zip, born, wantsNews, notes, score }) => [
      first,
      last,
      email,
      zip,
      shownDay(born, language),
      wantsNews ? truth[0] : truth[1],
      notes,
      String(score)
    ])
  ]
}

function typedTable(people: readonly Person[], language: Language): SheetCell[][] {
  return [
    Object.values(words[language].columns),
    ...people.map(({ first, last, email, zip, born, wantsNews, notes, score }): SheetCell[] => [
      first,
      last,
      email,
      zip,
      { date: born },
      wantsNews,
      notes,
      score
    ])
  ]
}

function delimited(
  rows: readonly (readonly string[])[],
  {
    separator = ',',
    lineBreak = '\r\n',
    encloses = 'special'
  }: { separator?: string; lineBreak?: string; encloses?: 'special' | 'texts' | 'all' } = {}
): string {
  const isSpecial = (cell: string): boolean => cell.includes(separator) || /["\r\n]/.test(cell)
  const isText = (cell: string): boolean => cell !== '' && !/^-?\d+$/.test(cell)
  const cellOf = (cell: string): string =>
    encloses === 'all' || isSpecial(cell) || (encloses === 'texts' && isText(cell))
      ? `"${cell.replaceAll('"', '""')}"`
      : cell
  return rows.map((row) => row.map(cellOf).join(separator) + lineBreak).join('')
}

const utf16 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'))

const outlookColumns = {
  en: [
    'Title',
    'First Name',
    'Last Name',
    'Company',
    'Business Postal Code',
    'Notes',
    'E-mail Address',
    'E-mail Type',
    'E-mail 2 Address',
    'Mileage'
  ],
  de: [
    'Anrede',
    'Vorname',
    'Nachname',
    'Firma',
    'Postleitzahl geschäftlich',
    'Notizen',
    'E-Mail-Adresse',
    'E-Mail-Typ',
    'E-Mail 2: Adresse',
    'Reisekilometer'
  ]
} as const

const thunderbirdColumns = {
  en: [
    'First Name',
    'Last Name',
    'Display Name',
    'Nickname',
    'Primary Email',
    'Secondary Email',
    'Home ZipCode',
    'Notes'
  ],
  de: [
    'Vorname',
    'Nachname',
    'Anzeigename',
    'Spitzname',
    'Primäre E-Mail-Adresse',
    'Sekundäre E-Mail-Adresse',
    'PLZ privat',
    'Notizen'
  ]
} as const

function cardLine(line: string): string {
  const parts = line.match(/.{1,60}/gsu) ?? ['']
  return `${parts.join('\r\n ')}\r\n`
}

const cardValue = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(/([,;])/g, '\\$1')
    .replaceAll('\n', '\\n')

export const programs: Program[] = [
  {
    name: 'Excel, CSV in the code page of the country',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'Book1.csv',
      content: encode(
        delimited(shownTable(people, language), { separator: words[language].separator }),
        words[language].codePage
      ),
      columns: words[language].columns
    })
  },
  {
    name: 'Excel, CSV UTF-8',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'Book1.csv',
      content: `\ufeff${delimited(shownTable(people, language), { separator: words[language].separator })}`,
      columns: words[language].columns
    })
  },
  {
    name: 'Excel, Unicode text',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'Book1.txt',
      content: utf16(delimited(shownTable(people, language), { separator: '\t' })),
      columns: words[language].columns
    })
  },
  {
    name: 'Excel, a workbook',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'Book1.xlsx',
      content: xlsxOf({ Sheet1: typedTable(people, language) }),
      columns: words[language].columns
    })
  },
  {
    name: 'Calc, CSV with texts enclosed',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'people.csv',
      content: delimited(shownTable(people, language), { lineBreak: '\n', encloses: 'texts' }),
      columns: words[language].columns
    })
  },
  {
    name: 'Calc, a spreadsheet',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'people.ods',
      content: odsOf({ Sheet1: typedTable(people, language) }),
      columns: words[language].columns
    })
  },
  {
    name: 'Google Sheets, CSV',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'people - Sheet1.csv',
      // Without a line break at its end.
      content: delimited(shownTable(people, language)).replace(/\r\n$/, ''),
      columns: words[language].columns
    })
  },
  {
    name: 'Google Sheets, TSV',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => ({
      name: 'people - Sheet1.tsv',
      // Line breaks and tabs inside cells become spaces, and nothing is enclosed.
      content: shownTable(people, language)
        .map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]/g, ' ')).join('\t'))
        .join('\r\n'),
      columns: words[language].columns
    })
  },
  {
    name: 'Numbers, CSV with the name of the table',
    languages: ['en', 'de', 'cs'],
    write: (people, language) => {
      const rows = shownTable(people, language)
      const title = ['Table 1', ...(rows[0]?.slice(1).map(() => '') ?? [])]
      const separator = words[language].separator
      return {
        name: 'people-Table 1.csv',
        content: delimited([title, ...rows], { separator, lineBreak: '\r\n' }),
        columns: words[language].columns
      }
    }
  },
  {
    name: 'Outlook, CSV',
    languages: ['en', 'de'],
    write: (people, language) => {
      const header = outlookColumns[language === 'de' ? 'de' : 'en']
      const rows = people.map(({ first, last, email, zip, notes }) => [
        '',
        first,
        last,
        '',
        zip,
        notes.replaceAll('\n', '\r\n'),
        email,
        'SMTP',
        '',
        ''
      ])
      return {
        name: 'contacts.CSV',
        content: encode(delimited([header, ...rows], { encloses: 'all' }), 'windows-1252'),
        columns: { first: header[1], zip: header[4], notes: header[5], born: null, news: null, score: null }
      }
    }
  },
  {
    name: 'Thunderbird, CSV',
    languages: ['en', 'de'],
    write: (people, language) => {
      const header = thunderbirdColumns[language === 'de' ? 'de' : 'en']
      const rows = people.map(({ first, last, email, zip, notes }) => [
        first,
        last,
        `${first} ${last}`,
        '',
        email,
        '',
        zip,
        notes
      ])
      return {
        name: 'Personal Address Book.csv',
        content: delimited([header, ...rows], { lineBreak: '\n' }),
        columns: { first: header[0], zip: header[6], notes: header[7], born: null, news: null, score: null }
      }
    }
  },
  {
    name: 'Thunderbird, vCards',
    languages: ['en', 'de', 'cs'],
    write: (people) => ({
      name: 'Personal Address Book.vcf',
      content: people
        .map(({ first, last, email, zip, notes, born }) =>
          [
            'BEGIN:VCARD',
            'VERSION:4.0',
            `N:${cardValue(last)};${cardValue(first)};;;`,
            `FN:${cardValue(`${first} ${last}`)}`,
            `EMAIL;PREF=1:${email}`,
            `ADR:;;;;;${zip};`,
            `BDAY;VALUE=DATE:${isoDay(born).replaceAll('-', '')}`,
            `NOTE:${cardValue(notes)}`,
            'END:VCARD'
          ]
            .map(cardLine)
            .join('')
        )
        .join(''),
      columns: { first: 'First name', zip: 'Zip', notes: 'Notes', born: 'Birthday', news: null, score: null }
    })
  }
]
