import { expect, it } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { expectSuccess, makeList } from '../support/builders.ts'

const started = sharedApplication()

it('an import that is paused and continued at once ends with all of its rows', async () => {
  const { api } = started
  const list = await makeList(api)
  const rows = 40_000
  const content = Array.from({ length: rows }, (_, row) => `p${row}@example.com\n`).join('')
  const { id } = expectSuccess(
    await api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        file_format: { csv_has_headers: false },
        file_source: { type: 'json', content }
      }
    })
  )
  const imported = async () =>
    expectSuccess(await api.get<SubscriberImport>(`/subscriber_imports/${id}`)).stats.records_imported
  await expect.poll(imported, { interval: 5, timeout: 20_000 }).toBeGreaterThan(0)
  await api.post(`/subscriber_imports/${id}/pause`)
  await api.post(`/subscriber_imports/${id}/unpause`)
  expect(await api.imported(id)).toMatchObject({
    state: 'finished',
    stats: { number_of_records: rows, records_imported: rows, subscribers: { added: rows } }
  })
})
