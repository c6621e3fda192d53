import { createCustomField } from '../../api/custom-fields.ts'
import { createMailingList, type MailingList } from '../../api/mailing-lists.ts'
import { startImport } from '../../api/subscriber-imports.ts'

const people = 500
const dayMs = 86_400_000

const firstNames =
  'Anna Ben Clara David Elena Felix Grace Hugo Ines Jonas Karla Liam Maria Noah Olivia Paul Rosa'
const lastNames =
  'Adams Bauer Costa Dubois Evans Fischer Garcia Huber Jensen Kowalski Moreau Novak Patel Rossi'
const cities = 'Amsterdam Berlin Copenhagen Dublin Lisbon Madrid Paris Vienna'.split(' ')
const statuses = [...Array<string>(8).fill('active'), 'unsubscribed', 'bounced']

/** Creates a list of fictional subscribers with addresses that cannot receive mail, and starts to fill it. */
export async function makeSampleList(name: string): Promise<MailingList> {
  const list = await createMailingList({ name })
  await createCustomField(list.id, { name: 'First name', field_type: 'text' })
  await createCustomField(list.id, { name: 'Last name', field_type: 'text' })
  await createCustomField(list.id, {
    name: 'City',
    field_type: 'select_single_dropdown',
    options: cities.map((city) => ({ name: city }))
  })
  await createCustomField(list.id, { name: 'Birthday', field_type: 'date' })
  await createCustomField(list.id, { name: 'Orders', field_type: 'number' })
  await startImport(list.id, {
    column_mapping: [
      'email',
      'status',
      'subscribe_time',
      'First name',
      'Last name',
      'City',
      'Birthday',
      'Orders'
    ],
    file_source: { type: 'json', content: sampleRows(Date.now()) },
    file_format: { csv_has_headers: false }
  })
  return list
}

/**
 * Returns the sample subscribers as CSV. The index is multiplied by a different number for each property, without common factors, so
 * that no two properties correlate.
 */
function sampleRows(now: number): string {
  const pick = (from: string[], number: number): string => from[number % from.length] ?? ''
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  const rows = Array.from({ length: people }, (_, number) => {
    const first = pick(firstNames.split(' '), number * 7)
    const last = pick(lastNames.split(' '), number * 5 + Math.floor(number / 17))
    return [
      `${first}.${last}.${number + 1}@example.${pick(['com', 'org', 'net'], number)}`.toLowerCase(),
      pick(statuses, number * 3 + Math.floor(number / 10)),
      dayOf(now - (((number * 137) % 730) + 1) * dayMs),
      first,
      last,
      pick(cities, number * 11 + Math.floor(number / 8)),
      dayOf(Date.UTC(1955, 0, 1) + ((number * 7919) % 18_000) * dayMs),
      String((number * 29) % 41)
    ].join(',')
  })
  return rows.join('\n')
}
