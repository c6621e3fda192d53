import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { UsersTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import { permissionActions, type UserPermissions } from '../../http/caller.ts'
import { emailKey } from '../subscribers/rules.ts'
import type { User, UserOrder } from './schema.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

export type UserRow = Selectable<UsersTable>

export interface UserFilter {
  /** Null = of all organizations. */
  organizationId: number | null
  /** Exact match, ignoring case. */
  fullName?: string | undefined
  fullNameContains?: string | undefined
  /** Exactly. */
  email?: string | undefined
  emailContains?: string | undefined
}

/** docs/api.md, "Users". */
const orderColumns = { id: 'id', full_name: 'full_name_key', email: 'email_key' } as const

export async function users(
  db: Kysely<Schema>,
  filter: UserFilter,
  order: UserOrder,
  page: Page
): Promise<{ rows: UserRow[]; total: number }> {
  let query = db.selectFrom('users').where('deleted_at', 'is', null)
  const { organizationId, fullName, fullNameContains, email, emailContains } = filter
  if (organizationId !== null) query = query.where('organization_id', '=', organizationId)
  if (fullName !== undefined) query = query.where('full_name_key', '=', fullName.toLowerCase())
  if (email !== undefined) query = query.where('email', '=', email)
  if (fullNameContains !== undefined) {
    const part = fullNameContains.toLowerCase()
    query = query.where((where) =>
      where(where.fn<number>('instr', ['full_name_key', where.val(part)]), '>', 0)
    )
  }
  if (emailContains !== undefined) {
    const part = emailContains.toLowerCase()
    query = query.where((where) => where(where.fn<number>('instr', ['email_key', where.val(part)]), '>', 0))
  }
  return pageOf(query.selectAll().orderBy(orderColumns[order]).orderBy('id'), page)
}

/**
 * Returns the organization whose users the caller sees; system administrators see all (docs/api.md, "Users").
 */
export function organizationSeenBy({
  role,
  organizationId
}: Pick<Caller, 'role' | 'organizationId'>): number | null {
  return role === 'system_admin' ? null : organizationId
}

/**
 * @param organizationId the required organization; null = any
 * @throws ApiError not_found
 */
export async function userById(
  db: Kysely<Schema>,
  organizationId: number | null,
  id: number
): Promise<UserRow> {
  let query = db.selectFrom('users').selectAll().where('id', '=', id).where('deleted_at', 'is', null)
  if (organizationId !== null) query = query.where('organization_id', '=', organizationId)
  const row = await query.executeTakeFirst()
  if (!row) throw notFound('user', id)
  return row
}

/** The user with this email, however it is spelled. */
export function userByEmail(db: Kysely<Schema>, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', emailKey(email))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** True if another user is an active system administrator. */
export async function hasOtherSystemAdmin(db: Kysely<Schema>, id: number): Promise<boolean> {
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'system_admin')
    .where('active', '=', 1)
    .where('deleted_at', 'is', null)
    .where('id', '!=', id)
    .executeTakeFirst()
  return other !== undefined
}

/** @param now UNIX milliseconds */
export function isLockedOut({ locked_out_until }: Pick<UserRow, 'locked_out_until'>, now: number): boolean {
  return locked_out_until !== null && locked_out_until > now
}

/** A user as the API answers it; the password never is. */
export function presentUser(row: UserRow, timeZone: string): User {
  const isOut = isLockedOut(row, Date.now())
  const stored = JSON.parse(row.permissions) as UserPermissions
  const keys = Object.keys(permissionActions) as (keyof typeof permissionActions)[]
  return {
    id: row.id,
    full_name: row.full_name,
    email: row.email,
    active: row.active === 1,
    role: row.role,
    show_quick_tips: row.show_quick_tips === 1,
    default_preview_recipients: JSON.parse(row.default_preview_recipients) as string[],
    terms_and_conditions_version: row.terms_and_conditions_version,
    default_html_editor: row.default_html_editor,
    // Administrators may do everything, and say so (docs/api.md, "Users").
    permissions: Object.fromEntries(
      keys.map((key) => [key, [...(row.role === 'standard' ? (stored[key] ?? []) : permissionActions[key])]])
    ),
    password_failure_lockout: {
      is_locked_out: isOut,
      expires_at: formatOptionalTime(isOut ? row.locked_out_until : null, timeZone)
    },
    time_zone: row.time_zone
  }
}
