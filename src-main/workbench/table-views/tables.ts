import type { Generated } from 'kysely'
import type { Fixed, Json, Time } from '../../database/schema.ts'

/** A way to look at the table of a list's subscribers, saved under a name. */
export interface TableViewsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  name_key: string
  /** {@link ViewSettings} */
  settings: Json
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    table_views: TableViewsTable
  }
}
