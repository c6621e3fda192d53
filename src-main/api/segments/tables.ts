import type { Generated } from 'kysely'
import type { Time, Json, Fixed } from '../../database/schema.ts'

/** Conditions that select subscribers of a list; see api/segments/queries.ts. */
export interface SegmentsTable {
  id: Generated<number>
  mailing_list_id: number
  /** null = ad hoc: it belongs to a campaign or template. */
  name: string | null
  /** Lower-case name. */
  name_key: string | null
  /** {@link SegmentCondition}[]; all must hold */
  clause: Json
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    segments: SegmentsTable
  }
  interface ChangedEntities {
    segment: unknown
  }
}
