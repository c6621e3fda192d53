import { parseDate } from '../../base/dates.ts'
import type { Faults } from '../../base/errors.ts'
import { type Complaint, complaint, refusal, refusalAt } from '../../base/refusal.ts'
import { foldText } from '../../base/fold.ts'
import type { FieldDefinition } from '../custom-fields/rules.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'
import {
  blankOperators,
  booleanOperators,
  campaignOperators,
  type Condition,
  domainOperators,
  type FieldCondition,
  fieldKindOf,
  type FieldOperator,
  groupMatches,
  importOperators,
  maxConditions,
  maxDepth,
  type Operand,
  operatorsOfKind,
  type ReactionCondition,
  reactionOperators,
  optionOperators,
  textOperators,
  timeAttributes,
  type TimeCondition,
  timeOperators
} from './conditions.ts'
import { readListCondition } from './rules.ts'

const maxText = 255
const maxDays = 36_500

/**
 * Reads the conditions that the window offers, of which those of the v2 API are a part.
 * @param field what the client calls the clause
 * @param fields those of the list; whether lists, campaigns and imports exist is for the caller to look up
 */
export function readConditions(
  given: readonly unknown[],
  field: string,
  fields: readonly FieldDefinition[],
  faults: Faults
): Condition[] {
  const reader = new ConditionReader(fields, faults)
  const clause = reader.all(given, field, 1)
  if (reader.count > maxConditions)
    faults.add(refusal('too_many_conditions', { field, count: reader.count, most: maxConditions }))
  return clause
}

type Given = Record<string, unknown>

class ConditionReader {
  readonly #fields: readonly FieldDefinition[]
  readonly #faults: Faults
  count = 0

  constructor(fields: readonly FieldDefinition[], faults: Faults) {
    this.#fields = fields
    this.#faults = faults
  }

  all(given: readonly unknown[], name: string, depth: number): Condition[] {
    return given.flatMap((each, index) => this.#one(each, `${name}.${index}`, depth) ?? [])
  }

  #one(given: unknown, name: string, depth: number): Condition | null {
    this.count++
    if (typeof given !== 'object' || given === null) {
      this.#refuse(name, complaint('type', { type: 'an object' }))
      return null
    }
    const condition = given as Given
    switch (condition['type']) {
      case 'in_mailing_list':
        return readListCondition(condition, name, this.#faults)
      case 'group':
        return this.#group(condition, name, depth)
      case 'status':
        return this.#status(condition, name)
      case 'email':
        return this.#email(condition, name)
      case 'domain':
        return this.#domain(condition, name)
      case 'custom_field':
        return this.#field(condition, name)
      case 'time':
        return this.#time(condition, name)
      case 'confirmed':
      case 'suppressed': {
        const operator = this.#choice(condition, name, 'operator', booleanOperators)
        return operator && { type: condition['type'], operator }
      }
      case 'campaign':
        return this.#campaign(condition, name)
      case 'subscriber_import':
        return this.#import(condition, name)
      case 'reaction':
        return this.#reaction(condition, name)
      default:
        this.#refuse(`${name}.type`, complaint('one_of', { values: conditionTypes }))
        return null
    }
  }

  #group(given: Given, name: string, depth: number): Condition | null {
    const match = this.#choice(given, name, 'match', groupMatches)
    const { conditions } = given
    if (depth > maxDepth) this.#refuse(name, complaint('group_too_deep', { most: maxDepth }))
    else if (!Array.isArray(conditions) || conditions.length === 0) {
      this.#refuse(`${name}.conditions`, complaint('no_conditions'))
    } else if (match) {
      return { type: 'group', match, conditions: this.all(conditions, `${name}.conditions`, depth + 1) }
    }
    return null
  }

