import { type Static, Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdInListParams, IdParams, MailingListParams, withDefault, wrapped } from '../../http/schema.ts'
import { CustomField, CustomFieldChanges, CustomFieldInput, DeletedCustomField } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const ListQuery = Type.Object({
  ...PageQuery(2000),
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String()),
  order_by: withDefault(Type.Enum(['id', 'name']), 'id')
})
export type ListQuery = Static<typeof ListQuery>

export const customFieldEndpoints = endpoints('Custom fields', {
  'GET /mailing_lists/:mailing_list_id/custom_fields': {
    access: 'signed_in',
    summary: 'List the custom fields of a list, the global ones included',
    params: MailingListParams,
    query: ListQuery,
    answer: pagedEnvelope(CustomField)
  },

  'GET /custom_fields': {
    access: 'signed_in',
    summary: 'List the global custom fields',
    query: ListQuery,
    answer: pagedEnvelope(CustomField)
  },

  'GET /custom_fields/:id': {
    access: 'signed_in',
    summary: 'Read a custom field',
    params: IdParams,
    answer: envelope(CustomField)
  },

  'GET /mailing_lists/:mailing_list_id/custom_fields/:id': {
    access: 'signed_in',
    summary: 'Read a custom field of a list',
    params: IdInListParams,
    answer: envelope(CustomField)
  },

  'POST /mailing_lists/:mailing_list_id/custom_fields': {
    joinsFaults: true,
    access: 'custom_field.create',
    summary: 'Create a custom field of a list',
    params: MailingListParams,
    body: wrapped('custom_field', CustomFieldInput),
    answer: envelope(CustomField)
  },

  'POST /custom_fields': {
    joinsFaults: true,
    access: 'custom_field.create',
    summary: 'Create a global custom field',
    body: wrapped('custom_field', CustomFieldInput),
    answer: envelope(CustomField)
  },

  'PUT /mailing_lists/:mailing_list_id/custom_fields/:id': {
    joinsFaults: true,
    access: 'custom_field.update',
    summary: 'Change a custom field of a list',
    params: IdInListParams,
    body: wrapped('custom_field', CustomFieldChanges),
    answer: envelope(CustomField)
  },

  'PUT /custom_fields/:id': {
    joinsFaults: true,
    access: 'custom_field.update',
    summary: 'Change a custom field',
    params: IdParams,
    body: wrapped('custom_field', CustomFieldChanges),
    answer: envelope(CustomField)
  },

  'DELETE /mailing_lists/:mailing_list_id/custom_fields/:id': {
    access: 'custom_field.delete',
    summary: 'Delete a custom field of a list',
    params: IdInListParams,
    answer: envelope(Type.Null())
  },

  'DELETE /custom_fields/:id': {
    access: 'custom_field.delete',
    summary: 'Delete a custom field',
    params: IdParams,
    answer: envelope(Type.Null())
  },

  'POST /custom_fields/promote': {
    access: 'custom_field.update',
    summary: 'Make a custom field of one list global',
    body: wrapped('promote', Type.Object({ custom_field_id: Type.Integer() })),
    answer: envelope(CustomField)
  },

  'GET /mailing_lists/:mailing_list_id/custom_fields/deleted': {
    access: 'signed_in',
    summary: 'List the deleted custom fields of a list',
    params: MailingListParams,
    answer: envelope(Type.Array(DeletedCustomField))
  },

  'GET /custom_fields/deleted': {
    access: 'signed_in',
    summary: 'List the deleted global custom fields',
    answer: envelope(Type.Array(DeletedCustomField))
  }
})
