import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { HtmlEditor } from './schema.ts'
import type { UserRole } from '../../http/caller.ts'

export interface UsersTable {
  id: Generated<number>
  organization_id: Fixed<number>
  full_name: string
  full_name_key: string
  email: string
  /** {@link emailKey} of the email: unique among the users who are not deleted. */
  email_key: string
  active: Flag
  role: UserRole
  /** {@link UserPermissions} of a standard user */
  permissions: ColumnType<Json, Json | undefined, Json>
  show_quick_tips: ColumnType<Flag, Flag | undefined, Flag>
  /** An array of addresses. */
  default_preview_recipients: ColumnType<Json, Json | undefined, Json>
  default_html_editor: ColumnType<HtmlEditor, HtmlEditor | undefined, HtmlEditor>
  terms_and_conditions_version: ColumnType<number | null, number | null | undefined, number | null>
  time_zone: ColumnType<string | null, string | null | undefined, string | null>
  /** See api/users/passwords.ts; null = cannot sign in with a password. */
  password_hash: ColumnType<string | null, string | null | undefined, string | null>
  /** Failed passwords in a row. */
  password_failures: ColumnType<number, number | undefined, number>
  password_failed_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  locked_out_until: ColumnType<Time | null, Time | null | undefined, Time | null>
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: ColumnType<Time | null, undefined, Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    users: UsersTable
  }
  interface ChangedEntities {
    user: unknown
  }
}
