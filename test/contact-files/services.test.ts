import { describe, expect, it } from 'vitest'
import { analyzed, type AnalyzedFile } from './read-file.ts'
import { damages } from './damage.ts'
import { serviceExports, type ServiceExport } from './services.ts'

/** What an import would make of the rows, as far as the export says it; blank lines have no address. */
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

/** No one may become active who opted out. */
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
