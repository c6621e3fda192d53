import type { Faults } from '../../base/errors.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { timeZoneNamed } from '../../base/times.ts'
import { permissionActions, type UserPermissions } from '../../http/caller.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { Settings } from '../../settings/schema.ts'
import type { UserRow } from './queries.ts'

/** Adds a fault if the email is no address or its domain is internationalized (docs/api.md, "Users"). */
export function checkUserEmail(email: string, faults: Faults): void {
  if (!isEmail(email)) faults.add(refusalAt('email', emailComplaint(email)))
  else if (/[^\x00-\x7f]/.test(email.slice(email.lastIndexOf('@')))) {
    faults.add(refusal('ascii_domain', { field: 'email', email }))
  }
}

/** The permissions that a request names, each action once and in the order of the list (docs/api.md, "Users"). */
export function readPermissions(given: Record<string, string[]>, faults: Faults): UserPermissions {
  const permissions: Record<string, string[]> = {}
  for (const [key, actions] of Object.entries(given)) {
    if (!isPermissionKey(key)) {
      faults.add(
        refusal('permission_unknown', { field: `permissions.${key}`, known: Object.keys(permissionActions) })
      )
      continue
    }
    const allowed: readonly string[] = permissionActions[key]
    const unknown = actions.find((action) => !allowed.includes(action))
    if (unknown !== undefined) {
      faults.add(refusal('permission_takes', { field: `permissions.${key}`, allowed, unknown }))
    }
    permissions[key] = allowed.filter((action) => actions.includes(action))
  }
  return permissions
}

function isPermissionKey(key: string): key is keyof typeof permissionActions {
  return Object.hasOwn(permissionActions, key)
}

/** The addresses to which previews go, without those that repeat. */
export function readPreviewRecipients(given: string[] | null, faults: Faults): string[] {
  const addresses = (given ?? []).map((address) => address.trim())
  for (const [index, address] of addresses.entries()) {
    if (!isEmail(address)) {
      faults.add(refusalAt(`default_preview_recipients.${index}`, emailComplaint(address)))
    }
  }
  return [...new Set(addresses)]
}

export function readUserTimeZone(name: string | null, faults: Faults): string | null {
  if (name === null || name.trim() === '') return null
  const zone = timeZoneNamed(name)
  if (zone === null) faults.add(refusal('time_zone', { field: 'time_zone', name }))
  return zone
}

/** docs/api.md, "Users": system administrators are not asked. */
export function mustAgreeToTerms(
  { role, terms_and_conditions_version: agreed }: Pick<UserRow, 'role' | 'terms_and_conditions_version'>,
  settings: Settings
): boolean {
  const version = settings.service_terms_and_conditions_version
  if (version === null || role === 'system_admin') return false
  const isOutdated = settings.service_terms_and_conditions_require_on_updates && (agreed ?? 0) < version
  return agreed === null || isOutdated
}
