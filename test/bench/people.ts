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

/** Writes a file of people that is the same on every machine. Addresses come in no order, as in a real export. */
export async function writePeople(path: string, rows: number): Promise<void> {
  const random = seededRandom(20_261_121)
  const pick = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? ''
  const file = createWriteStream(path)
  file.write(`${columns.join(',')}\n`)
  for (let row = 0; row < rows;) {
    let text = ''
    for (const end = Math.min(rows, row + 5000); row < end; row++) {
      const [first, last] = [pick(firstNames), pick(lastNames)]
      const name = Math.floor(random() * 36 ** 5).toString(36)
      const day = new Date(Date.UTC(2015, 0, 1 + Math.floor(random() * 4000))).toISOString().slice(0, 10)
      const age = 18 + Math.floor(random() * 70)
      text += `${first.toLowerCase()}.${name}${row}@example.com,${first},${last},${pick(cities)},${day},${age}\n`
    }
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
