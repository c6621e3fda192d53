import type { CustomFieldType } from '../custom-fields/schema.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { SegmentCondition } from './schema.ts'

// What subscribers are chosen by in the window. The v2 API takes conditions on other lists alone (docs/api.md, "Segments"),
// and shows the others as they are kept.

export const textOperators = [
  'contains',
  'does not contain',
  'begins with',
  'ends with',
  'is',
  'is not'
] as const
export const blankOperators = ['is blank', 'is not blank'] as const
export const domainOperators = ['is', 'is not', 'ends with'] as const
export const numberOperators = ['is', 'is not', 'is at least', 'is at most', 'is between'] as const
export const dayOperators = [
  'is on',
  'is before',
  'is after',
  'is between',
  'is in the last',
  'is in the next'
] as const
export const dayOfYearOperators = ['is on', 'is between', 'is in the last', 'is in the next'] as const
export const timeOperators = ['is on', 'is before', 'is after', 'is between', 'is in the last'] as const
export const booleanOperators = ['is true', 'is false'] as const
export const optionOperators = ['is one of', 'is none of'] as const
export const optionsOperators = ['is one of', 'is all of', 'is none of'] as const
export const campaignOperators = [
  'was sent',
  'was not sent',
  'opened',
  'did not open',
  'clicked',
  'did not click',
  'bounced from',
  'unsubscribed from',
  'complained about',
  // By SMTP: what became of the message.
  'was accepted',
  'waits',
  'failed',
  'is uncertain',
  'was withdrawn'
] as const
export const importOperators = ['was added by', 'was not added by'] as const
export const reactionOperators = ['is in the last', 'is not in the last'] as const
export const timeAttributes = ['subscribe_time', 'created_at', 'updated_at'] as const
export const groupMatches = ['all', 'any', 'none'] as const

/** The columns by which a table of subscribers can be sorted, besides single-value custom fields. */
export const sortColumns = [
  'email',
  'status',
  'confirmed',
  'email_format',
  'subscribe_time',
  'created_at',
  'updated_at'
] as const
export type SortColumn = (typeof sortColumns)[number]

/** The comparison that fits a custom field's values. */
export type FieldKind = 'text' | 'number' | 'date' | 'day_of_year' | 'boolean' | 'option' | 'options'

const kindOfType: Record<CustomFieldType, FieldKind> = {
  text: 'text',
  text_multiline: 'text',
  number: 'number',
  date: 'date',
  day_of_year: 'day_of_year',
  boolean: 'boolean',
  select_single_dropdown: 'option',
  select_single_radio: 'option',
  select_multiple_checkboxes: 'options'
}

export function fieldKindOf(type: CustomFieldType): FieldKind {
  return kindOfType[type]
}

/** The operators for each kind of field, besides "is blank" and "is not blank". */
export const operatorsOfKind = {
  text: textOperators,
  number: numberOperators,
  date: dayOperators,
  day_of_year: dayOfYearOperators,
  boolean: booleanOperators,
  option: optionOperators,
  options: optionsOperators
} as const satisfies Record<FieldKind, readonly string[]>

export type TextOperator = (typeof textOperators)[number]
export type FieldOperator = (typeof operatorsOfKind)[FieldKind][number] | (typeof blankOperators)[number]

/**
 * The values that a condition compares with; the operator decides which keys exist. Days are YYYY-MM-DD, days
 * of a year MM-DD.
 */
export interface Operand {
  value?: string | number
  /** For "is between", both included. */
  from?: string | number
  to?: string | number
  /** For "is in the last" and similar, including today. */
  days?: number
  /** For "is one of" and similar. */
  option_ids?: number[]
}

export interface StatusCondition {
  type: 'status'
  operator: 'is one of' | 'is none of'
  statuses: SubscriberStatus[]
}

/** Ignores case. */
export interface EmailCondition {
  type: 'email'
  operator: TextOperator
  value: string
}

/** A condition on the part of an email after the @. */
export interface DomainCondition {
  type: 'domain'
  operator: (typeof domainOperators)[number]
  value: string
}

export interface FieldCondition extends Operand {
  type: 'custom_field'
  custom_field_id: number
  kind: FieldKind
  operator: FieldOperator
}

/**
 * A condition on when a subscriber subscribed, was added or was changed, in days of the organization's time
 * zone.
 */
export interface TimeCondition extends Operand {
  type: 'time'
  attribute: (typeof timeAttributes)[number]
  operator: (typeof timeOperators)[number]
}

export interface ConfirmedCondition {
  type: 'confirmed'
  operator: (typeof booleanOperators)[number]
}

/** A condition on whether a suppression list that applies to the list contains the email. */
export interface SuppressedCondition {
  type: 'suppressed'
  operator: (typeof booleanOperators)[number]
}

export interface CampaignCondition {
  type: 'campaign'
  operator: (typeof campaignOperators)[number]
  campaign_id: number
}

/** A condition on whether an import added the subscriber; updated ones do not count. */
export interface ImportCondition {
  type: 'subscriber_import'
  operator: (typeof importOperators)[number]
  subscriber_import_id: number
}

/** A condition on whether a subscriber opened or clicked anything in the last days, including today. */
export interface ReactionCondition {
  type: 'reaction'
  operator: (typeof reactionOperators)[number]
  days?: number
}

/** Conditions of which all, any or none must hold. */
export interface GroupCondition {
  type: 'group'
  match: (typeof groupMatches)[number]
  conditions: Condition[]
}

/** A condition on subscribers. A clause is an array of conditions that must all hold. */
export type Condition =
  | SegmentCondition
  | StatusCondition
  | EmailCondition
  | DomainCondition
  | FieldCondition
  | TimeCondition
  | ConfirmedCondition
  | SuppressedCondition
  | CampaignCondition
  | ImportCondition
  | ReactionCondition
  | GroupCondition

/** Depth of nested groups. */
export const maxDepth = 4
/** Including those in groups. */
export const maxConditions = 50

/** Returns every condition of a clause except groups, at any depth. */
export function leavesOf(clause: readonly Condition[]): Exclude<Condition, GroupCondition>[] {
  return clause.flatMap((condition) =>
    condition.type === 'group' ? leavesOf(condition.conditions) : [condition]
  )
}

interface AnyCondition {
  type: string
  mailing_list_id?: number
  conditions?: readonly AnyCondition[]
}

export function listIdsOf(clause: readonly AnyCondition[]): number[] {
  return clause.flatMap(({ mailing_list_id: id, conditions }) =>
    id === undefined ? listIdsOf(conditions ?? []) : [id]
  )
}
