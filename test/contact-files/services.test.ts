import { describe, expect, it } from 'vitest'
import { analyzed, type AnalyzedFile } from './read-file.ts'
import { damages } from './damage.ts'
import { serviceExports, type ServiceExport } from './services.ts'

/**
 * Returns the subscribers that an import would create, as far as the export contains them; blank lines have
 * no address.
 */
function peopleIn({ rows }: AnalyzedFile, { people }: ServiceExport): ServiceExport['people'] {
  return rows
    .filter(({ email }) => email !== '')
    .map((row, index) => {
      const lowerCased = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
      const values = people[index]?.values
      return {
        email: row['email'] ?? '',
        status: people[index]?.status === '' && !row['fault'] ? '' : (row['status'] ?? ''),
        ...(values && {
          values: Object.fromEntries(
            Object.keys(values).map((name) => [name, lowerCased.get(name.toLowerCase()) ?? 'missing'])
          )
        })
      }
    })
}

/** A contact who opted out must never become active. */
function statusesOf({ rows }: AnalyzedFile): (string | null)[] {
  return rows.filter(({ email }) => email !== '').map((row) => row['status'] ?? null)
}

describe.each(serviceExports)('an export of $service', (exported) => {
  it.each(damages)('comes in right $name', async ({ write }) => {
    const file = await analyzed(write(exported.rows))

    expect(peopleIn(file, exported)).toEqual(exported.people)
    expect(file.rows.flatMap(({ email, fault }) => (email !== '' && fault ? [fault] : []))).toEqual([])
    for (const [index, { status }] of exported.people.entries()) {
      if (status === '') expect([null, '', 'active']).toContain(statusesOf(file)[index])
    }
  })
})
