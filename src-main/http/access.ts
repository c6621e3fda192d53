import type { Caller, Permission, PermissionKey } from './caller.ts'

/**
 * Who may use a route: anyone at all, whoever has the link of a message (on any web page), anyone who is signed in, a kind
 * of administrator, or who has a permission.
 */
export type Access =
  'public' | 'message_link' | 'signed_in' | 'organization_admin' | 'system_admin' | Permission | AnyOf

/** Permissions of which one will do. */
type AnyOf = readonly [Permission, Permission, ...Permission[]]

/** What decides over access: a caller, or the user of a window. */
type Holder = Pick<Caller, 'role' | 'permissions'>

/** Whether a caller may use what has this access. */
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

/** Whether a caller may do something: administrators may do everything. */
export function hasPermission(holder: Holder, permission: Permission): boolean {
  if (holder.role !== 'standard') return true
  const [key, action] = permission.split('.') as [PermissionKey, string]
  return holder.permissions[key]?.includes(action) ?? false
}
