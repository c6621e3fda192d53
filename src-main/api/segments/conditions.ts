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
  'complained about'
] as const
export const importOperators = ['was added by', 'was not added by'] as const
export const reactionOperators = ['is in the last', 'is not in the last'] as const
export const timeAttributes = ['subscribe_time', 'created_at', 'updated_at'] as const
export const groupMatches = ['all', 'any', 'none'] as const

/** What a table of subscribers can be ordered by, beside the custom fields that have one value. */
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

/** What the values of a custom field are compared as. */
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

/** The operators that a field of each kind has; each also may be blank or not. */
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
 * What a condition compares with; which keys are there depends on its operator. Days are YYYY-MM-DD, days of a year MM-DD.
 */
export interface Operand {
  value?: string | number
  /** Of "is between", both included. */
  from?: string | number
  to?: string | number
  /** Of "is in the last" and its like, today included. */
  days?: number
  /** Of "is one of" and its like. */
  option_ids?: number[]
}

export interface StatusCondition {
  type: 'status'
  operator: 'is one of' | 'is none of'
  statuses: SubscriberStatus[]
}

/** The email, in any letter case. */
export interface EmailCondition {
  type: 'email'
  operator: TextOperator
  value: string
}

/** What follows the @ of an email. */
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

/** When somebody subscribed, was added or was changed, by the days of the organization's time zone. */
export interface TimeCondition extends Operand {
  type: 'time'
  attribute: (typeof timeAttributes)[number]
  operator: (typeof timeOperators)[number]
}

export interface ConfirmedCondition {
  type: 'confirmed'
  operator: (typeof booleanOperators)[number]
}

/** Whether a suppression list that concerns the list holds the email. */
export interface SuppressedCondition {
  type: 'suppressed'
  operator: (typeof booleanOperators)[number]
}

export interface CampaignCondition {
  type: 'campaign'
  operator: (typeof campaignOperators)[number]
  campaign_id: number
}

/** Whether an import of the list added somebody; whom it found on the list, it did not add. */
export interface ImportCondition {
  type: 'subscriber_import'
  operator: (typeof importOperators)[number]
  subscriber_import_id: number
}

/** Whether somebody opened or clicked anything in the last days, today included. */
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

/** What chooses subscribers; of a clause, which is an array of them, all must hold. */
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

/** Groups within groups. */
export const maxDepth = 4
/** Conditions of a clause, those in groups included. */
export const maxConditions = 50

/** Every condition of a clause that is no group, wherever it stands. */
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

/** The other lists that a clause has conditions on, as it is kept or settled. */
export function listIdsOf(clause: readonly AnyCondition[]): number[] {
  return clause.flatMap(({ mailing_list_id: id, conditions }) =>
    id === undefined ? listIdsOf(conditions ?? []) : [id]
  )
}
