import { type Static, Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, OrganizationParams, withDefault, wrapped } from '../../http/schema.ts'
import { LockoutReset, User, UserChanges, UserInput, userOrders } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

/** docs/api.md, "Limits". */
const defaultPerPage = 2000

const UsersQuery = Type.Object({
  full_name: Type.Optional(Type.String()),
  full_name_contains: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  email_contains: Type.Optional(Type.String()),
  order_by: withDefault(Type.Enum([...userOrders]), 'id'),
  ...PageQuery(defaultPerPage)
})
export type UsersQuery = Static<typeof UsersQuery>

export const userEndpoints = endpoints('Users', {
  'GET /users': {
    access: 'signed_in',
    summary: 'List the users: all of them for system administrators, those of the organization for others',
    query: UsersQuery,
    answer: pagedEnvelope(User)
  },

  'GET /organizations/:organization_id/users': {
    access: 'system_admin',
    summary: 'List the users of an organization',
    params: OrganizationParams,
    query: UsersQuery,
    answer: pagedEnvelope(User)
  },

  'GET /users/:id': { access: 'signed_in', summary: 'Read a user', params: IdParams, answer: envelope(User) },

  'POST /users': {
    access: 'organization_admin',
    summary: 'Create a user in the current organization',
    body: wrapped('user', UserInput),
    answer: envelope(User)
  },

  'PUT /users/:id': {
    access: 'organization_admin',
    summary: 'Change a user',
    params: IdParams,
    body: wrapped('user', UserChanges),
    answer: envelope(User)
  },

  'PUT /users/:id/reset_password_failure_lockout': {
    access: 'organization_admin',
    summary: 'Let a user who is locked out sign in again',
    params: IdParams,
    answer: envelope(LockoutReset)
  },

  'DELETE /users/:id': {
    access: 'organization_admin',
    summary: 'Delete a user',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
