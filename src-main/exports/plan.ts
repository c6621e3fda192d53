import { join } from 'node:path'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import type { ExportSettings } from '../api/subscriber-exports/schema.ts'

/** All that the export thread needs to know; the writer hands it out when the work begins. */
export interface ExportPlan {
  id: number
  mailingListId: number
  /** The exported selection; null = the clause. */
  selectionId: number | null
  /** The exported segment; empty = all subscribers. */
  clause: SettledCondition[]
  /** True if the number of rows is known; a segment must be counted first. */
  isCounted: boolean
  settings: ExportSettings
  fields: readonly FieldDefinition[]
  /** For times in the file. */
  timeZone: string
  /** The checkpoint: rows, the last id, and bytes. */
  progress: { records: number; afterId: number; bytes: number }
}

/** The file of an export. */
export function exportPath(dataDirectory: string, exportId: number): string {
  return join(dataDirectory, 'exports', `${exportId}.csv`)
}
