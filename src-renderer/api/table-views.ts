import type { Given } from '../../src-main/http/endpoint.ts'
import type { tableViewEndpoints } from '../../src-main/workbench/table-views/endpoints.ts'
import type { TableView, TableViewInput } from '../../src-main/workbench/table-views/schema.ts'
import { windowCalls } from './client.ts'

export type { TableView }

const { call } = windowCalls<typeof tableViewEndpoints>()

export function fetchTableViews(listId: number): Promise<TableView[]> {
  return call('GET /mailing_lists/:mailing_list_id/table_views', { params: { mailing_list_id: listId } })
}

/** Saves a view; one of that name is replaced. @returns all views of the list */
export function saveTableView(listId: number, view: Given<typeof TableViewInput>): Promise<TableView[]> {
  return call('PUT /mailing_lists/:mailing_list_id/table_views', {
    params: { mailing_list_id: listId },
    body: view
  })
}

/** @returns the views that are left */
export function deleteTableView(listId: number, id: number): Promise<TableView[]> {
  return call('DELETE /mailing_lists/:mailing_list_id/table_views/:id', {
    params: { mailing_list_id: listId, id }
  })
}
