import { type Static, Type } from 'typebox'
import { userRoles } from '../../http/caller.ts'
import { Filled, Nullable, Timestamp } from '../../http/schema.ts'

/** docs/api.md, "Users": the first one is the default. */
export const htmlEditors = ['bee', 'tinymce', 'raw html'] as const
export type HtmlEditor = (typeof htmlEditors)[number]

/** key -> actions; see permissionActions. */
const Permissions = Type.Record(Type.String(), Type.Array(Type.String()))

/** docs/api.md, "Users". */
export const User = Type.Object({
  id: Type.Integer(),
  full_name: Type.String(),
  email: Type.String(),
  active: Type.Boolean(),
  role: Type.Enum([...userRoles]),
  show_quick_tips: Type.Boolean(),
  default_preview_recipients: Type.Array(Type.String()),
  terms_and_conditions_version: Nullable(Type.Integer()),
  default_html_editor: Type.Enum([...htmlEditors]),
  /** Each key with the actions that a standard user may do; administrators may do everything. */
  permissions: Permissions,
  password_failure_lockout: Type.Object({
    is_locked_out: Type.Boolean(),
    expires_at: Nullable(Timestamp)
  }),
  time_zone: Nullable(Type.String())
})
export type User = Static<typeof User>

const required = {
  full_name: Filled({ maxLength: 100 }),
  email: Filled({ maxLength: 254 }),
  active: Type.Boolean(),
  role: Type.Enum([...userRoles])
}

const Password = Filled({ maxLength: 1000 })

const optional = Type.Partial(
  Type.Object({
    show_quick_tips: Type.Boolean(),
    /** Null clears them. */
    default_preview_recipients: Nullable(Type.Array(Type.String(), { maxItems: 100 })),
    terms_and_conditions_version: Nullable(Type.Integer({ minimum: 0 })),
    default_html_editor: Type.Enum([...htmlEditors]),
    /** Replaces the whole set. */
    permissions: Permissions,
    time_zone: Nullable(Type.String({ maxLength: 100 })),
    password1: Password,
    /** The same once more. */
    password2: Password
  })
).properties

export const UserInput = Type.Object({ ...required, ...optional })
export type UserInput = Static<typeof UserInput>

/** An update keeps what its body leaves out (docs/api.md, "Requests and answers"). */
export const UserChanges = Type.Object({ ...Type.Partial(Type.Object(required)).properties, ...optional })
export type UserChanges = Static<typeof UserChanges>

export const LockoutReset = Type.Object({ result: Type.Enum(['lockout_cleared', 'not_locked_out']) })
export type LockoutReset = Static<typeof LockoutReset>

export const userOrders = ['id', 'full_name', 'email'] as const
export type UserOrder = (typeof userOrders)[number]
