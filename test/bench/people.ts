import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { seededRandom } from '../support/random.ts'

export const columns = ['email', 'first name', 'last name', 'city', 'signup date', 'age'] as const

const firstNames = [
  'Anna',
  'Ben',
  'Clara',
  'Dario',
  'Eva',
  'Finn',
  'Greta',
  'Hugo',
  'Ida',
  'Jonas',
  'Klara',
  'Leo'
]
const lastNames = [
  'Weber',
  'Schmidt',
  'Rossi',
  'Novak',
  'Dubois',
  'Larsen',
  'García',
  'Silva',
  'Kowalski',
  'Meyer'
]
const cities = [
  'Berlin',
  'Wien',
  'Zürich',
  'Milano',
  'Paris',
  'Praha',
  'Oslo',
  'Lisboa',
  'São Paulo',
  'Den Haag'
]

/** The names of so many further columns, of texts. */
export function furtherColumns(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `field ${number + 1}`)
}

/**
 * Writes a file of contacts that is the same on every machine. Addresses are unsorted, as in a real export.
 * @param further additional text columns
 * @param older years added to each age
 * @returns the address of every thousandth row
 */
export async function writePeople(path: string, rows: number, further = 0, older = 0): Promise<string[]> {
  const random = seededRandom(20_261_121)
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? ''
  const file = createWriteStream(path)
  file.write(`${[...columns, ...furtherColumns(further)].join(',')}\n`)
  const sample: string[] = []
  for (let row = 0; row < rows;) {
    let text = ''
    for (const end = Math.min(rows, row + 5000); row < end; row++) {
      const [first, last] = [pick(firstNames), pick(lastNames)]
      const name = Math.floor(random() * 36 ** 5).toString(36)
      const day = new Date(Date.UTC(2015, 0, 1 + Math.floor(random() * 4000))).toISOString().slice(0, 10)
      const age = 18 + older + Math.floor(random() * 70)
      const email = `${first.toLowerCase()}.${name}${row}@example.com`
      if (row % 1000 === 0) sample.push(email)
      text += `${email},${first},${last},${pick(cities)},${day},${age}`
      for (let column = 0; column < further; column++) text += `,text ${Math.floor(random() * 10_000)}`
      text += '\n'
    }
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return sample
}
