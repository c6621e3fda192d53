import type { Faults } from '../../base/errors.ts'
import { timeZoneNamed } from '../../base/times.ts'
import { timeZoneComplaint } from '../organizations/rules.ts'
import { permissionActions, type UserPermissions } from '../../http/caller.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { Settings } from '../../settings/schema.ts'
import type { UserRow } from './queries.ts'

/** Adds what is wrong with the email of a user: an address, whose domain is not internationalized (docs/api.md, "Users"). */
export function checkUserEmail(email: string, faults: Faults): void {
  if (!isEmail(email)) faults.add(`email ${emailComplaint(email)}`)
  else if (/[^\x00-\x7f]/.test(email.slice(email.lastIndexOf('@')))) {
    faults.add(`email must be at a domain without letters beyond a to z: "${email}"`)
  }
}

/** The permissions that a request names, each action once and in the order of the list (docs/api.md, "Users"). */
export function readPermissions(given: Record<string, string[]>, faults: Faults): UserPermissions {
  const permissions: Record<string, string[]> = {}
  for (const [key, actions] of Object.entries(given)) {
    if (!isPermissionKey(key)) {
      faults.add(`permissions.${key} does not exist; there are ${Object.keys(permissionActions).join(', ')}`)
      continue
    }
    const allowed: readonly string[] = permissionActions[key]
    const unknown = actions.find((action) => !allowed.includes(action))
    if (unknown !== undefined) {
      faults.add(`permissions.${key} takes ${allowed.join(', ')}, and "${unknown}" is none of them`)
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
    if (!isEmail(address)) faults.add(`default_preview_recipients.${index} ${emailComplaint(address)}`)
  }
  return [...new Set(addresses)]
}

export function readUserTimeZone(name: string | null, faults: Faults): string | null {
  if (name === null || name.trim() === '') return null
  const zone = timeZoneNamed(name)
  if (zone === null) faults.add(`time_zone ${timeZoneComplaint(name)}`)
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
