import { describe, expect, it } from 'vitest'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importText, makeField, makeList } from '../support/builders.ts'
import { seededRandom } from '../support/random.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const rows = 30_000

/** Addresses in no order: some twice, in another spelling the second time, and some that are none. */
function mixedFile(): string[] {
  const random = seededRandom(seed)
  return Array.from({ length: rows }, (_, row) => {
    const number = Math.floor(random() * rows)
    if (number % 50 === 0) return `nobody${row}`
    return number % 2 === 0 ? `p${number}@example.com` : `P${number}@Example.com`
  })
}

describe(`a large file, whose rows are written in the order of their keys (SEED=${seed})`, () => {
  it('has logs in the order of the file, and of rows with the same key the first wins', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Row', 'number')
    const file = mixedFile()
    const content = file.map((email, row) => `${email},${row}`).join('\n')
    const { id, stats } = await importText(started.api, list.id, content, {
      column_mapping: ['email', 'Row'],
      file_format: { csv_has_headers: false }
    })
    const firstRows = new Map<string, number>()
    for (const [row, email] of file.entries()) {
      const key = email.toLowerCase()
      if (email.includes('@') && !firstRows.has(key)) firstRows.set(key, row)
    }
    const isFirst = (email: string, row: number): boolean => firstRows.get(email.toLowerCase()) === row
    const log = async (name: string): Promise<string[]> => {
      const response = await started.api.raw(`/ga/api/v2/subscriber_imports/${id}/logs/${name}`)
      return (await response.text()).trimEnd().split('\n')
    }
    expect(await log('added')).toEqual(file.filter(isFirst))
    expect(await log('skipped_duplicate')).toEqual(
      file.filter((email, row) => email.includes('@') && !isFirst(email, row))
    )
    expect(
      (await log('failed')).map((line) => /^nobody\d+,(\d+),"?line (\d+): email/.exec(line)?.slice(1))
    ).toEqual(file.flatMap((email, row) => (email.includes('@') ? [] : [[String(row), String(row + 1)]])))
    expect(stats).toMatchObject({ number_of_records: rows, records_imported: rows })
    const subscribers = await allSubscribers(started.api, list.id)
    expect(
      new Map(
        subscribers.map(({ email, custom_fields }) => [email.toLowerCase(), custom_fields['Row']?.value])
      )
    ).toEqual(firstRows)
  })

  it('goes by the order of the file where the organization has a limit: the first rows are added', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 10_000 })
    const api = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(api)
    const file = Array.from({ length: rows }, (_, row) => `p${(row * 7919) % rows}@example.com`)
    const { stats } = await importText(api, list.id, file.join('\n'), {
      file_format: { csv_has_headers: false }
    })
    expect(stats.subscribers).toMatchObject({ added: 10_000, skipped_over_limit: rows - 10_000 })
    expect((await allSubscribers(api, list.id)).map(({ email }) => email)).toEqual(file.slice(0, 10_000))
  })
})
