import type { UserPermissions, UserRole } from './permissions.ts'

/** Who makes a request: a key or a signed-in window belongs to an organization and a user (spec, "Authentication"). */
export interface Caller {
  organizationId: number
  organizationName: string
  /** For every time in the answer. */
  timeZone: string
  userId: number
  role: UserRole
  /** What a standard user may do; administrators may do everything. */
  permissions: UserPermissions
  /** Whether a window waits for its user to agree to the terms; nothing else is done for it meanwhile. */
  mustAgree: boolean
}
