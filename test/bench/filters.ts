import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { ListDomains } from '../../src-main/workbench/hygiene/endpoints.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

export interface FilterFigures extends Latencies {
  filter: string
  found: number
  /** The first page of 100 with the total, while a client calls every 20 ms; and a page in the middle after it. */
  first_page_ms: number
  middle_page_ms: number
}

/** Times filters, a search and sort orders on a list's table. */
export async function benchFilters(rows: number): Promise<FilterFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const { data: fields } = await api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields`)
    const field = (name: string, operand: object) => [
      { type: 'custom_field', custom_field_id: fields.find((each) => each.name === name)?.id, ...operand }
    ]
    const { data: imports } = await api.get<{ id: number }[]>('/subscriber_imports')
    const questions: Record<string, object> = {
      'status is': { clause: [{ type: 'status', operator: 'is one of', statuses: ['unsubscribed'] }] },
      'email begins with': { clause: [{ type: 'email', operator: 'begins with', value: 'anna' }] },
      'email contains': { clause: [{ type: 'email', operator: 'contains', value: '77@' }] },
      'domain is': { clause: [{ type: 'domain', operator: 'is', value: 'example.org' }] },
      'subscribed in the last 7 days': {
        clause: [{ type: 'time', attribute: 'subscribe_time', operator: 'is in the last', days: 7 }]
      },
      'nothing opened or clicked for 90 days': {
        clause: [{ type: 'reaction', operator: 'is not in the last', days: 90 }]
      },
      'added by an import': {
        clause: [
          { type: 'subscriber_import', operator: 'was added by', subscriber_import_id: imports[0]?.id }
        ]
      },
      'is not suppressed': { clause: [{ type: 'suppressed', operator: 'is false' }] },
      'text contains': { clause: field('city', { operator: 'contains', value: 'zurich' }) },
      'number is between': { clause: field('age', { operator: 'is between', from: 30, to: 40 }) },
      'date is in the last 1,000 days': {
        clause: field('signup date', { operator: 'is in the last', days: 1000 })
      },
      search: { search: 'sao p' },
      'order by email': { sort: { by: 'email', descending: true } },
      'order by a text': { sort: { by: fields.find(({ name }) => name === 'city')?.id, descending: false } },
      'order by a number': { sort: { by: fields.find(({ name }) => name === 'age')?.id, descending: true } }
    }
    const figures: FilterFigures[] = []
    for (const [filter, question] of Object.entries(questions)) {
      const meanwhile = await callMeanwhile(api, list.id)
      const ask = async (page: number) => {
        const began = performance.now()
        const path = `/mailing_lists/${list.id}/subscriber_table`
        const answer = await api.workbench('POST', path, { ...question, page })
        if (!answer.success) throw new Error(answer.error_message ?? filter)
        return { took: performance.now() - began, found: answer.num_records ?? 0 }
      }
      const { took: first_page_ms, found } = await ask(0)
      const { took: middle_page_ms } = await ask(Math.floor(found / 200))
      figures.push({ filter, found, first_page_ms, middle_page_ms, ...(await meanwhile.stop()) })
    }
    const meanwhile = await callMeanwhile(api, list.id)
    const began = performance.now()
    const { data } = await api.workbench<ListDomains>('GET', `/mailing_lists/${list.id}/domains`)
    const first_page_ms = performance.now() - began
    const domains = { found: data.total, first_page_ms, middle_page_ms: Number.NaN }
    figures.push({ filter: 'domains of the list', ...domains, ...(await meanwhile.stop()) })
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}
