import { join } from 'node:path'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import type { ExportSettings } from '../api/subscriber-exports/schema.ts'

/** All that the export thread needs to know; the writer hands it out when the work begins. */
export interface ExportPlan {
  id: number
  mailingListId: number
  /** Who is exported; null = the clause tells. */
  selectionId: number | null
  /** Of the segment that is exported; empty = all subscribers. */
  clause: SettledCondition[]
  /** Whether it is known how many rows there will be; a segment has to be counted first. */
  isCounted: boolean
  settings: ExportSettings
  fields: FieldDefinition[]
  /** For every time in the file. */
  timeZone: string
  /** How far the file is: rows, the id of the last one, and bytes. */
  progress: { records: number; afterId: number; bytes: number }
}

/** The file of an export. */
export function exportPath(dataDirectory: string, exportId: number): string {
  return join(dataDirectory, 'exports', `${exportId}.csv`)
}
