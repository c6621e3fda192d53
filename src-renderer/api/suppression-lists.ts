import type { SuppressedAddressImport } from '../../src-main/api/suppressed-address-imports/schema.ts'
import type { suppressionListEndpoints } from '../../src-main/api/suppression-lists/endpoints.ts'
import type {
  SuppressedAddress,
  SuppressionList,
  SuppressionListInput
} from '../../src-main/api/suppression-lists/schema.ts'
import type { suppressedAddressImportEndpoints } from '../../src-main/workbench/suppressed-address-imports/endpoints.ts'
import { apiCalls, type Page, type RecordVersion, windowCalls } from './client.ts'

export type { SuppressedAddress, SuppressedAddressImport, SuppressionList }

const { call, page } = apiCalls<typeof suppressionListEndpoints>()
const imports = windowCalls<typeof suppressedAddressImportEndpoints>()

export function fetchSuppressionLists(): Promise<SuppressionList[]> {
  return call('GET /suppression_lists')
}

export function fetchSuppressionList(id: number, version?: RecordVersion): Promise<SuppressionList> {
  return call('GET /suppression_lists/:id', { params: { id }, version })
}

export function createSuppressionList(list: SuppressionListInput): Promise<SuppressionList> {
  return call('POST /suppression_lists', { body: { suppression_list: list } })
}

export function updateSuppressionList(
  id: number,
  list: Partial<SuppressionListInput>,
  version?: RecordVersion
): Promise<SuppressionList> {
  return call('PUT /suppression_lists/:id', { params: { id }, body: { suppression_list: list }, version })
}

/** @param number of the page, from 0 */
export function fetchSuppressedAddresses(id: number, number: number): Promise<Page<SuppressedAddress>> {
  return page('GET /suppression_lists/:id/suppressed_addresses', {
    params: { id },
    query: { page: number, per_page: 100 }
  })
}

export async function suppressAddresses(id: number, addresses: string[]): Promise<void> {
  await call('POST /suppression_lists/:id/suppressed_addresses/create_multiple', {
    params: { id },
    body: { data: addresses }
  })
}

/** Imports of files into a suppression list, newest first. */
export function fetchSuppressedAddressImports(id: number): Promise<SuppressedAddressImport[]> {
  return imports.call('GET /suppression_lists/:id/suppressed_address_imports', { params: { id } })
}

/** Suppresses the addresses of a file of the upload directory. */
export function importSuppressedAddresses(id: number, filename: string): Promise<SuppressedAddressImport> {
  return imports.call('POST /suppression_lists/:id/suppressed_address_imports', {
    params: { id },
    body: { filename }
  })
}

export function actOnSuppressedAddressImport(
  id: number,
  action: 'pause' | 'unpause' | 'cancel'
): Promise<SuppressedAddressImport> {
  return imports.call(`POST /suppressed_address_imports/:id/${action}`, { params: { id } })
}

export async function releaseAddress({ suppression_list_id: listId, id }: SuppressedAddress): Promise<void> {
  await call('DELETE /suppression_lists/:id/suppressed_addresses/:id_or_address', {
    params: { id: listId, id_or_address: String(id) }
  })
}
