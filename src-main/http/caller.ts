/** docs/api.md, "Users". */
export const userRoles = ['system_admin', 'organization_admin', 'standard'] as const
export type UserRole = (typeof userRoles)[number]

/** The permissions of a user: each key with its actions (docs/api.md, "Users"). */
export const permissionActions = {
  mailing_list: ['create', 'update', 'delete'],
  segmentation_criteria: ['create', 'update', 'delete'],
  web_form: ['create', 'update', 'delete'],
  custom_field: ['create', 'update', 'delete'],
  'campaign/template': ['create', 'update', 'delete'],
  seed_list: ['create', 'update', 'delete'],
  subscriber: ['create', 'update', 'delete', 'read', 'import', 'export'],
  autoresponder: ['create', 'update', 'delete', 'update_state', 'read_stats'],
  campaign: ['create', 'update', 'delete', 'send', 'update_state', 'read_stats']
} as const

type Actions = typeof permissionActions
export type PermissionKey = keyof Actions

/** An action on a kind of record, such as "subscriber.read". */
export type Permission = { [Key in PermissionKey]: `${Key}.${Actions[Key][number]}` }[PermissionKey]

/** The permissions of a standard user: key -> actions. Administrators have all of them. */
export type UserPermissions = Partial<Record<PermissionKey, readonly string[]>>

/**
 * The user behind a request: a key or signed-in window belongs to an organization and a user
 * (docs/api.md, "Who may call").
 */
export interface Caller {
  organizationId: number
  organizationName: string
  /** For times in the answer. */
  timeZone: string
  userId: number
  role: UserRole
  /** The permissions of a standard user; administrators have all. */
  permissions: UserPermissions
  /** The key that it came with; null = a signed-in window. */
  apiKeyId: number | null
  /** True if the user has to agree to the terms before other calls. */
  mustAgree: boolean
}
