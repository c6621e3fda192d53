import type {
  BulkAction,
  BulkActionInput,
  BulkActionKind,
  Selection
} from '../../src-main/api/bulk-actions/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { bulkActionEndpoints } from '../../src-main/workbench/bulk-actions/endpoints.ts'
import { type Page, windowCalls } from './client.ts'
import type { NewExport, SubscriberExport } from './subscriber-exports.ts'

export type { BulkAction, BulkActionKind, Selection }

const { call, page, address } = windowCalls<typeof bulkActionEndpoints>()
const selectionEndpoint = 'POST /mailing_lists/:mailing_list_id/selections'

/** The selected subscribers; default: the whole list. */
export type Chosen = Given<(typeof bulkActionEndpoints)['endpoints'][typeof selectionEndpoint]['body']>
export type NewBulkAction = Given<typeof BulkActionInput>

/** Counts and stores the selected subscribers: actions change exactly these. */
export function requestSelection(listId: number, chosen: Chosen): Promise<Selection> {
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

export function isUnderWay({ state }: Pick<BulkAction, 'state'>): boolean {
  return state === 'running' || state === 'undoing'
}

export function progressOf(action: BulkAction): { done: number; total: number } {
  return action.state === 'undoing'
    ? { done: action.undo_done, total: action.changed }
    : { done: action.done, total: action.total }
}

/** The address of the list of subscribers that an action, or its undo, skipped; null = none. */
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
