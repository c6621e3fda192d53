import { describe, expect, it } from 'vitest'
import { seededRandom } from '../support/random.ts'
import { isoDay, type Language, type Person, programs } from './programs.ts'
import { analyzed } from './read-file.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const filesEach = 7

const names: Record<Language, { first: string[]; last: string[] }> = {
  en: {
    first: ['Anna', 'Zoë', 'Liam', 'Mary Jane', 'Chloé', "D'Arcy", 'Bob'],
    last: ['Smith', 'O’Neil', 'Brontë', 'van Dyke', 'Jones, Jr.', 'Null', 'True']
  },
  de: {
    first: ['Jürgen', 'Käthe', 'Björn', 'Anna-Lena', 'Götz', 'Änne', 'Max'],
    last: ['Groß', 'Müller-Lüdenscheidt', 'von der Höhe', 'Weiß', 'Ja', 'Öhm', 'Schmidt; Söhne']
  },
  cs: {
    first: ['Jiří', 'Žofie', 'Ondřej', 'Štěpán', 'Růžena', 'Eliška', 'Petr'],
    last: ['Dvořák', 'Nováková', 'Šťastný', 'Černý', 'Procházková', 'Kučera', 'Ježek']
  }
}
const notes = [
  '',
  '',
  'met in May',
  'likes "red", not blue',
  'two\nlines',
  'a; b, c',
  '=1+1',
  'x'.repeat(300),
  '100 %'
]

function peopleOf(random: () => number, language: Language): Person[] {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value
  return Array.from({ length: 8 + Math.floor(random() * 20) }, (_, index) => ({
    first: pick(names[language].first),
    last: pick(names[language].last),
    email: `person${index}@${pick(['example.org', 'mail.example.com', 'sub.example.net'])}`,
    zip: String(1000 + Math.floor(random() * 98_999)).padStart(5, '0'),
    // The first two show in which order days and months stand.
    born: index === 0 ? 31_150 : index === 1 ? 32_500 : 18_264 + Math.floor(random() * 20_000),
    wantsNews: index < 2 ? index === 0 : random() < 0.6,
    notes: pick(notes),
    score: Math.floor(random() * 1000)
  }))
}

/**
 * Notes as written by a program without line breaks in cells, without outer spaces, which tidying removes.
 */
const comparable = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

describe(`files as six spreadsheet and mail programs write them (SEED=${seed})`, () => {
  for (const { name, languages, write } of programs) {
    it.each(languages)(`${name}, in %s, come in right`, async (language) => {
      for (let file = 0; file < filesEach; file++) {
        const random = seededRandom(seed + file * 1009)
        const people = peopleOf(random, language)
        const { name: filename, content, columns } = write(people, language)

        const { rows } = await analyzed(content, { name: filename })

        expect(
          rows.map((row) => ({
            email: row['email'],
            fault: row['fault'] ?? null,
            first: row[columns.first],
            zip: row[columns.zip],
            notes: comparable(row[columns.notes] ?? ''),
            ...(columns.born !== null && { born: row[columns.born] }),
            ...(columns.news !== null && { status: row['status'] }),
            ...(columns.score !== null && { score: row[columns.score] })
          })),
          `file ${file}`
        ).toEqual(
          people.map((person) => ({
            email: person.email,
            fault: null,
            first: person.first,
            zip: person.zip,
            notes: comparable(person.notes),
            ...(columns.born !== null && { born: isoDay(person.born) }),
            ...(columns.news !== null && { status: person.wantsNews ? 'active' : 'unsubscribed' }),
            ...(columns.score !== null && { score: String(person.score) })
          }))
        )
      }
    })
  }
})
