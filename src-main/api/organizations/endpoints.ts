import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { Organization, OrganizationChanges, OrganizationInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const organizationEndpoints = endpoints('Organizations', {
  'GET /organizations': {
    access: 'system_admin',
    summary: 'List the organizations',
    answer: envelope(Type.Array(Organization))
  },

  'GET /organizations/:id': {
    access: 'system_admin',
    summary: 'Read an organization',
    params: IdParams,
    answer: envelope(Organization)
  },

  'POST /organizations': {
    joinsFaults: true,
    access: 'system_admin',
    summary: 'Create an organization',
    body: wrapped('organization', OrganizationInput),
    answer: envelope(Organization)
  },

  'PUT /organizations/:id': {
    joinsFaults: true,
    access: 'system_admin',
    summary: 'Change an organization',
    params: IdParams,
    body: wrapped('organization', OrganizationChanges),
    answer: envelope(Organization)
  }
})