  #email(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', textOperators)
    const value = this.#text(given, name)
    return operator && value !== null ? { type: 'email', operator, value } : null
  }

  #domain(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', domainOperators)
    const value = this.#text(given, name)?.replace(/^@/, '').trim()
    if (value === '' || value?.includes('@')) {
      this.#refuse(`${name}.value`, complaint('domain_of_condition'))
    }
    return operator && value ? { type: 'domain', operator, value } : null
  }

  #import(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', importOperators)
    const id = this.#id(given, name, 'subscriber_import_id', 'an import of this list')
    return operator && id !== null ? { type: 'subscriber_import', operator, subscriber_import_id: id } : null
  }

  #reaction(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', reactionOperators)
    const operand = operator && this.#operand(given, name, operator, readers.text, null)
    return operand && { type: 'reaction', operator, ...operand }
  }

  #status(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', optionOperators)
    const statuses = subscriberStatuses.filter((status) => listOf(given['statuses']).includes(status))
    if (statuses.length === 0 || statuses.length !== listOf(given['statuses']).length) {
      this.#refuse(`${name}.statuses`, complaint('some_of', { values: subscriberStatuses }))
    }
    return operator && { type: 'status', operator, statuses }
  }

  #field(given: Given, name: string): Condition | null {
    const field = this.#fields.find(({ id }) => id === given['custom_field_id'])
    if (!field) {
      this.#refuse(`${name}.custom_field_id`, complaint('id_of', { what: 'a custom field of this list' }))
      return null
    }
    const kind = fieldKindOf(field.type)
    const operators: readonly FieldOperator[] = [...operatorsOfKind[kind], ...blankOperators]
    const operator = this.#choice(given, name, 'operator', operators)
    const condition = { type: 'custom_field' as const, custom_field_id: field.id, kind }
    if (!operator) return null
    const operand = this.#operand(given, name, operator, readers[kind], field)
    return operand && { ...condition, operator, ...operand }
  }

  #operand(
    given: Given,
    name: string,
    operator: FieldOperator | ReactionCondition['operator'],
    reader: ValueReader,
    field: FieldDefinition | null
  ): Operand | null {
    switch (operator) {
      case 'is blank':
      case 'is not blank':
      case 'is true':
      case 'is false':
        return {}
      case 'is in the last':
      case 'is not in the last':
      case 'is in the next':
        return this.#days(given, name)
      case 'is between':
        return this.#range(given, name, reader)
      case 'is one of':
      case 'is all of':
      case 'is none of':
        return this.#options(given, name, field)
      default: {
        const value = this.#value(given['value'], `${name}.value`, reader)
        return value === null ? null : { value }
      }
    }
  }

  #days({ days }: Given, name: string): Operand | null {
    if (typeof days === 'number' && Number.isInteger(days) && days >= 0 && days <= maxDays) return { days }
    this.#refuse(`${name}.days`, complaint('whole_number_to', { most: maxDays }))
    return null
  }

  #range(given: Given, name: string, reader: ValueReader): Operand | null {
    const from = this.#value(given['from'], `${name}.from`, reader)
    const to = this.#value(given['to'], `${name}.to`, reader)
    if (from === null || to === null) return null
    // A range of days of the year may include the turn of the year, so from may be later than to.
    if (from > to && reader !== readers.day_of_year) {
      this.#refuse(`${name}.to`, complaint('comes_before', { other: `${name}.from` }))
    }
    return { from, to }
  }

  #options(given: Given, name: string, field: FieldDefinition | null): Operand | null {
    const known = (field?.options ?? []).map(({ id }) => id)
    const ids = listOf(given['option_ids'])
    const option_ids = known.filter((id) => ids.includes(id))
    if (ids.length > 0 && option_ids.length === ids.length) return { option_ids }
    this.#refuse(`${name}.option_ids`, complaint('option_ids'))
    return null
  }

  #time(given: Given, name: string): Condition | null {
    const attribute = this.#choice(given, name, 'attribute', timeAttributes)
    const operator = this.#choice(given, name, 'operator', timeOperators)
    if (!attribute || !operator) return null
    const operand = this.#operand(given, name, operator, readTimeDay, null)
    return operand && ({ type: 'time', attribute, operator, ...operand } satisfies TimeCondition)
  }

  #campaign(given: Given, name: string): Condition | null {
    const operator = this.#choice(given, name, 'operator', campaignOperators)
    const id = this.#id(given, name, 'campaign_id', 'a campaign')
    return operator && id !== null ? { type: 'campaign', operator, campaign_id: id } : null
  }

  #refuse(field: string, why: Complaint): void {
    this.#faults.add(refusalAt(field, why))
  }

  /** The caller looks up the record. */
  #id(given: Given, name: string, key: string, what: string): number | null {
    const id = given[key]
    if (typeof id === 'number' && Number.isSafeInteger(id)) return id
    this.#refuse(`${name}.${key}`, complaint('id_of', { what }))
    return null
  }

  #text(given: Given, name: string): string | null {
    return this.#value(given['value'], `${name}.value`, readers.text) as string | null
  }

  #value(given: unknown, name: string, reader: ValueReader): string | number | null {
    const value = reader(given)
    if (typeof value === 'object') {
      this.#refuse(name, value.complaint)
      return null
    }
    return value
  }

  #choice<Choice extends string>(
    given: Given,
    name: string,
    key: string,
    choices: readonly Choice[]
  ): Choice | null {
    const found = choices.find((choice) => choice === given[key])
    if (!found) this.#refuse(`${name}.${key}`, complaint('one_of', { values: choices }))
    return found ?? null
  }
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? [...new Set<unknown>(given)] : []
}

const conditionTypes: readonly Condition['type'][] = [
  'in_mailing_list',
  'group',
  'status',
  'email',
  'domain',
  'custom_field',
  'time',
  'confirmed',
  'suppressed',
  'campaign',
  'subscriber_import',
  'reaction'
]

type ValueReader = (given: unknown) => string | number | { complaint: Complaint }

const readers = {
  text: (given: unknown) =>
    // A text of accents alone folds to an empty text, which would match everything.
    typeof given === 'string' && foldText(given).trim() !== '' && given.length <= maxText
      ? given.trim()
      : { complaint: complaint('text_length', { most: maxText }) },
  number: (given: unknown) =>
    Number.isSafeInteger(given) ? (given as number) : { complaint: complaint('whole_number') },
  date: (given: unknown) =>
    typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given) && parseDate(given, 'mdy')
      ? given
      : { complaint: complaint('day', { example: '2014-01-31' }) },
  day_of_year: (given: unknown) =>
    typeof given === 'string' && /^\d\d-\d\d$/.test(given) && parseDate(`2000-${given}`, 'mdy')
      ? given
      : { complaint: complaint('day_of_year', { example: '01-31' }) },
  // Values of these types are compared by operators without a value, or with options.
  boolean: () => ({ complaint: complaint('left_out') }),
  option: () => ({ complaint: complaint('left_out') }),
  options: () => ({ complaint: complaint('left_out') })
} satisfies Record<FieldCondition['kind'], ValueReader>

/** Times are in the years 1970 to 9999. */
function readTimeDay(given: unknown): ReturnType<ValueReader> {
  const day = readers.date(given)
  return typeof day === 'string' && day < '1970'
    ? { complaint: complaint('in_years', { first: 1970, last: 9999 }) }
    : day
}
