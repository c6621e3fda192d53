import type { SuppressedAddressImport } from '../../src-main/api/suppressed-address-imports/schema.ts'
import type {
  SuppressedAddress,
  SuppressionList,
  SuppressionListInput
} from '../../src-main/api/suppression-lists/schema.ts'
import { call, callPage, callWorkbench, type Page, query } from './client.ts'

export type { SuppressedAddress, SuppressedAddressImport, SuppressionList }

export function fetchSuppressionLists(): Promise<SuppressionList[]> {
  return call('/suppression_lists')
}

export function fetchSuppressionList(id: number): Promise<SuppressionList> {
  return call(`/suppression_lists/${id}`)
}

export function createSuppressionList(list: SuppressionListInput): Promise<SuppressionList> {
  return call('/suppression_lists', { method: 'POST', body: { suppression_list: list } })
}

export function updateSuppressionList(id: number, list: SuppressionListInput): Promise<SuppressionList> {
  return call(`/suppression_lists/${id}`, { method: 'PUT', body: { suppression_list: list } })
}

/** @param page from 0 */
export function fetchSuppressedAddresses(id: number, page: number): Promise<Page<SuppressedAddress>> {
  return callPage(`/suppression_lists/${id}/suppressed_addresses${query({ page, per_page: 100 })}`)
}

export function suppressAddresses(id: number, addresses: string[]): Promise<null> {
  return call(`/suppression_lists/${id}/suppressed_addresses/create_multiple`, {
    method: 'POST',
    body: { data: addresses }
  })
}

/** What is imported from files of addresses, the newest first. */
export function fetchSuppressedAddressImports(id: number): Promise<SuppressedAddressImport[]> {
  return callWorkbench(`/suppression_lists/${id}/suppressed_address_imports`)
}

/** Suppresses the addresses of a file of the upload directory. */
export function importSuppressedAddresses(id: number, filename: string): Promise<SuppressedAddressImport> {
  return callWorkbench(`/suppression_lists/${id}/suppressed_address_imports`, {
    method: 'POST',
    body: { filename }
  })
}

export function releaseAddress({ suppression_list_id: listId, id }: SuppressedAddress): Promise<null> {
  return call(`/suppression_lists/${listId}/suppressed_addresses/${id}`, { method: 'DELETE' })
}
