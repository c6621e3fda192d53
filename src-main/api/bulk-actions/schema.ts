import { type Static, Type } from 'typebox'
import { Fault, Filled, Nullable, Timestamp, withDefault } from '../../http/schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'

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

/** Replaces the value, adds options to it or removes options from it. */
export const fieldModes = ['set', 'add', 'remove'] as const
export type FieldMode = (typeof fieldModes)[number]

export const bulkActionStates = ['running', 'finished', 'cancelled', 'failed', 'undoing', 'undone'] as const
export type BulkActionState = (typeof bulkActionStates)[number]

/** Why an action or its undo skipped a subscriber. */
export const keptReasons = [
  /** Unsubscribed or complained, without the request to make them active. */
  'declined',
  /** The other list has a subscriber with this primary key. */
  'there_already',
  /** A value does not fit the other list, or a required one is missing. */
  'does_not_fit',
  /** The organization's limit of subscribers is reached. */
  'limit',
  /** Changed since. */
  'changed',
  /** A subscriber with this primary key was added since. */
  'key_taken',
  /** The list has the corrected email already. */
  'address_taken',
  /** The primary key of the list has changed since. */
  'key_changed',
  /** The field no longer accepts the former value. */
  'value_gone'
] as const
export type KeptReason = (typeof keptReasons)[number]

/** The kind decides which of the keys count. */
export const BulkActionInput = Type.Object({
  kind: Type.Enum([...bulkActionKinds]),
  status: Type.Optional(Type.Enum([...subscriberStatuses])),
  /** True = unsubscribed and complained subscribers become active as well. */
  revives: withDefault(Type.Boolean(), false),
  custom_field_id: Type.Optional(Type.Integer()),
  mode: withDefault(Type.Enum([...fieldModes]), 'set'),
  /** As in a subscriber's custom_fields; null clears the field. */
  value: Type.Optional(Type.Unknown()),
  /** The target of a copy or move. */
  mailing_list_id: Type.Optional(Type.Integer()),
  suppression_list_id: Type.Optional(Type.Integer()),
  /** Misspelled domain -> correct domain. */
  domains: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Filled({ maxLength: 255 })))
})
export type BulkActionInput = Static<typeof BulkActionInput>

export const BulkAction = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  mailing_list_name: Type.String(),
  kind: Type.Enum([...bulkActionKinds]),
  status: Nullable(Type.Enum([...subscriberStatuses])),
  /** The name of the field, list or suppression list when the action was created. */
  name: Nullable(Type.String()),
  mode: Nullable(Type.Enum([...fieldModes])),
  /** The field's value as shown to users; null = blank. */
  value: Nullable(Type.String()),
  /** The selection in words. */
  description: Type.String(),
  state: Type.Enum([...bulkActionStates]),
  error_message: Nullable(Type.String()),
  fault: Nullable(Fault),
  /** Subscribers in the selection, and those processed so far. */
  total: Type.Integer(),
  done: Type.Integer(),
  changed: Type.Integer(),
  /** Subscribers that were like this already. */
  same: Type.Integer(),
  /** Subscribers that were skipped for a reason, and those deleted before their turn. */
  kept: Type.Integer(),
  gone: Type.Integer(),
  undo_done: Type.Integer(),
  restored: Type.Integer(),
  not_restored: Type.Integer(),
  can_be_undone: Type.Boolean(),
  /** null = cannot be undone. */
  undo_until: Nullable(Timestamp),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp)
})
export type BulkAction = Static<typeof BulkAction>

/** The stored ids of selected subscribers, so that an action changes exactly those that the user saw. */
export const Selection = Type.Object({
  id: Type.Integer(),
  subscribers: Type.Integer(),
  statuses: Type.Object(Object.fromEntries(subscriberStatuses.map((status) => [status, Type.Integer()]))),
  description: Type.String()
})
export type Selection = Static<typeof Selection>
