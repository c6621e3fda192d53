import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { ColumnType, Generated } from 'kysely'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { BulkActionState, KeptReason } from './schema.ts'

/** The ids of selected subscribers at the time they were counted. */
export interface SelectionsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  user_id: number
  description: string
  subscribers: number
  created_at: Fixed<Time>
}

/** A part of a selection, in id order. */
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
  /** null once the action is done. */
  selection_id: number | null
  /** The selection in words. */
  description: string
  /** {@link BulkActionSettings} */
  settings: Json
  /** The other list or the suppression list. */
  target_id: number | null
  state: BulkActionState
  error_message: ColumnType<StoredRefusal | null, StoredRefusal | null | undefined, StoredRefusal | null>
  /** Subscribers in the selection. */
  total: number
  /** The last processed subscriber. */
  after_id: Counter
  done: Counter
  changed: Counter
  /** Subscribers that were like this already. */
  same: Counter
  /** Subscribers that were skipped for a reason. */
  kept: Counter
  undo_done: Counter
  restored: Counter
  /** Subscribers that the undo skipped. */
  not_restored: Counter
  /** When the data for undoing was deleted. */
  forgotten_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  created_at: Fixed<Time>
  /** When it finished, failed or was cancelled. */
  finished_at: ColumnType<Time | null, Time | null | undefined, Time | null>
}

/** The data that undoing one command of an action needs. */
export interface BulkActionChangesTable {
  id: Generated<number>
  bulk_action_id: number
  written_at: Time
  /** Packed notes, one per subscriber; see bulk-actions/work.ts. */
  notes: Buffer
  /** 1 if the undo has processed these notes and kept the subscribers that it could not restore. */
  is_tried: ColumnType<Flag, Flag | undefined, Flag>
}

/**
 * The state of a subscriber who is on no list and may be restored: one who followed an unsubscribe link after
 * being deleted, or who was on a deleted list after being moved there.
 */
export interface AbsentSubscribersTable {
  subscriber_id: number
  /** The status after a restore. */
  status: SubscriberStatus
  at: Time
}

/** A subscriber that an action or its undo skipped. */
export interface BulkActionKeptTable {
  bulk_action_id: number
  is_undo: Flag
  subscriber_id: number
  email: string
  reason: KeptReason
  /** Details of the reason, such as the name of a field. */
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
