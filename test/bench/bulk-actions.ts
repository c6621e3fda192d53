import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BulkAction } from '../../src-main/api/bulk-actions/schema.ts'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { act, select, undo } from '../support/bulk-actions.ts'
import { expectSuccess, makeList } from '../support/builders.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

export interface BulkFigures extends Latencies {
  action: string
  subscribers: number
  seconds: number
  per_second: number
}

/**
 * Times bulk actions and their undo on subscribers whose email contains an a, while a client calls every 20
 * ms.
 */
export async function benchBulkActions(rows: number): Promise<BulkFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const other = await makeList(api)
    const { data: fields } = await api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields`)
    const suppression = expectSuccess(
      await api.post<SuppressionList>('/suppression_lists', { suppression_list: { name: 'Bench' } })
    )
    const figures: BulkFigures[] = []
    const measure = async (action: string, work: () => Promise<number>): Promise<void> => {
      const meanwhile = await callMeanwhile(api, list.id)
      const began = performance.now()
      const subscribers = await work()
      const seconds = (performance.now() - began) / 1000
      figures.push({
        action,
        subscribers,
        seconds,
        per_second: subscribers / seconds,
        ...(await meanwhile.stop())
      })
    }
    const clause = [{ type: 'email', operator: 'contains', value: 'a' }]
    await measure('select', async () => (await select(api, list.id, { clause })).subscribers)
    const actions: Record<string, object> = {
      'set the status': { kind: 'set_status', status: 'deactivated' },
      'set a field': {
        kind: 'set_field',
        custom_field_id: fields.find(({ name }) => name === 'city')?.id,
        value: 'Nowhere'
      },
      suppress: { kind: 'suppress', suppression_list_id: suppression.id },
      copy: { kind: 'copy', mailing_list_id: other.id },
      move: { kind: 'move', mailing_list_id: other.id },
      delete: { kind: 'delete' }
    }
    for (const [name, settings] of Object.entries(actions)) {
      const chosen = await select(api, list.id, { clause })
      let action: BulkAction | undefined
      await measure(name, async () => (action = await act(api, chosen, { ...settings })).changed)
      await measure(`undo: ${name}`, async () => (await undo(api, action?.id ?? 0)).restored)
    }
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}
