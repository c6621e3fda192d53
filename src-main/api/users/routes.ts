import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../http/caller.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { organizationSeenBy, presentUser, userById, userOrders, users } from './queries.ts'
import { LockoutReset, User, UserChanges, UserInput } from './schema.ts'

const tags = ['Users']
/** Spec, "Limits". */
const defaultPerPage = 2000

const UsersQuery = Type.Object({
  full_name: Type.Optional(Type.String()),
  full_name_contains: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  email_contains: Type.Optional(Type.String()),
  order_by: Type.Enum([...userOrders], { default: 'id' }),
  ...PageQuery(defaultPerPage)
})
type UsersQuery = Static<typeof UsersQuery>

export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, passwords } = app.context

  app.get(
    '/users',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary:
          'List the users: all of them for system administrators, those of the organization for others',
        querystring: UsersQuery,
        response: { 200: pagedEnvelope(User) }
      }
    },
    async ({ caller, query }) => answerPage(caller, organizationSeenBy(caller), query)
  )

  app.get(
    '/organizations/:organization_id/users',
    {
      config: { access: 'system_admin' },
      schema: {
        tags,
        summary: 'List the users of an organization',
        params: Type.Object({ organization_id: Type.Integer({ minimum: 1 }) }),
        querystring: UsersQuery,
        response: { 200: pagedEnvelope(User) }
      }
    },
    async ({ caller, params, query }) => {
      const { id } = await organizationById(reader, params.organization_id)
      return answerPage(caller, id, query)
    }
  )

  app.get(
    '/users/:id',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'Read a user', params: IdParams, response: { 200: envelope(User) } }
    },
    async ({ caller, params }) =>
      ok(presentUser(await userById(reader, organizationSeenBy(caller), params.id), caller.timeZone))
  )

  app.post(
    '/users',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Create a user in the current organization',
        body: wrapped('user', UserInput),
        response: { 200: envelope(User) }
      }
    },
    async ({ caller, body: { user } }) => {
      const passwordHash = await passwords.readNew(user)
      const row = await writer.run('users.create', { by: caller, user, passwordHash })
      return ok(presentUser(row, caller.timeZone))
    }
  )

  app.put(
    '/users/:id',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Change a user',
        params: IdParams,
        body: wrapped('user', UserChanges),
        response: { 200: envelope(User) }
      }
    },
    async ({ caller, params: { id }, body: { user: changes } }) => {
      const passwordHash = await passwords.readNew(changes)
      const row = await writer.run('users.update', { by: caller, id, changes, passwordHash })
      return ok(presentUser(row, caller.timeZone))
    }
  )

  app.put(
    '/users/:id/reset_password_failure_lockout',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Let a user who is locked out sign in again',
        params: IdParams,
        response: { 200: envelope(LockoutReset) }
      }
    },
    async ({ caller, params: { id } }) =>
      ok(await writer.run('users.resetPasswordFailureLockout', { by: caller, id }))
  )

  app.delete(
    '/users/:id',
    {
      config: { access: 'organization_admin' },
      schema: { tags, summary: 'Delete a user', params: IdParams, response: { 200: envelope(Type.Null()) } }
    },
    async ({ caller, params: { id } }) => {
      await writer.run('users.delete', { by: caller, id })
      return ok(null)
    }
  )

  async function answerPage({ timeZone }: Caller, organizationId: number | null, query: UsersQuery) {
    const filter = {
      organizationId,
      fullName: query.full_name,
      fullNameContains: query.full_name_contains,
      email: query.email,
      emailContains: query.email_contains
    }
    const { rows, total } = await users(reader, filter, query.order_by, query)
    return okPage(
      rows.map((row) => presentUser(row, timeZone)),
      query,
      total
    )
  }
}
