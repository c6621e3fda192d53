import { randomBytes } from 'node:crypto'
import {
  type Command,
  type CommandContext,
  evenIfDamaged,
  inBackground,
  recordOne
} from '../../database/command.ts'
import { ApiError, notFound } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { timeZoneNamed } from '../../base/times.ts'
import { organizationById } from '../organizations/queries.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import { userById } from '../users/queries.ts'
import { findKeyOfWindow, hashSecret } from './queries.ts'

/**
 * Creates the System Organization and its system administrator on the first start.
 * @returns the administrator's user id
 */
export const ensureSystemOrganization: Command<void, number> = async (context) => {
  await context.db
    .insertInto('organizations')
    .values({
      id: systemOrganizationId,
      name: 'System Organization',
      time_zone_name: computerTimeZone(),
      subscriber_limit: null,
      created_at: context.now,
      updated_at: context.now
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const admin = await context.db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', systemOrganizationId)
    .where('role', '=', 'system_admin')
    .where('active', '=', 1)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst()
  if (admin) return admin.id
  const { id } = await context.db
    .insertInto('users')
    .values({
      organization_id: systemOrganizationId,
      full_name: 'System Administrator',
      full_name_key: 'system administrator',
      email: 'admin@localhost.localdomain',
      email_key: 'admin@localhost.localdomain',
      active: 1,
      role: 'system_admin',
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns the computer's time zone, or UTC if it has none. */
function computerTimeZone(): string {
  return timeZoneNamed(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC'
}

interface KeyInput {
  organizationId: number
  userId: number
  name: string
}

/**
 * Creates an API key.
 * @returns the key, 40 lower-case hex characters; only its hash is stored
 * @throws ApiError not_found if the user has no access to the organization
 */
export const createApiKey: Command<KeyInput & { endsWithProcess?: boolean }, string> = async (
  context,
  { organizationId, userId, name, endsWithProcess = false }
) => {
  await organizationById(context.db, organizationId)
  const user = await userById(context.db, null, userId)
  if (user.role !== 'system_admin' && user.organization_id !== organizationId) throw notFound('user', userId)
  const key = randomBytes(20).toString('hex')
  const { id } = await context.db
    .insertInto('api_keys')
    .values({
      organization_id: organizationId,
      user_id: userId,
      name,
      key_hash: hashSecret(key),
      ends_with_process: Number(endsWithProcess),
      created_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  // The audit log does not record keys that end with the process.
  if (!endsWithProcess) recordOne(context, 'api_key', 'create', { organizationId }, id, { of_user: userId })
  return key
}

/** Deletes keys that expired with the process that created them. */
export const removeEndedKeys = inBackground<void, void>(async (context) => {
  await context.db.deleteFrom('api_keys').where('ends_with_process', '=', 1).execute()
})

export const recordKeyUse = inBackground<{ id: number }, void>(async (context, { id }) => {
  await context.db.updateTable('api_keys').set({ last_used_at: context.now }).where('id', '=', id).execute()
})

interface RevokeInput {
  organizationId: number
  /** The required owner; null = any user of the organization. */
  userId: number | null
  /** True if keys of system administrators may be revoked, which only they may. */
  mayRevokeSystemAdmins: boolean
  id: number
}

/**
 * Revokes an API key: its next call is refused.
 * @throws ApiError not_found, not_authorized
 */
export const revokeApiKey: Command<RevokeInput, void> = async (
  context,
  { organizationId, userId, mayRevokeSystemAdmins, id }
) => {
  const key = await context.db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['role', 'api_keys.name', 'user_id', 'ends_with_process'])
    .where('api_keys.id', '=', id)
    .where('api_keys.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (userId === null && key?.role === 'system_admin' && !mayRevokeSystemAdmins) {
    throw new ApiError('not_authorized', refusal('key_of_system_admin'))
  }
  const { numDeletedRows } = await context.db
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? 0))
    .executeTakeFirst()
  if (numDeletedRows === 0n || !key) throw notFound('API key', id)
  if (key.ends_with_process === 1) return
  recordOne(context, 'api_key', 'delete', { organizationId }, id, { name: key.name, of_user: key.user_id })
}

/** Time for which a window stays signed in, in milliseconds. */
export const sessionLifetime = 30 * 24 * 60 * 60 * 1000

/** With a password, or by a link that the application issued. */
export type SignInBy = 'password' | 'link'

interface SessionInput {
  organizationId: number
  userId: number
  /** null for a window whose user has signed in before. */
  by: SignInBy | null
  /** The API key that opens the window, which ends with it; null = none. */
  apiKeyId: number | null
  userAgent: string | null
}

/** Characters of a browser's name for itself that are stored. */
const maxUserAgent = 300

/** Signs a window in. @returns the token of its session @throws ApiError not_authorized when its API key was revoked */
export const createWindowSession: Command<SessionInput, string> = async (
  context,
  { organizationId, userId, by, apiKeyId, userAgent }
) => {
  if (apiKeyId !== null) {
    const key = await context.db
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', apiKeyId)
      .executeTakeFirst()
    if (!key) throw new ApiError('not_authorized', refusal('key_of_link_revoked'))
  }
  const token = randomBytes(32).toString('hex')
  await context.db.deleteFrom('window_sessions').where('expires_at', '<', context.now).execute()
  await context.db
    .insertInto('window_sessions')
    .values({
      token_hash: hashSecret(token),
      organization_id: organizationId,
      user_id: userId,
      api_key_id: apiKeyId,
      user_agent: userAgent?.slice(0, maxUserAgent) ?? null,
      created_at: context.now,
      expires_at: context.now + sessionLifetime
    })
    .execute()
  if (by !== null) {
    context.origin = { via: 'window', causeId: null, userId }
    recordOne(context, 'sign_in', 'create', { organizationId }, userId, { by })
  }
  return token
}

/** Records a failed sign-in: a wrong password, or a user who may not sign in. */
export const recordFailedSignIn: Command<{ userId: number; isRight: boolean }, void> = async (
  context,
  { userId, isRight }
) => {
  const { organization_id: organizationId, locked_out_until: until } = await userById(
    context.db,
    null,
    userId
  )
  const isLockedOut = until !== null && until > context.now
  const failed = isRight ? 'inactive' : isLockedOut ? 'locked_out' : 'wrong_password'
  context.origin = { via: 'window', causeId: null, userId: null }
  recordOne(context, 'sign_in', 'create', { organizationId }, userId, { failed })
}

export const endWindowSession: Command<{ token: string }, void> = async (context, { token }) => {
  const ended = await context.db
    .deleteFrom('window_sessions')
    .where('token_hash', '=', hashSecret(token))
    .returning('user_id')
    .executeTakeFirst()
  if (ended) await recordSignOut(context, ended.user_id)
}

interface ListedSession {
  id: number
  /** Only windows of users of this organization; null = of every organization. */
  organizationId: number | null
  /** Only windows of this user; null = of every user. */
  userId: number | null
  mayEndSystemAdmins: boolean
}

/** Signs another window out. @throws ApiError not_found, not_authorized */
export const endListedSession: Command<ListedSession, void> = async (
  context,
  { id, organizationId, userId, mayEndSystemAdmins }
) => {
  const found = await context.db
    .selectFrom('window_sessions')
    .innerJoin('users', 'users.id', 'window_sessions.user_id')
    .select(['users.id as userId', 'users.role'])
    .where('window_sessions.id', '=', id)
    .$if(organizationId !== null, (query) => query.where('users.organization_id', '=', organizationId ?? 0))
    .$if(userId !== null, (query) => query.where('users.id', '=', userId ?? 0))
    .executeTakeFirst()
  if (!found) throw notFound('window', id)
  if (found.role === 'system_admin' && !mayEndSystemAdmins) {
    throw new ApiError('not_authorized', refusal('window_of_system_admin'))
  }
  await context.db.deleteFrom('window_sessions').where('id', '=', id).execute()
  await recordSignOut(context, found.userId)
}

/** Users sign out of the organization where they signed in, whichever the window showed. */
async function recordSignOut(context: CommandContext, userId: number): Promise<void> {
  const { organization_id: organizationId } = await userById(context.db, null, userId)
  recordOne(context, 'sign_in', 'delete', { organizationId }, userId)
}

export const recordSessionUse = inBackground<{ id: number }, void>(async (context, { id }) => {
  await context.db
    .updateTable('window_sessions')
    .set({ last_used_at: context.now })
    .where('id', '=', id)
    .execute()
})

/**
 * Switches a system administrator's window to another organization.
 * @throws ApiError not_found; not_authorized for a window opened with an API key, which belongs to one
 * organization
 */
export const switchOrganization: Command<{ token: string; organizationId: number }, void> = async (
  context,
  { token, organizationId }
) => {
  await organizationById(context.db, organizationId)
  if ((await findKeyOfWindow(context.db, token)) !== null) {
    throw new ApiError('not_authorized', refusal('window_of_key'))
  }
  await context.db
    .updateTable('window_sessions')
    .set({ organization_id: organizationId })
    .where('token_hash', '=', hashSecret(token))
    .execute()
}

export const accountCommands = {
  ensureSystemOrganization: evenIfDamaged(ensureSystemOrganization),
  createApiKey: evenIfDamaged(createApiKey),
  recordKeyUse,
  removeEndedKeys,
  revokeApiKey,
  createWindowSession: evenIfDamaged(createWindowSession),
  recordFailedSignIn: evenIfDamaged(recordFailedSignIn),
  endWindowSession: evenIfDamaged(endWindowSession),
  endListedSession: evenIfDamaged(endListedSession),
  recordSessionUse,
  switchOrganization: evenIfDamaged(switchOrganization)
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    accounts: typeof accountCommands
  }
}
