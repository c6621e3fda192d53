import { type Command, type CommandContext, evenIfDamaged, recordRow } from '../../database/command.ts'
import { ApiError, Faults, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { currentSettings } from '../../settings/queries.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import type { Caller } from '../../http/caller.ts'
import { emailKey } from '../subscribers/rules.ts'
import {
  hasOtherSystemAdmin,
  isLockedOut,
  organizationSeenBy,
  userByEmail,
  userById,
  type UserRow
} from './queries.ts'
import { checkUserEmail, readPermissions, readPreviewRecipients, readUserTimeZone } from './rules.ts'
import type { UserRole } from '../../http/caller.ts'
import type { LockoutReset, UserChanges, UserInput } from './schema.ts'

type By = Pick<Caller, 'organizationId' | 'role'>

interface WithPassword {
  /** See passwords.ts; undefined = unchanged, or none. */
  passwordHash: string | undefined
}

/**
 * Adds a user to the caller's organization.
 * @throws ApiError validation_failed with everything that is wrong
 */
const createUser: Command<{ by: By; user: UserInput } & WithPassword, UserRow> = async (
  context,
  { by, user, passwordHash }
) => {
  const { organizationId } = by
  const faults = new Faults()
  checkRole(by, organizationId, user.role, faults)
  const columns = await readColumns(context, null, user, faults)
  faults.throwIfAny()
  const row = await context.db
    .insertInto('users')
    .values({
      ...columns,
      ...namesOfUser(user.full_name, user.email),
      organization_id: organizationId,
      active: Number(user.active),
      role: user.role,
      password_hash: passwordHash ?? null,
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'user', 'create', row, {
    role: [null, row.role],
    active: [null, row.active],
    ...(row.permissions !== '{}' && { permissions: [null, row.permissions] })
  })
  return row
}

interface Named {
  by: By
  id: number
}

/**
 * Changes what the request names and keeps the rest. Another password, and an end of the right to sign in, end the user's windows.
 * @throws ApiError not_found; validation_failed with everything that is wrong
 */
const updateUser: Command<Named & { changes: UserChanges } & WithPassword, UserRow> = async (
  context,
  { by, id, changes, passwordHash }
) => {
  const before = await userById(context.db, organizationSeenBy(by), id)
  const { full_name = before.full_name, email = before.email, role = before.role } = changes
  const active = changes.active ?? before.active === 1
  const faults = new Faults()
  requireMayChange(by, before)
  checkRole(by, before.organization_id, role, faults)
  if (isActiveSystemAdmin(before) && !(active && role === 'system_admin')) {
    await checkOtherSystemAdmin(context, before, 'last_admin_changed', faults)
  }
  const columns = await readColumns(context, before, { ...changes, email }, faults)
  faults.throwIfAny()
  if (passwordHash !== undefined || !active) await endWindows(context, id)
  const row = await context.db
    .updateTable('users')
    .set({
      ...columns,
      ...namesOfUser(full_name, email),
      active: Number(active),
      role,
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      updated_at: context.now
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'user', 'update', row, differences(before, row, passwordHash !== undefined))
  return row
}

/** Removes a user with their API keys and windows. @throws ApiError not_found; validation_failed for the last system administrator */
const deleteUser: Command<Named, void> = async (context, { by, id }) => {
  const row = await userById(context.db, organizationSeenBy(by), id)
  requireMayChange(by, row)
  const faults = new Faults()
  if (isActiveSystemAdmin(row)) await checkOtherSystemAdmin(context, row, 'last_admin_deleted', faults)
  faults.throwIfAny()
  await endWindows(context, id)
  await context.db.deleteFrom('api_keys').where('user_id', '=', id).execute()
  await context.db
    .updateTable('users')
    .set({ deleted_at: context.now, password_hash: null })
    .where('id', '=', id)
    .execute()
  recordRow(context, 'user', 'delete', row)
}

/**
 * Unlocks a user who entered too many wrong passwords (docs/api.md, "Users").
 * @throws ApiError not_found
 */
export const resetPasswordFailureLockout: Command<Named, LockoutReset> = async (context, { by, id }) => {
  const row = await userById(context.db, organizationSeenBy(by), id)
  requireMayChange(by, row)
  await deleteFailures(context, id)
  recordRow(context, 'user', 'update', row)
  return { result: isLockedOut(row, context.now) ? 'lockout_cleared' : 'not_locked_out' }
}

/** Wrong passwords in a row that lock a user out. */
export const maxPasswordFailures = 5

/**
 * Counts an attempt as failed before the password is checked, until {@link recordRightPassword} reverts it, so
 * that parallel attempts cannot exceed the limit.
 * @returns false while the user is locked out
 */
export const countPasswordAttempt: Command<{ userId: number }, boolean> = async (context, { userId }) => {
  const row = await userById(context.db, null, userId)
  if (isLockedOut(row, context.now)) return false
  const { service_user_login_lockout_duration: seconds } = await currentSettings(context.db)
  // Failed sign-ins stop counting after the duration of a lockout.
  const isOld = row.password_failed_at === null || row.password_failed_at + seconds * 1000 <= context.now
  const failures = isOld ? 1 : row.password_failures + 1
  const locks = failures >= maxPasswordFailures && seconds > 0
  await context.db
    .updateTable('users')
    .set({
      password_failures: locks ? 0 : failures,
      password_failed_at: context.now,
      ...(locks && { locked_out_until: context.now + seconds * 1000 })
    })
    .where('id', '=', userId)
    .execute()
  if (locks) recordRow(context, 'user', 'update', row)
  return true
}

/** Reverts what {@link countPasswordAttempt} counted. */
export const recordRightPassword: Command<{ userId: number }, void> = (context, { userId }) =>
  deleteFailures(context, userId)

/**
 * Records that a user agreed to a version of the terms.
 * @throws ApiError not_found; validation_failed if there is no such version
 */
export const agreeToTerms: Command<{ userId: number; version: number }, void> = async (
  context,
  { userId, version }
) => {
  const { service_terms_and_conditions_version: current } = await currentSettings(context.db)
  if (current !== version) {
    throw validationFailed(refusal('version_of_terms', { field: 'version', version: current ?? 'none' }))
  }
  const row = await userById(context.db, null, userId)
  await context.db
    .updateTable('users')
    .set({ terms_and_conditions_version: version, updated_at: context.now })
    .where('id', '=', userId)
    .execute()
  recordRow(context, 'user', 'update', row)
}

/** The columns that a new user and a changed one share; those that the request leaves out are undefined. */
async function readColumns(
  context: CommandContext,
  before: UserRow | null,
  given: Partial<UserInput> & { email: string },
  faults: Faults
) {
  const email = given.email.trim()
  checkUserEmail(email, faults)
  const other = await userByEmail(context.db, email)
  if (other && other.id !== before?.id) {
    faults.add(refusal('name_taken', { field: 'email', name: email, kind: 'user' }))
  }
  const {
    terms_and_conditions_version: terms,
    default_preview_recipients: recipients,
    time_zone: zone
  } = given
  const { service_terms_and_conditions_version: current } = await currentSettings(context.db)
  if (terms !== undefined && terms !== (before?.terms_and_conditions_version ?? null) && current === null) {
    faults.add(refusal('terms_not_enabled', { field: 'terms_and_conditions_version' }))
  }
  return {
    ...(terms !== undefined && { terms_and_conditions_version: terms }),
    ...(given.show_quick_tips !== undefined && { show_quick_tips: Number(given.show_quick_tips) }),
    ...(given.default_html_editor !== undefined && { default_html_editor: given.default_html_editor }),
    ...(recipients !== undefined && {
      default_preview_recipients: JSON.stringify(readPreviewRecipients(recipients, faults))
    }),
    ...(given.permissions !== undefined && {
      permissions: JSON.stringify(readPermissions(given.permissions, faults))
    }),
    ...(zone !== undefined && { time_zone: readUserTimeZone(zone, faults) })
  }
}

const recordedColumns = ['full_name', 'email', 'role', 'active', 'permissions', 'time_zone'] as const

/** Returns the changes of a user for the audit log. Of a password it says only that it changed. */
function differences(before: UserRow, now: UserRow, hasNewPassword: boolean): Record<string, unknown> {
  const changed = recordedColumns.filter((column) => before[column] !== now[column])
  return {
    ...Object.fromEntries(changed.map((column) => [column, [before[column], now[column]]])),
    ...(hasNewPassword && { password: true })
  }
}

function namesOfUser(fullName: string, email: string) {
  const name = fullName.trim()
  return {
    full_name: name,
    full_name_key: name.toLowerCase(),
    email: email.trim(),
    email_key: emailKey(email)
  }
}

function checkRole(by: By, organizationId: number, role: UserRole, faults: Faults): void {
  if (role !== 'system_admin') return
  if (organizationId !== systemOrganizationId) {
    faults.add(refusal('system_admin_elsewhere', { field: 'role' }))
  } else if (by.role !== 'system_admin') {
    faults.add(refusal('system_admin_by_others', { field: 'role' }))
  }
}

/** An administrator of the System Organization is no system administrator, and does not become one by a password. */
function requireMayChange(by: By, { role, id }: UserRow): void {
  if (role !== 'system_admin' || by.role === 'system_admin') return
  throw new ApiError('not_authorized', refusal('user_is_system_admin', { id }))
}

function isActiveSystemAdmin({ role, active }: UserRow): boolean {
  return role === 'system_admin' && active === 1
}

async function checkOtherSystemAdmin(
  context: CommandContext,
  { id, full_name }: UserRow,
  rule: 'last_admin_deleted' | 'last_admin_changed',
  faults: Faults
): Promise<void> {
  if (await hasOtherSystemAdmin(context.db, id)) return
  faults.add(refusal(rule, { name: full_name }))
}

async function endWindows(context: CommandContext, userId: number): Promise<void> {
  await context.db.deleteFrom('window_sessions').where('user_id', '=', userId).execute()
}

async function deleteFailures(context: CommandContext, userId: number): Promise<void> {
  await context.db
    .updateTable('users')
    .set({ password_failures: 0, password_failed_at: null, locked_out_until: null })
    .where('id', '=', userId)
    .execute()
}

export const userCommands = {
  create: createUser,
  update: updateUser,
  delete: deleteUser,
  resetPasswordFailureLockout,
  countPasswordAttempt: evenIfDamaged(countPasswordAttempt),
  recordRightPassword: evenIfDamaged(recordRightPassword),
  agreeToTerms
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    users: typeof userCommands
  }
}
