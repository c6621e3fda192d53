import { type Refusal } from '../base/refusal.ts'
import { join } from 'node:path'
import { type ImportCounts, zeroCounts } from '../api/subscriber-imports/schema.ts'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import type { RowPlan } from './plan.ts'
import type { FieldChange } from './value-changes.ts'

export interface DryRunThreadOptions {
  plan: RowPlan
  mailingListId: number
  /** Number of subscribers that may be added; Infinity = no limit. */
  room: number
  databasePath: string
  directory: string
}

export interface DryRunProgress {
  state: 'splitting' | 'importing' | 'finished' | 'failed'
  fault: Refusal | null
  stats: {
    number_of_records: number | null
    records_imported: number
    subscribers: ImportCounts
  }
  statuses: Partial<Record<SubscriberStatus, number>>
  /** The changes of existing subscribers by field, and how many would stay unchanged. */
  changes: FieldChange[]
  unchanged: number
}

export function newProgress(): DryRunProgress {
  return {
    state: 'splitting',
    fault: null,
    stats: { number_of_records: null, records_imported: 0, subscribers: zeroCounts() },
    statuses: {},
    changes: [],
    unchanged: 0
  }
}

export function dryRunLogs(directory: string): string {
  return join(directory, 'logs')
}
