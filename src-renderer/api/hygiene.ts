import type { hygieneEndpoints, ListDomains } from '../../src-main/workbench/hygiene/endpoints.ts'
import { windowCalls } from './client.ts'

export type { ListDomains }

const { call } = windowCalls<typeof hygieneEndpoints>()

/** The domains of a list's addresses, and those that look misspelt. */
export function fetchDomains(listId: number): Promise<ListDomains> {
  return call('GET /mailing_lists/:mailing_list_id/domains', { params: { mailing_list_id: listId } })
}
