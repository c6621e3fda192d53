import type { Caller } from '../../http/caller.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { organizationById } from '../organizations/queries.ts'
import { organizationSeenBy, presentUser, userById, users } from './queries.ts'
import { userEndpoints, type UsersQuery } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const userRoutes = serveEndpoints(userEndpoints, ({ reader, writer, passwords }) => {
  return {
    'GET /users': async ({ caller, query }) => answerPage(caller, organizationSeenBy(caller), query),

    'GET /organizations/:organization_id/users': async ({ caller, params, query }) => {
      const { id } = await organizationById(reader, params.organization_id)
      return answerPage(caller, id, query)
    },

    'GET /users/:id': async ({ caller, params }) =>
      ok(presentUser(await userById(reader, organizationSeenBy(caller), params.id), caller.timeZone)),

    'POST /users': async ({ caller, body: { user } }) => {
      const passwordHash = await passwords.readNew(user)
      const row = await writer.run('users.create', { by: caller, user, passwordHash })
      return ok(presentUser(row, caller.timeZone))
    },

    'PUT /users/:id': async ({ caller, params: { id }, body: { user: changes } }) => {
      const passwordHash = await passwords.readNew(changes)
      const row = await writer.run('users.update', { by: caller, id, changes, passwordHash })
      return ok(presentUser(row, caller.timeZone))
    },

    'PUT /users/:id/reset_password_failure_lockout': async ({ caller, params: { id } }) =>
      ok(await writer.run('users.resetPasswordFailureLockout', { by: caller, id })),

    'DELETE /users/:id': async ({ caller, params: { id } }) => {
      await writer.run('users.delete', { by: caller, id })
      return ok(null)
    }
  }

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
})
