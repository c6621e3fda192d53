import { Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { SuppressedAddress, SuppressionList, SuppressionListChanges, SuppressionListInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const defaultPerPage = 100

/** Bytes of a request with many addresses: 100,000 of the longest ones. */
const addressesLimit = 32 * 1024 * 1024
const maxAddresses = 1_000_000

export const suppressionListEndpoints = endpoints('Suppression lists', {
  'GET /suppression_lists': {
    access: 'signed_in',
    summary: 'List the suppression lists',
    answer: envelope(Type.Array(SuppressionList))
  },

  'GET /suppression_lists/:id': {
    access: 'signed_in',
    summary: 'Read a suppression list',
    params: IdParams,
    answer: envelope(SuppressionList)
  },

  'POST /suppression_lists': {
    access: 'organization_admin',
    summary: 'Create a suppression list',
    body: wrapped('suppression_list', SuppressionListInput),
    answer: envelope(SuppressionList)
  },

  'PUT /suppression_lists/:id': {
    access: 'organization_admin',
    summary: 'Change a suppression list',
    params: IdParams,
    body: wrapped('suppression_list', SuppressionListChanges),
    answer: envelope(SuppressionList)
  },

  'GET /suppression_lists/:id/suppressed_addresses': {
    access: 'subscriber.read',
    summary: 'Page through the addresses of a suppression list',
    params: IdParams,
    query: Type.Object(PageQuery(defaultPerPage)),
    answer: pagedEnvelope(SuppressedAddress)
  },

  'POST /suppression_lists/:id/suppressed_addresses/create_multiple': {
    access: 'organization_admin',
    bodyLimit: addressesLimit,
    bodyRules: { maxValues: maxAddresses + 100, linesKey: 'data' },
    summary: 'Suppress addresses, domains (@example.com) and MD5 sums of addresses',
    params: IdParams,
    body: Type.Object({ data: Type.Array(Type.String(), { maxItems: maxAddresses }) }),
    answer: envelope(Type.Null())
  },

  'DELETE /suppression_lists/:id/suppressed_addresses/:id_or_address': {
    access: 'organization_admin',
    summary: 'Let an address get messages again',
    params: Type.Object({ ...IdParams.properties, id_or_address: Type.String() }),
    answer: envelope(Type.Null())
  }
})
