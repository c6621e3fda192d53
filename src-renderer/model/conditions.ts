import { windowPages } from '../../src-main/base/window-pages.ts'
import { parseDate, parseMonthDay } from '../../src-main/base/dates.ts'
import {
  blankOperators,
  booleanOperators,
  campaignOperators,
  type Condition,
  domainOperators,
  type FieldCondition,
  fieldKindOf,
  type GroupCondition,
  importOperators,
  operatorsOfKind,
  optionOperators,
  reactionOperators,
  textOperators,
  type TimeCondition,
  timeOperators
} from '../../src-main/api/segments/conditions.ts'
import { segmentOperators } from '../../src-main/api/segments/schema.ts'
import type { CustomField } from '../api/custom-fields.ts'

/** The records that conditions can name, as selects offer them. */
export type RecordChoices = Record<'lists' | 'campaigns' | 'imports', { value: number; label: string }[]>

// Conditions while they are edited: blank values are allowed, and incomplete conditions are left out of the
// query.

/** A condition that is no group: a line of a filter. */
export type Line = Exclude<Condition, GroupCondition>

/** The subject of a condition: its type, and for some the attribute or the id of the custom field. */
export type Subject = Line['type'] | `time ${TimeCondition['attribute']}` | `custom_field ${number}`

export function subjectOf(line: Line): Subject {
  if (line.type === 'time') return `time ${line.attribute}`
  return line.type === 'custom_field' ? `custom_field ${line.custom_field_id}` : line.type
}

/** Returns a filter line about a subject, without values. */
export function newLine(subject: Subject, fields: readonly CustomField[]): Line {
  const [type = '', which = ''] = subject.split(' ')
  switch (type as Line['type']) {
    case 'time':
      return { type: 'time', attribute: which as TimeCondition['attribute'], operator: 'is in the last' }
    case 'custom_field': {
      const kind = fieldKindOf(fields.find(({ id }) => id === Number(which))?.field_type ?? 'text')
      return {
        type: 'custom_field',
        custom_field_id: Number(which),
        kind,
        operator: operatorsOfKind[kind][0]
      }
    }
    case 'domain':
      return { type: 'domain', operator: 'is', value: '' }
    case 'status':
      return { type: 'status', operator: 'is one of', statuses: [] }
    case 'confirmed':
    case 'suppressed':
      return { type: type as 'confirmed' | 'suppressed', operator: 'is true' }
    case 'campaign':
      return { type: 'campaign', operator: 'opened', campaign_id: 0 }
    case 'subscriber_import':
      return { type: 'subscriber_import', operator: 'was added by', subscriber_import_id: 0 }
    case 'reaction':
      return { type: 'reaction', operator: 'is not in the last' }
    case 'in_mailing_list':
      return { type: 'in_mailing_list', operator: 'is in', mailing_list_id: 0 }
    case 'email':
      return { type: 'email', operator: 'contains', value: '' }
  }
}

/** The operators of a line, in the order in which they are offered. */
export function operatorsOf(line: Line): readonly Line['operator'][] {
  switch (line.type) {
    case 'email':
      return textOperators
    case 'domain':
      return domainOperators
    case 'status':
      return optionOperators
    case 'time':
      return timeOperators
    case 'confirmed':
    case 'suppressed':
      return booleanOperators
    case 'campaign':
      return campaignOperators
    case 'subscriber_import':
      return importOperators
    case 'reaction':
      return reactionOperators
    case 'in_mailing_list':
      return segmentOperators
    case 'custom_field':
      return [...operatorsOfKind[line.kind], ...blankOperators]
  }
}

export function isComplete(condition: Condition): boolean {
  switch (condition.type) {
    case 'group':
      return condition.conditions.some(isComplete)
    case 'email':
    case 'domain':
      return condition.value.trim() !== ''
    case 'status':
      return condition.statuses.length > 0
    case 'campaign':
      return condition.campaign_id > 0
    case 'subscriber_import':
      return condition.subscriber_import_id > 0
    case 'reaction':
      return Number.isInteger(condition.days)
    case 'in_mailing_list':
      return condition.mailing_list_id > 0
    case 'confirmed':
    case 'suppressed':
      return true
    case 'time':
    case 'custom_field':
      return hasOperand(condition)
  }
}

function hasOperand(line: TimeCondition | FieldCondition): boolean {
  const { operator, value, from, to, days } = line
  const kind = line.type === 'time' ? 'date' : line.kind
  switch (operator) {
    case 'is blank':
    case 'is not blank':
    case 'is true':
    case 'is false':
      return true
    case 'is between': {
      const isRange = isValue(from, kind) && isValue(to, kind)
      // A range of days of the year may include the turn of the year.
      return isRange && (kind === 'day_of_year' || (from ?? 0) <= (to ?? 0))
    }
    case 'is in the last':
    case 'is in the next':
      return Number.isInteger(days)
    case 'is one of':
    case 'is all of':
    case 'is none of':
      return line.type === 'custom_field' && (line.option_ids ?? []).length > 0
    default:
      return isValue(value, kind)
  }
}

function isValue(value: string | number | undefined, kind: FieldCondition['kind']): boolean {
  if (kind === 'number') return Number.isSafeInteger(value)
  const text = String(value ?? '').trim()
  if (kind === 'date') return parseDate(text, 'mdy') !== null && /^\d{4}-/.test(text)
  if (kind === 'day_of_year') return /^\d\d-\d\d$/.test(text) && parseMonthDay(text, 'mdy') !== null
  return text !== ''
}

export function pageOfFilter(listId: number, clause: Condition[]): string {
  return `${windowPages.list(listId)}?${new URLSearchParams({ filter: JSON.stringify(clause) }).toString()}`
}

/** True if data from outside, such as from an address, has the form of a clause; the API validates it. */
export function isClause(given: unknown): given is Condition[] {
  return Array.isArray(given) && given.every(isCondition)
}

const texts: Partial<Record<Condition['type'], string[]>> = {
  email: ['operator', 'value'],
  domain: ['operator', 'value'],
  status: ['operator'],
  confirmed: ['operator'],
  suppressed: ['operator'],
  campaign: ['operator'],
  subscriber_import: ['operator'],
  reaction: ['operator'],
  in_mailing_list: ['operator'],
  time: ['operator', 'attribute'],
  custom_field: ['operator', 'kind']
}

function isCondition(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false
  const condition = given as Record<string, unknown>
  if (condition['type'] === 'group') return isClause(condition['conditions'])
  const keys = texts[condition['type'] as Condition['type']]
  if (!keys?.every((key) => typeof condition[key] === 'string')) return false
  if (condition['type'] === 'status') return Array.isArray(condition['statuses'])
  return condition['type'] !== 'custom_field' || String(condition['kind']) in operatorsOfKind
}

/** Returns the complete part of a filter as a clause, whose conditions must all hold. */
export function clauseOf(root: GroupCondition): Condition[] {
  const conditions = completePart(root.conditions)
  if (conditions.length === 0) return []
  return root.match === 'all' ? conditions : [{ ...root, conditions }]
}

function completePart(conditions: Condition[]): Condition[] {
  return conditions
    .filter(isComplete)
    .map((each) => (each.type === 'group' ? { ...each, conditions: completePart(each.conditions) } : each))
}

export function rootOf(clause: readonly Condition[]): GroupCondition {
  const [first, ...others] = clause
  if (first?.type === 'group' && others.length === 0) return first
  return { type: 'group', match: 'all', conditions: [...clause] }
}
