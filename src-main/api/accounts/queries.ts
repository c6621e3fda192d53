import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Caller } from '../../http/caller.ts'
import type { UserPermissions, UserRole } from '../../http/caller.ts'
import { currentSettings } from '../../settings/queries.ts'
import { mustAgreeToTerms } from '../users/rules.ts'

/** How keys and tokens are kept: they are long and random, so a plain SHA-256 cannot be reversed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** A key that was used, and its caller. */
export interface UsedKey {
  id: number
  /** UNIX milliseconds; null = this is the first time. */
  lastUsedAt: number | null
  caller: Caller
}

/** The API key of this organization, if its user may sign in. It is found by its hash, so no time tells how much of it is right. */
export async function findApiKey(
  db: Kysely<Schema>,
  organizationId: number,
  key: string
): Promise<UsedKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select([...callerColumns, ...rightColumns, 'api_keys.id', 'last_used_at'])
    .where('api_keys.key_hash', '=', hashSecret(key))
    .where('api_keys.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row || !mayWorkThere(row)) return undefined
  return {
    id: row.id,
    lastUsedAt: row.last_used_at,
    caller: readCaller(row, { mustAgree: false, apiKeyId: row.id })
  }
}

/** An API key as it is listed; the key itself cannot be shown again. */
export interface ApiKeyRow {
  id: number
  name: string
  userId: number
  userName: string
  createdAt: number
  lastUsedAt: number | null
}

/** The API keys of an organization, or of one of its users, the newest first. */
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

/** The caller that a window signed in as. */
export async function callerOfSession(
  db: Kysely<Schema>,
  token: string,
  now: number
): Promise<Caller | undefined> {
  const row = await db
    .selectFrom('window_sessions')
    .innerJoin('users', 'users.id', 'window_sessions.user_id')
    .innerJoin('organizations', 'organizations.id', 'window_sessions.organization_id')
    .select([...callerColumns, ...rightColumns, 'users.terms_and_conditions_version'])
    .where('window_sessions.token_hash', '=', hashSecret(token))
    .where('window_sessions.expires_at', '>', now)
    .executeTakeFirst()
  if (!row || !mayWorkThere(row)) return undefined
  return readCaller(row, { mustAgree: mustAgreeToTerms(row, await currentSettings(db)), apiKeyId: null })
}

/** Whether the user may sign in, and work in the organization: their own, or any for a system administrator. */
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

/** What {@link mayWorkThere} looks at. Keys and windows of deleted users are gone. */
const rightColumns = ['users.active', 'users.organization_id as home'] as const
