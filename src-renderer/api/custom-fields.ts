import type { customFieldEndpoints } from '../../src-main/api/custom-fields/endpoints.ts'
import type {
  CustomField,
  CustomFieldChanges,
  CustomFieldInput
} from '../../src-main/api/custom-fields/schema.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { CustomField, CustomFieldChanges, CustomFieldInput }

const { call } = apiCalls<typeof customFieldEndpoints>()

/** The fields of a list, the global ones included. */
export function fetchCustomFields(listId: number): Promise<CustomField[]> {
  return call('GET /mailing_lists/:mailing_list_id/custom_fields', {
    params: { mailing_list_id: listId },
    query: { per_page: 2000 }
  })
}

/** @param field that the list has, or all lists */
export function fetchCustomField(
  listId: number,
  { id, is_global: isGlobal }: CustomField,
  version?: RecordVersion
): Promise<CustomField> {
  if (isGlobal) return call('GET /custom_fields/:id', { params: { id }, version })
  return call('GET /mailing_lists/:mailing_list_id/custom_fields/:id', {
    params: { mailing_list_id: listId, id },
    version
  })
}

export function createCustomField(listId: number, field: CustomFieldInput): Promise<CustomField> {
  return call('POST /mailing_lists/:mailing_list_id/custom_fields', {
    params: { mailing_list_id: listId },
    body: { custom_field: field }
  })
}

export function updateCustomField(
  listId: number,
  { id, is_global: isGlobal }: CustomField,
  changes: CustomFieldChanges,
  version?: RecordVersion
): Promise<CustomField> {
  const body = { custom_field: changes }
  if (isGlobal) return call('PUT /custom_fields/:id', { params: { id }, body, version })
  return call('PUT /mailing_lists/:mailing_list_id/custom_fields/:id', {
    params: { mailing_list_id: listId, id },
    body,
    version
  })
}

export async function deleteCustomField(id: number): Promise<void> {
  await call('DELETE /custom_fields/:id', { params: { id } })
}

/** Turns a list's field into a global field. */
export function promoteCustomField(id: number): Promise<CustomField> {
  return call('POST /custom_fields/promote', { body: { promote: { custom_field_id: id } } })
}
