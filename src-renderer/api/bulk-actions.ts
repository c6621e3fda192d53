import type {
  BulkAction,
  BulkActionInput,
  BulkActionKind,
  Selection
} from '../../src-main/api/bulk-actions/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { bulkActionEndpoints } from '../../src-main/workbench/endpoints/bulk-actions.ts'
import { type Page, windowCalls } from './client.ts'
import type { NewExport, SubscriberExport } from './subscriber-exports.ts'

export type { BulkAction, BulkActionKind, Selection }

const { call, page, address } = windowCalls<typeof bulkActionEndpoints>()
const selectionEndpoint = 'POST /mailing_lists/:mailing_list_id/selections'

/** Whom somebody has chosen; everybody on the list unless it says otherwise. */
export type Chosen = Given<(typeof bulkActionEndpoints)['endpoints'][typeof selectionEndpoint]['body']>
export type NewBulkAction = Given<typeof BulkActionInput>

/** Counts whom somebody has chosen and writes them down: what is done to the selection meets exactly these. */
export function select(listId: number, chosen: Chosen): Promise<Selection> {
  return call(selectionEndpoint, { params: { mailing_list_id: listId }, body: chosen })
}

export function startBulkAction(selectionId: number, action: NewBulkAction): Promise<BulkAction> {
  return call('POST /selections/:id/bulk_actions', { params: { id: selectionId }, body: action })
}

export function exportSelection(
  selectionId: number,
  settings: Pick<NewExport, 'columns' | 'file_format'>
): Promise<SubscriberExport> {
  return call('POST /selections/:id/exports', { params: { id: selectionId }, body: settings })
}

/** The newest of a list, or of all. */
export function fetchBulkActions(listId: number | null, perPage = 100): Promise<Page<BulkAction>> {
  return page('GET /bulk_actions', {
    query: { per_page: perPage, ...(listId !== null && { mailing_list_id: listId }) }
  })
}

export function actOnBulkAction(id: number, action: 'cancel' | 'undo'): Promise<BulkAction> {
  return call(`POST /bulk_actions/:id/${action}`, { params: { id } })
}

/** Whether something is being done, or undone. */
export function isUnderWay({ state }: Pick<BulkAction, 'state'>): boolean {
  return state === 'running' || state === 'undoing'
}

/** How far an action is, or its undoing while that is under way. */
export function progressOf(action: BulkAction): { done: number; total: number } {
  return action.state === 'undoing'
    ? { done: action.undo_done, total: action.changed }
    : { done: action.done, total: action.total }
}

/** Where it is downloaded whom an action left as they were, or its undoing once it was undone, and why; null where that is nobody. */
export function keptAddress({
  id,
  undo_done: undone,
  kept,
  not_restored: notRestored
}: BulkAction): string | null {
  const isOfUndo = undone > 0
  if ((isOfUndo ? notRestored : kept) === 0) return null
  return address('GET /bulk_actions/:id/kept', { params: { id }, query: { undo: isOfUndo } })
}
