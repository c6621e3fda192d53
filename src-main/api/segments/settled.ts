import { dayIn, shiftedDay } from '../../base/dates.ts'
import { instantOf } from '../../base/times.ts'
import type {
  Condition,
  FieldCondition,
  GroupCondition,
  ReactionCondition,
  TimeCondition
} from './conditions.ts'

/** The time and time zone in which "in the last 30 days" is evaluated. */
export interface Moment {
  /** UNIX milliseconds */
  now: number
  /** The organization's time zone. */
  timeZone: string
}

/** Returns the current time in the organization's zone. */
export function momentIn(timeZone: string): Moment {
  return { now: Date.now(), timeZone }
}

/** From `from` (included) to `before` (excluded), in UNIX milliseconds; null = open. */
export interface TimeRange {
  type: 'time_range'
  attribute: TimeCondition['attribute']
  from: number | null
  before: number | null
}

/** True if a subscriber opened or clicked anything at an instant (UNIX milliseconds) or later. */
export interface ReactionSince {
  type: 'reaction_since'
  since: number
  isMet: boolean
}

/** Conditions whose relative days are resolved to one moment, so that asking twice gives the same answer. */
export type SettledCondition =
  | Exclude<Condition, GroupCondition | TimeCondition | FieldCondition | ReactionCondition>
  | SettledField
  | TimeRange
  | ReactionSince
  | (Omit<GroupCondition, 'conditions'> & { conditions: SettledCondition[] })

export type SettledField = Omit<FieldCondition, 'operator' | 'days'> & {
  operator: Exclude<FieldCondition['operator'], 'is in the last' | 'is in the next'>
}

export function resolveConditions(clause: readonly Condition[], moment: Moment): SettledCondition[] {
  return clause.map((condition) => {
    switch (condition.type) {
      case 'group':
        return { ...condition, conditions: resolveConditions(condition.conditions, moment) }
      case 'time':
        return timeRange(condition, moment)
      case 'custom_field':
        return settledField(condition, moment)
      case 'reaction': {
        const today = dayIn(moment.now, moment.timeZone)
        const since = startOf(shiftedDay(today, -(condition.days ?? 0)), moment.timeZone)
        return { type: 'reaction_since', since, isMet: condition.operator === 'is in the last' }
      }
      default:
        return condition
    }
  })
}

function settledField(condition: FieldCondition, { now, timeZone }: Moment): SettledField {
  const { operator, days = 0, ...rest } = condition
  if (operator !== 'is in the last' && operator !== 'is in the next') return { ...rest, operator }
  const today = dayIn(now, timeZone)
  const other = shiftedDay(today, operator === 'is in the last' ? -days : days)
  const [from, to] = operator === 'is in the last' ? [other, today] : [today, other]
  if (rest.kind !== 'day_of_year') return { ...rest, operator: 'is between', from, to }
  // A range of 365 days or more covers every day of the year. Its two end days alone would describe only a part of the year.
  const [first, last] = days >= 365 ? ['01-01', '12-31'] : [from.slice(5), to.slice(5)]
  return { ...rest, operator: 'is between', from: first, to: last }
}

function timeRange(
  { attribute, operator, value, from, to, days = 0 }: TimeCondition,
  moment: Moment
): TimeRange {
  const start = (day: string | number | undefined): number => startOf(String(day), moment.timeZone)
  const end = (day: string | number | undefined): number => startOf(String(day), moment.timeZone, 1)
  const range = (first: number | null, before: number | null): TimeRange => ({
    type: 'time_range',
    attribute,
    from: first,
    before
  })
  switch (operator) {
    case 'is on':
      return range(start(value), end(value))
    case 'is before':
      return range(null, start(value))
    case 'is after':
      return range(end(value), null)
    case 'is between':
      return range(start(from), end(to))
    case 'is in the last': {
      const today = dayIn(moment.now, moment.timeZone)
      return range(start(shiftedDay(today, -days)), end(today))
    }
  }
}

/** Returns when a day, or one so many days later, begins in a zone. */
function startOf(day: string, timeZone: string, later = 0): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return instantOf({ year, month, day: date + later }, timeZone)
}
