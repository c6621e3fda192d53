import { join } from 'node:path'
import { type ImportCounts, zeroCounts } from '../api/subscriber-imports/schema.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import type { RowPlan } from './plan.ts'
import type { FieldChange } from './value-changes.ts'

/** What the thread of a dry run is started with. */
export interface DryRunThreadOptions {
  plan: RowPlan
  mailingListId: number
  /** How many subscribers may be added; Infinity without a limit. */
  room: number
  databasePath: string
  /** Which the dry run has for itself. */
  directory: string
}

/** How far a dry run is, in the terms of an import. */
export interface DryRunProgress {
  state: 'splitting' | 'importing' | 'finished' | 'failed'
  error_message: string | null
  stats: {
    number_of_records: number | null
    records_imported: number
    subscribers: ImportCounts
  }
  /** How many of those who would be added have each status. */
  statuses: Partial<Record<SubscriberStatus, number>>
  /** What would change of updated subscribers, field by field, and how many of them stay as they are. */
  changes: FieldChange[]
  unchanged: number
}

export function newProgress(): DryRunProgress {
  return {
    state: 'splitting',
    error_message: null,
    stats: { number_of_records: null, records_imported: 0, subscribers: zeroCounts() },
    statuses: {},
    changes: [],
    unchanged: 0
  }
}

/** The directory of the logs of a dry run. */
export function dryRunLogs(directory: string): string {
  return join(directory, 'logs')
}
