import type { Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { CustomFieldType } from './schema.ts'

export interface CustomFieldsTable {
  id: Generated<number>
  organization_id: number
  /** null = global. */
  mailing_list_id: number | null
  name: string
  /** Lower-case name, as names ignore case. */
  name_key: string
  field_type: CustomFieldType
  required: Flag
  instructions: string | null
  /** The type-specific attributes without options (docs/api.md, "Custom fields"). */
  attributes: Json
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: Time | null
}

export interface CustomFieldOptionsTable {
  id: Generated<number>
  custom_field_id: number
  name: string
  position: number
}

declare module '../../database/schema.ts' {
  interface Schema {
    custom_fields: CustomFieldsTable
    custom_field_options: CustomFieldOptionsTable
  }
  interface ChangedEntities {
    custom_field: unknown
  }
}
