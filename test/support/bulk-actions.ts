import { setTimeout as pause } from 'node:timers/promises'
import type { BulkAction, Selection } from '../../src-main/api/bulk-actions/schema.ts'
import { expectSuccess } from './builders.ts'
import type { Client } from './client.ts'

/** Stores a selection like the window; default: the whole list. */
export async function select(
  api: Client,
  listId: number,
  choice: Record<string, unknown> = {}
): Promise<Selection> {
  return expectSuccess(await api.workbench('POST', `/mailing_lists/${listId}/selections`, choice))
}

/** Does something to a selection and waits for the end. */
export async function act(
  api: Client,
  selection: Selection,
  action: Record<string, unknown>
): Promise<BulkAction> {
  const begun = await api.workbench<BulkAction>('POST', `/selections/${selection.id}/bulk_actions`, action)
  return bulkActionEnded(api, expectSuccess(begun).id)
}

/** Undoes an action and waits for the end. */
export async function undo(api: Client, id: number): Promise<BulkAction> {
  expectSuccess(await api.workbench<BulkAction>('POST', `/bulk_actions/${id}/undo`))
  return bulkActionEnded(api, id)
}

/** Waits until an action or its undoing has ended, whatever its end is. */
export async function bulkActionEnded(api: Client, id: number): Promise<BulkAction> {
  for (;;) {
    const action = expectSuccess(await api.workbench<BulkAction>('GET', `/bulk_actions/${id}`))
    if (action.state !== 'running' && action.state !== 'undoing') return action
    await pause(10)
  }
}
