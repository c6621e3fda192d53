import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { remembered } from '../../database/remembered.ts'
import type { Schema } from '../../database/schema.ts'
import type { Caller } from '../../http/caller.ts'
import type { UserPermissions, UserRole } from '../../http/caller.ts'
import { currentSettings } from '../../settings/queries.ts'
import { mustAgreeToTerms } from '../users/rules.ts'

/** Hashes a key or token for storage. They are long and random, so a plain SHA-256 cannot be reversed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** An API key or a signed-in window, with the caller that it authenticates. */
export interface Used {
  id: number
  /** UNIX milliseconds; null = never used before. */
  lastUsedAt: number | null
  caller: Caller
}

/**
 * Finds an API key of the organization whose user may sign in. The lookup by hash leaks no timing about the
 * key.
 */
export function findApiKey(
  db: Kysely<Schema>,
  organizationId: number,
  key: string
): Promise<Used | undefined> {
  const hash = hashSecret(key)
  return remembered(db, `key ${organizationId} ${hash.toString('base64')}`, () =>
    readApiKey(db, organizationId, hash)
  )
}

async function readApiKey(
  db: Kysely<Schema>,
  organizationId: number,
  hash: Buffer
): Promise<Used | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select([...callerColumns, ...rightColumns, 'api_keys.id', 'last_used_at'])
    .where('api_keys.key_hash', '=', hash)
    .where('api_keys.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row || !mayWorkThere(row)) return undefined
  return {
    id: row.id,
    lastUsedAt: row.last_used_at,
    caller: readCaller(row, { mustAgree: false, apiKeyId: row.id })
  }
}

/** A listed API key, without the key itself. */
export interface ApiKeyRow {
  id: number
  name: string
  userId: number
  userName: string
  createdAt: number
  lastUsedAt: number | null
}

/** Lists the API keys of an organization, or of one of its users, newest first. */
export function apiKeysOf(
  db: Kysely<Schema>,
  organizationId: number,
  userId: number | null
): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'users.id as userId',
      'users.full_name as userName',
      'api_keys.created_at as createdAt',
      'last_used_at as lastUsedAt'
    ])
    .where('api_keys.organization_id', '=', organizationId)
    .$if(userId !== null, (query) => query.where('api_keys.user_id', '=', userId ?? 0))
    .orderBy('api_keys.created_at', 'desc')
    .orderBy('api_keys.id', 'desc')
    .execute()
}

/** Finds the session of a window whose user may still sign in. */
export async function findWindowSession(
  db: Kysely<Schema>,
  token: string,
  now: number
): Promise<Used | undefined> {
  const row = await db
    .selectFrom('window_sessions')
    .innerJoin('users', 'users.id', 'window_sessions.user_id')
    .innerJoin('organizations', 'organizations.id', 'window_sessions.organization_id')
    .select([...callerColumns, ...rightColumns, 'users.terms_and_conditions_version'])
    .select(['window_sessions.id', 'window_sessions.last_used_at'])
    .where('window_sessions.token_hash', '=', hashSecret(token))
    .where('window_sessions.expires_at', '>', now)
    .executeTakeFirst()
  if (!row || !mayWorkThere(row)) return undefined
  return {
    id: row.id,
    lastUsedAt: row.last_used_at,
    caller: readCaller(row, { mustAgree: mustAgreeToTerms(row, await currentSettings(db)), apiKeyId: null })
  }
}

/** A listed window. */
export interface WindowSessionRow {
  id: number
  userId: number
  userName: string
  organizationName: string
  /** The API key that opened it; null = a password or a link of the application. */
  keyName: string | null
  userAgent: string | null
  createdAt: number
  lastUsedAt: number | null
  isCaller: boolean
}

/**
 * Lists signed-in windows, last used first.
 * @param whose `organizationId` null = all organizations, `userId` null = all users
 * @param token of the calling window; undefined = the caller is a program
 */
export async function listWindowSessions(
  db: Kysely<Schema>,
  { organizationId, userId }: { organizationId: number | null; userId: number | null },
  { token, now }: { token: string | undefined; now: number }
): Promise<WindowSessionRow[]> {
  const rows = await db
    .selectFrom('window_sessions')
    .innerJoin('users', 'users.id', 'window_sessions.user_id')
    .innerJoin('organizations', 'organizations.id', 'window_sessions.organization_id')
    .leftJoin('api_keys', 'api_keys.id', 'window_sessions.api_key_id')
    .select([
      'window_sessions.id',
      'users.id as userId',
      'users.full_name as userName',
      'organizations.name as organizationName',
      'api_keys.name as keyName',
      'window_sessions.user_agent as userAgent',
      'window_sessions.created_at as createdAt',
      'window_sessions.last_used_at as lastUsedAt',
      'window_sessions.token_hash as tokenHash'
    ])
    .where('window_sessions.expires_at', '>', now)
    .$if(organizationId !== null, (query) => query.where('users.organization_id', '=', organizationId ?? 0))
    .$if(userId !== null, (query) => query.where('users.id', '=', userId ?? 0))
    .orderBy(({ fn }) => fn.coalesce('window_sessions.last_used_at', 'window_sessions.created_at'), 'desc')
    .orderBy('window_sessions.id', 'desc')
    .execute()
  const hash = token === undefined ? undefined : hashSecret(token)
  return rows.map(({ tokenHash, ...row }) => ({ ...row, isCaller: hash?.equals(tokenHash) ?? false }))
}

/** Returns the API key that opened a window, or null. */
export async function findKeyOfWindow(db: Kysely<Schema>, token: string): Promise<number | null> {
  const row = await db
    .selectFrom('window_sessions')
    .select('api_key_id')
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst()
  return row?.api_key_id ?? null
}

/** True if the API key expires with the process that created it, like those of the command line. */
export async function endsWithProcess(db: Kysely<Schema>, apiKeyId: number): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('ends_with_process')
    .where('id', '=', apiKeyId)
    .executeTakeFirst()
  return row?.ends_with_process === 1
}

/** True if the user may sign in and access the organization: their own, or any for a system administrator. */
function mayWorkThere(row: {
  active: number
  role: UserRole
  home: number
  organizationId: number
}): boolean {
  return row.active === 1 && (row.role === 'system_admin' || row.home === row.organizationId)
}

function readCaller(
  row: Omit<Caller, 'permissions' | 'mustAgree' | 'apiKeyId'> & { permissions: string },
  by: Pick<Caller, 'mustAgree' | 'apiKeyId'>
): Caller {
  const { organizationId, organizationName, timeZone, userId, role } = row
  const permissions = JSON.parse(row.permissions) as UserPermissions
  return { organizationId, organizationName, timeZone, userId, role, permissions, ...by }
}

const callerColumns = [
  'organizations.id as organizationId',
  'organizations.name as organizationName',
  'organizations.time_zone_name as timeZone',
  'users.id as userId',
  'users.role as role',
  'users.permissions as permissions'
] as const

/** Columns that {@link mayWorkThere} needs. Keys and windows of deleted users are deleted too. */
const rightColumns = ['users.active', 'users.organization_id as home'] as const
