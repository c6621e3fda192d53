import type { Generated } from 'kysely'
import type { Time, Json, Fixed } from '../../database/schema.ts'

export interface SeedListsTable {
  id: Generated<number>
  organization_id: number
  name: string
  name_key: string
  /** array of addresses */
  addresses: Json
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    seed_lists: SeedListsTable
  }
  interface ChangedEntities {
    seed_list: unknown
  }
}
