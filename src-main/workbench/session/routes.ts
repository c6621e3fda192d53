import type { Caller } from '../../http/caller.ts'
import type { FastifyRequest } from 'fastify'
import { sessionTokenOf } from '../../api/accounts/authentication.ts'
import { findKeyOfWindow, listWindowSessions } from '../../api/accounts/queries.ts'
import { ok } from '../../http/envelope.ts'
import { mustAgreeToTerms } from '../../api/users/rules.ts'
import { maxPasswordFailures } from '../../api/users/commands.ts'
import {
  organizationSeenBy,
  presentUser,
  userByEmail,
  userById,
  type UserRow
} from '../../api/users/queries.ts'
import { ApiError, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import { currentSettings } from '../../settings/queries.ts'
import type { Settings } from '../../settings/schema.ts'
import { type Session, sessionEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** /app/v1/session: who works in this window, and in which organization. */
export const sessionRoutes = serveEndpoints(
  sessionEndpoints,
  ({ reader, writer, passwords, signIn, tickets }) => {
    return {
      'GET /session': async (request) => ok(await sessionOf(request.caller, sessionTokenOf(request))),

      'POST /session': async (request) => {
        const { email, password } = request.body
        const user = await userByEmail(reader, email)
        const { isRight, counts } = await checkPassword(user, password)
        if (!isRight || user?.active !== 1) {
          if (user && counts) await writer.run('accounts.recordFailedSignIn', { userId: user.id, isRight })
          // The same for an unknown user and a locked one, so that no one learns which accounts exist.
          throw validationFailed(refusal('sign_in', { failures: maxPasswordFailures }))
        }
        const { id: userId, organization_id: organizationId } = user
        const session = await writer.run('accounts.createWindowSession', {
          userId,
          organizationId,
          by: 'password',
          apiKeyId: null,
          userAgent: userAgentOf(request)
        })
        return ok({ session })
      },

      'POST /session/link': async (request) => {
        const granted = signIn.redeem(request.body.token)
        if (!granted) throw new ApiError('not_authorized', refusal('link_used'))
        const session = await writer.run('accounts.createWindowSession', {
          ...granted,
          by: 'link',
          userAgent: userAgentOf(request)
        })
        return ok({ session })
      },

      'POST /tickets': async (request) => {
        const { address } = request.body
        const ticket = tickets.issue(requireSession(sessionTokenOf(request)), address)
        return ok({ address: `${address}${address.includes('?') ? '&' : '?'}ticket=${ticket}` })
      },

      'GET /windows': async (request) => {
        const { caller } = request
        const now = Date.now()
        const rows = await listWindowSessions(reader, windowsSeenBy(caller), {
          token: sessionTokenOf(request),
          now
        })
        return ok(
          rows.map(
            ({ id, userName, organizationName, keyName, userAgent, createdAt, lastUsedAt, isCaller }) => ({
              id,
              user_name: userName,
              organization_name: organizationName,
              api_key_name: keyName,
              user_agent: userAgent,
              created_at: formatTime(createdAt, caller.timeZone),
              last_used_at: formatOptionalTime(lastUsedAt, caller.timeZone),
              is_this_window: isCaller
            })
          )
        )
      },

      'DELETE /windows/:id': async ({ caller, params }) => {
        await writer.run('accounts.endListedSession', {
          ...windowsSeenBy(caller),
          id: params.id,
          mayEndSystemAdmins: caller.role === 'system_admin'
        })
        return ok(null)
      },

      'DELETE /session': async (request) => {
        await writer.run('accounts.endWindowSession', { token: requireSession(sessionTokenOf(request)) })
        return ok(null)
      },

      'PUT /session/organization': async (request) => {
        const token = requireSession(sessionTokenOf(request))
        await writer.run('accounts.switchOrganization', {
          token,
          organizationId: request.body.organization_id
        })
        return ok(null)
      },

      'PUT /session/terms': async (request) => {
        const { caller, body } = request
        await writer.run('users.agreeToTerms', { userId: caller.userId, version: body.version })
        return ok(await sessionOf(caller, sessionTokenOf(request)))
      },

      'PUT /session/password': async (request) => {
        const { caller, body } = request
        const token = requireSession(sessionTokenOf(request))
        const apiKeyId = await findKeyOfWindow(reader, token)
        const { userId, organizationId } = caller
        const user = await userById(reader, null, userId)
        if (user.password_hash !== null && !(await checkPassword(user, body.password)).isRight) {
          throw validationFailed(
            refusal('password_wrong', { field: 'password', failures: maxPasswordFailures })
          )
        }
        const passwordHash = await passwords.readNew(body)
        // Users may always change their own password, whatever their permissions.
        const by = { organizationId: user.organization_id, role: user.role }
        await writer.run('users.update', { by, id: userId, changes: {}, passwordHash })
        // Changing the password signed the user out everywhere, also here.
        const session = await writer.run('accounts.createWindowSession', {
          userId,
          organizationId,
          by: null,
          apiKeyId,
          userAgent: userAgentOf(request)
        })
        return ok({ session })
      }
    }

    async function sessionOf(
      { userId, organizationId, organizationName, timeZone, role }: Caller,
      token: string | undefined
    ): Promise<Session> {
      const user = await userById(reader, null, userId)
      return {
        user: presentUser(user, timeZone),
        organization: { id: organizationId, name: organizationName },
        time_zone: timeZone,
        has_password: user.password_hash !== null,
        may_switch_organization:
          role === 'system_admin' && token !== undefined && (await findKeyOfWindow(reader, token)) === null,
        terms: termsFor(user, await currentSettings(reader))
      }
    }

    /**
     * Checks a password. A locked user's password is never right (docs/api.md, "Users"); a missing user takes
     * the same time.
     * @returns whether it is right, and whether it was checked at all
     */
    async function checkPassword(
      user: UserRow | undefined,
      password: string
    ): Promise<{ isRight: boolean; counts: boolean }> {
      let counts = false
      const isRight = await passwords.isRight(password, user?.password_hash ?? null, async () => {
        counts = user !== undefined && (await writer.run('users.countPasswordAttempt', { userId: user.id }))
        return counts
      })
      if (user && isRight) await writer.run('users.recordRightPassword', { userId: user.id })
      return { isRight, counts }
    }
  }
)

function windowsSeenBy(caller: Caller): { organizationId: number | null; userId: number | null } {
  return {
    organizationId: organizationSeenBy(caller),
    userId: caller.role === 'standard' ? caller.userId : null
  }
}

function userAgentOf({ headers }: FastifyRequest): string | null {
  return headers['user-agent'] ?? null
}

/** @throws ApiError invalid_request for a program with a key, which has no window */
function requireSession(token: string | undefined): string {
  if (token === undefined) throw new ApiError('invalid_request', refusal('no_session'))
  return token
}

/** Returns the terms that a user still has to agree to. */
function termsFor(user: UserRow, settings: Settings): Session['terms'] {
  const version = settings.service_terms_and_conditions_version
  if (version === null || !mustAgreeToTerms(user, settings)) return null
  return { version, text: settings.service_terms_and_conditions_text }
}
