import type {
  CustomField,
  CustomFieldChanges,
  CustomFieldInput
} from '../../src-main/api/custom-fields/schema.ts'
import { call, callPage, query } from './client.ts'

export type { CustomField, CustomFieldChanges, CustomFieldInput }

/** The fields of a list, the global ones included. */
export async function fetchCustomFields(listId: number): Promise<CustomField[]> {
  return (await callPage<CustomField>(`/mailing_lists/${listId}/custom_fields${query({ per_page: 2000 })}`))
    .data
}

export function createCustomField(listId: number, field: CustomFieldInput): Promise<CustomField> {
  return call(`/mailing_lists/${listId}/custom_fields`, { method: 'POST', body: { custom_field: field } })
}

export function updateCustomField(
  listId: number,
  field: CustomField,
  changes: CustomFieldChanges
): Promise<CustomField> {
  const path = field.is_global
    ? `/custom_fields/${field.id}`
    : `/mailing_lists/${listId}/custom_fields/${field.id}`
  return call(path, { method: 'PUT', body: { custom_field: changes } })
}

export function deleteCustomField(id: number): Promise<null> {
  return call(`/custom_fields/${id}`, { method: 'DELETE' })
}

/** Makes a field of one list a field of all lists. */
export function promoteCustomField(id: number): Promise<CustomField> {
  return call('/custom_fields/promote', { method: 'POST', body: { promote: { custom_field_id: id } } })
}
