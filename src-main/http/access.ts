import type { Caller, Permission, PermissionKey } from './caller.ts'

/**
 * Who may use a route: anyone, holders of a message's link (on any web page), signed-in users,
 * administrators, or users with a permission.
 */
export type Access =
  'public' | 'message_link' | 'signed_in' | 'organization_admin' | 'system_admin' | Permission | AnyOf

type AnyOf = readonly [Permission, Permission, ...Permission[]]

type Holder = Pick<Caller, 'role' | 'permissions'>

/** True if the caller or user may use an endpoint with this access. */
export function hasAccess(holder: Holder, access: Access | undefined): boolean {
  switch (access) {
    case 'public':
    case 'message_link':
    case 'signed_in':
    case undefined:
      return true
    case 'system_admin':
      return holder.role === 'system_admin'
    case 'organization_admin':
      return holder.role !== 'standard'
    default: {
      const permissions: Permission[] = typeof access === 'string' ? [access] : [...access]
      return permissions.some((each) => hasPermission(holder, each))
    }
  }
}

/** True if the caller or user has the permission; administrators have every one. */
export function hasPermission(holder: Holder, permission: Permission): boolean {
  if (holder.role !== 'standard') return true
  const [key, action] = permission.split('.') as [PermissionKey, string]
  return holder.permissions[key]?.includes(action) ?? false
}
