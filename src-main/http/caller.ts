/** docs/api.md, "Users". */
export const userRoles = ['system_admin', 'organization_admin', 'standard'] as const
export type UserRole = (typeof userRoles)[number]

/** What a permission of a user can name: each key with its actions (docs/api.md, "Users"). */
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

/** One action on one kind of record, such as "subscriber.read". */
export type Permission = { [Key in PermissionKey]: `${Key}.${Actions[Key][number]}` }[PermissionKey]

/** The permissions of a standard user: key -> actions. Administrators have all of them. */
export type UserPermissions = Partial<Record<PermissionKey, readonly string[]>>

/** Who makes a request: a key or a signed-in window belongs to an organization and a user (docs/api.md, "Who may call"). */
export interface Caller {
  organizationId: number
  organizationName: string
  /** For every time in the answer. */
  timeZone: string
  userId: number
  role: UserRole
  /** What a standard user may do; administrators may do everything. */
  permissions: UserPermissions
  /** The key that it came with; null = a signed-in window. */
  apiKeyId: number | null
  /** Whether a window waits for its user to agree to the terms; nothing else is done for it meanwhile. */
  mustAgree: boolean
}
