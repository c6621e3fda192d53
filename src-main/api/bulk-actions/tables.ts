import type { ColumnType, Generated } from 'kysely'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { BulkActionState, KeptReason } from './schema.ts'

/** Subscribers whom a person has chosen, as they were found when they were counted. */
export interface SelectionsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  user_id: number
  /** In words. */
  description: string
  /** How many they are. */
  subscribers: number
  created_at: Fixed<Time>
}

/** Some of a selection, in the order of ids. */
export interface SelectedSubscribersTable {
  selection_id: number
  last_id: number
  /** See selected-ids.ts. */
  ids: Buffer
}

type Counter = ColumnType<number, number | undefined, number>

export interface BulkActionsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  user_id: number
  /** null once nothing is left to do. */
  selection_id: number | null
  /** Who was chosen, in words. */
  description: string
  /** {@link BulkActionSettings} */
  settings: Json
  /** The other list or the suppression list that it writes to. */
  target_id: number | null
  state: BulkActionState
  error_message: ColumnType<string | null, string | null | undefined, string | null>
  /** How many were chosen. */
  total: number
  /** The last subscriber that was dealt with. */
  after_id: Counter
  done: Counter
  changed: Counter
  /** How many were so already. */
  same: Counter
  /** How many were left as they were for a reason. */
  kept: Counter
  undo_done: Counter
  restored: Counter
  /** How many the undoing left as they were. */
  not_restored: Counter
  /** When what undoing needs was removed. */
  forgotten_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  created_at: Fixed<Time>
  /** When it was finished, cancelled or failed. */
  finished_at: ColumnType<Time | null, Time | null | undefined, Time | null>
}

/** What undoing an action needs to know of what one command wrote. */
export interface BulkActionChangesTable {
  id: Generated<number>
  bulk_action_id: number
  written_at: Time
  /** Packed notes, an entry for each subscriber; see bulk-actions/work.ts. */
  notes: Buffer
  /** Whether undoing has come by, and left those who are still in the notes. */
  is_tried: ColumnType<Flag, Flag | undefined, Flag>
}

/**
 * Somebody who is on no list and may come back: who followed a link to unsubscribe after they were deleted, or went with the list
 * that they had been moved to.
 */
export interface AbsentSubscribersTable {
  subscriber_id: number
  /** What they are if they come back. */
  status: SubscriberStatus
  at: Time
}

/** A subscriber whom an action, or its undoing, left as it was. */
export interface BulkActionKeptTable {
  bulk_action_id: number
  is_undo: Flag
  subscriber_id: number
  email: string
  reason: KeptReason
  /** What the reason does not say, such as the name of a field. */
  detail: string | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    selections: SelectionsTable
    selected_subscribers: SelectedSubscribersTable
    bulk_actions: BulkActionsTable
    bulk_action_changes: BulkActionChangesTable
    bulk_action_kept: BulkActionKeptTable
    absent_subscribers: AbsentSubscribersTable
  }
  interface ChangedEntities {
    bulk_action: unknown
  }
}
