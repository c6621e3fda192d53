import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, withDefault } from '../../http/schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'

/** What can be done to many subscribers at once. */
export const bulkActionKinds = [
  'set_status',
  'set_field',
  'copy',
  'move',
  'suppress',
  'correct_domains',
  'delete'
] as const
export type BulkActionKind = (typeof bulkActionKinds)[number]

/** How a value goes into a field: in place of what is there, or, of several options, beside it or out of it. */
export const fieldModes = ['set', 'add', 'remove'] as const
export type FieldMode = (typeof fieldModes)[number]

export const bulkActionStates = ['running', 'finished', 'cancelled', 'failed', 'undoing', 'undone'] as const
export type BulkActionState = (typeof bulkActionStates)[number]

/** Why somebody was left as they were, by an action or by its undoing. */
export const keptReasons = [
  /** Unsubscribed or complained, and not meant to be made active. */
  'declined',
  /** The other list has somebody with this primary key. */
  'there_already',
  /** A value does not fit the other list, or one is missing there. */
  'does_not_fit',
  /** The organization has as many subscribers as it may have. */
  'limit',
  /** Changed since. */
  'changed',
  /** Somebody with this primary key was added since. */
  'key_taken',
  /** The list has the right address already. */
  'address_taken',
  /** The primary key of the list has changed since. */
  'key_changed',
  /** The field does not take the former value any more. */
  'value_gone'
] as const
export type KeptReason = (typeof keptReasons)[number]

/** What is asked for; which of the keys count is decided by the kind. */
export const BulkActionInput = Type.Object({
  kind: Type.Enum([...bulkActionKinds]),
  status: Type.Optional(Type.Enum([...subscriberStatuses])),
  /** Whether those who unsubscribed or complained become active as well. */
  revives: withDefault(Type.Boolean(), false),
  custom_field_id: Type.Optional(Type.Integer()),
  mode: withDefault(Type.Enum([...fieldModes]), 'set'),
  /** As in custom_fields of a subscriber; null blanks the field. */
  value: Type.Optional(Type.Unknown()),
  /** The list that subscribers are copied or moved to. */
  mailing_list_id: Type.Optional(Type.Integer()),
  suppression_list_id: Type.Optional(Type.Integer()),
  /** Domain as it is written -> as it is right. */
  domains: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Filled({ maxLength: 255 })))
})
export type BulkActionInput = Static<typeof BulkActionInput>

export const BulkAction = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  kind: Type.Enum([...bulkActionKinds]),
  status: Nullable(Type.Enum([...subscriberStatuses])),
  /** The field, list or suppression list that it is about, as it was called when it began. */
  name: Nullable(Type.String()),
  mode: Nullable(Type.Enum([...fieldModes])),
  /** The value of the field as people read it; null = blank. */
  value: Nullable(Type.String()),
  /** Who was chosen, in words. */
  description: Type.String(),
  state: Type.Enum([...bulkActionStates]),
  error_message: Nullable(Type.String()),
  /** How many were chosen, and how many of them were dealt with. */
  total: Type.Integer(),
  done: Type.Integer(),
  changed: Type.Integer(),
  /** How many were so already. */
  same: Type.Integer(),
  /** How many were left as they were for a reason, and how many were deleted before it was their turn. */
  kept: Type.Integer(),
  gone: Type.Integer(),
  undo_done: Type.Integer(),
  restored: Type.Integer(),
  not_restored: Type.Integer(),
  can_be_undone: Type.Boolean(),
  /** Until when; null where it cannot be undone. */
  undo_until: Nullable(Timestamp),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp)
})
export type BulkAction = Static<typeof BulkAction>

/** Whom somebody has chosen, written down so that an action meets exactly these. */
export const Selection = Type.Object({
  id: Type.Integer(),
  subscribers: Type.Integer(),
  /** How many of them have each status. */
  statuses: Type.Object(Object.fromEntries(subscriberStatuses.map((status) => [status, Type.Integer()]))),
  description: Type.String()
})
export type Selection = Static<typeof Selection>
