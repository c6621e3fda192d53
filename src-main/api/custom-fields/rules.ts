import { type Complaint, complaint, type Refusal, refusal, refusalAt } from '../../base/refusal.ts'
import { type DateOrder, dateExamples, isoDay, monthDay, parseDate, parseMonthDay } from '../../base/dates.ts'
import type { CustomFieldType, TypedAttributes } from './schema.ts'

// What the nine types of custom field mean: which attributes they have, which values they take, how values are kept.

export interface CustomFieldOption {
  id: number
  name: string
  position: number
}

/**
 * A custom field with everything needed to validate and present values. Plain data, as it crosses threads.
 */
export interface FieldDefinition {
  id: number
  organizationId: number
  /** null = global */
  mailingListId: number | null
  name: string
  type: CustomFieldType
  required: boolean
  instructions: string | null
  attributes: TypedAttributes
  options: CustomFieldOption[]
}

/**
 * A value in subscribers.custom_fields by field id: a text, number, boolean, date as YYYY-MM-DD, day as
 * MM-DD, or the id of an option or ids of several. Options are stored by id, so that they can be renamed.
 */
export type StoredValue = string | number | boolean | number[]

/** Field id -> value; a blank field has no key. */
export type StoredValues = Record<string, StoredValue>

export class ValueFault {
  readonly complaint: Complaint

  constructor(complaint: Complaint) {
    this.complaint = complaint
  }
}

const textAttributes = [
  'default_string',
  'minimum_length',
  'maximum_length',
  'interpolation_html_encode',
  'interpolation_url_encode'
] as const

/** The type-specific attributes (docs/api.md, "Custom fields"). */
export const attributesOfType: Record<CustomFieldType, readonly (keyof TypedAttributes)[]> = {
  text: textAttributes,
  text_multiline: [...textAttributes, 'number_of_rows', 'interpolation_html_newlines'],
  number: ['default_integer', 'minimum_value', 'maximum_value'],
  date: [],
  day_of_year: [],
  select_single_dropdown: [],
  select_single_radio: [],
  select_multiple_checkboxes: [],
  boolean: ['default_boolean']
}

const attributeDefaults: Partial<TypedAttributes> = {
  interpolation_html_encode: true,
  interpolation_url_encode: true,
  interpolation_html_newlines: true
}

/** Returns the type's attributes, each as given, stored or default. */
export function attributesFor(type: CustomFieldType, given: TypedAttributes): TypedAttributes {
  return Object.fromEntries(
    attributesOfType[type].map((name) => [name, given[name] ?? attributeDefaults[name] ?? null])
  )
}

/**
 * Types whose values are valid under the other type too, so that a field may change between them at any time.
 */
export const interchangeableTypes: Partial<Record<CustomFieldType, CustomFieldType[]>> = {
  text: ['text_multiline'],
  select_single_dropdown: ['select_single_radio'],
  select_single_radio: ['select_single_dropdown']
}

export function hasOptions(type: CustomFieldType): boolean {
  return type.startsWith('select_')
}

/** Separates several options in a single text, such as a cell of a file. */
export const checkboxSeparator = ';'

/**
 * Removes values that became meaningless while they were stored without their fields: of deleted options, and
 * of fields with another type. Values of fields not in `fields` are kept.
 */
export function meaningfulValues(fields: readonly FieldDefinition[], values: StoredValues): StoredValues {
  const kept: StoredValues = { ...values }
  for (const field of fields) {
    const key = String(field.id)
    const value = kept[key]
    if (value === undefined) continue
    const meaning = meaningOf(field, value)
    if (meaning === undefined) Reflect.deleteProperty(kept, key)
    else kept[key] = meaning
  }
  return kept
}

function meaningOf(field: FieldDefinition, value: StoredValue): StoredValue | undefined {
  const isOption = (id: unknown): boolean => field.options.some((option) => option.id === id)
  switch (field.type) {
    case 'text':
    case 'text_multiline':
      return typeof value === 'string' ? value : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined
    case 'day_of_year':
      return typeof value === 'string' && /^\d\d-\d\d$/.test(value) ? value : undefined
    case 'select_single_dropdown':
    case 'select_single_radio':
      return isOption(value) ? value : undefined
    case 'select_multiple_checkboxes': {
      const left = Array.isArray(value) ? value.filter(isOption) : []
      return left.length > 0 ? left : undefined
    }
  }
}

/**
 * Parses a value of a request or file.
 * @returns null for a blank value
 */
export function readValue(
  field: FieldDefinition,
  raw: unknown,
  order: DateOrder
): StoredValue | null | ValueFault {
  if (raw === null || raw === undefined || raw === '') return null
  if (isObject(raw) || (Array.isArray(raw) && raw.some((each) => typeof each === 'object'))) {
    return new ValueFault(complaint('plain_value'))
  }
  switch (field.type) {
    case 'text':
    case 'text_multiline':
      return readText(field, raw)
    case 'number':
      return readNumber(field, raw)
    case 'date':
      return readDay(raw, order)
    case 'day_of_year':
      return readDayOfYear(raw, order)
    case 'boolean':
      return readBoolean(raw)
    case 'select_single_dropdown':
    case 'select_single_radio':
      return readOption(field, raw)
    case 'select_multiple_checkboxes':
      return readOptions(field, raw)
  }
}

function isObject(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

/**
 * Like {@link readValue}, but rejects a blank value of a required field, except of checkboxes
 * (docs/api.md, "Custom fields").
 */
export function readRequiredValue(
  field: FieldDefinition,
  raw: unknown,
  order: DateOrder
): StoredValue | null | ValueFault {
  const value = readValue(field, raw, order)
  const isBlank = value === null || (typeof value === 'string' && value.trim() === '')
  if (isBlank && field.required && field.type !== 'select_multiple_checkboxes') {
    return new ValueFault(complaint('blank'))
  }
  return value
}

function readText(field: FieldDefinition, raw: unknown): StoredValue | ValueFault {
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') {
    return new ValueFault(complaint('text'))
  }
  const text = String(raw)
  const { minimum_length: least, maximum_length: most } = field.attributes
  if (field.type === 'text' && /[\r\n]/.test(text)) return new ValueFault(complaint('single_line'))
  if (least && text.length < least) return new ValueFault(complaint('minimum_length', { least }))
  if (most && text.length > most) return new ValueFault(complaint('maximum_length', { most }))
  return text
}

function readNumber(field: FieldDefinition, raw: unknown): StoredValue | ValueFault | null {
  let value: number
  if (typeof raw === 'string') {
    const text = raw.trim()
    if (text === '') return null
    if (!/^[+-]?\d+$/.test(text))
      return new ValueFault(complaint('not_whole_number', { value: shorten(text) }))
    value = Number(text)
  } else {
    value = raw as number
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new ValueFault(
      complaint('from_to', { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER })
    )
  }
  if (!Number.isInteger(value)) return new ValueFault(complaint('whole_number'))
  const { minimum_value: least, maximum_value: most } = field.attributes
  if (typeof least === 'number' && value < least) return new ValueFault(complaint('minimum', { least }))
  if (typeof most === 'number' && value > most) return new ValueFault(complaint('maximum', { most }))
  return value
}

function readDay(raw: unknown, order: DateOrder): StoredValue | ValueFault | null {
  if (typeof raw !== 'string') return new ValueFault(complaint('date', dateExamples(order)))
  if (raw.trim() === '') return null
  const wall = parseDate(raw, order)
  return wall ? isoDay(wall) : notADate(raw, order)
}

function notADate(raw: string, order: DateOrder): ValueFault {
  return new ValueFault(complaint('not_date', { ...dateExamples(order), value: shorten(raw) }))
}

function readDayOfYear(raw: unknown, order: DateOrder): StoredValue | ValueFault | null {
  const example = order === 'mdy' ? '01-31' : '31-01'
  if (typeof raw !== 'string') return new ValueFault(complaint('day_of_year', { example }))
  if (raw.trim() === '') return null
  const day = parseMonthDay(raw, order) ?? parseDate(raw, order)
  return day ? monthDay(day) : new ValueFault(complaint('not_day_of_year', { example, value: shorten(raw) }))
}

const trueWords = new Set(['true', '1', 'yes', 'y', 't', 'on'])
const falseWords = new Set(['false', '0', 'no', 'n', 'f', 'off'])

function readBoolean(raw: unknown): StoredValue | ValueFault | null {
  if (typeof raw === 'boolean') return raw
  const text = String(raw).trim().toLowerCase()
  if (text === '') return null
  if (trueWords.has(text)) return true
  if (falseWords.has(text)) return false
  return new ValueFault(complaint('not_boolean', { value: shorten(text) }))
}

function readOption(field: FieldDefinition, raw: unknown): StoredValue | ValueFault | null {
  const text = String(raw).trim()
  if (text === '') return null
  return optionNamed(field, text)?.id ?? noOption(field, text)
}

function readOptions(field: FieldDefinition, raw: unknown): StoredValue | ValueFault | null {
  const texts = Array.isArray(raw) ? raw.map(String) : splitCheckboxes(field, String(raw))
  const ids: number[] = []
  for (const text of texts.map((value) => value.trim()).filter((value) => value !== '')) {
    const option = optionNamed(field, text)
    if (!option) return noOption(field, text)
    if (!ids.includes(option.id)) ids.push(option.id)
  }
  return ids.length > 0 ? ids : null
}

const checkboxName = /\s*(?:"((?:[^"]|"")*)"\s*|([^;]*))(?:;|$)/gy

/** An option whose name contains the separator is recognized alone or in double quotes. */
function splitCheckboxes(field: FieldDefinition, text: string): string[] {
  if (optionNamed(field, text.trim())) return [text]
  return [...text.matchAll(checkboxName)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"')
  )
}

/** Formats several options in one cell, as {@link readValue} parses them. */
export function joinCheckboxes(field: FieldDefinition, names: readonly string[]): string {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
  const joined = names.map((name) => (/[;"]/.test(name) ? quoted(name) : name)).join(checkboxSeparator)
  // The joined names may be the name of another option; then they are quoted.
  const isOption = names.length > 1 && optionNamed(field, joined) !== undefined
  return isOption ? names.map(quoted).join(checkboxSeparator) : joined
}

function optionNamed(field: FieldDefinition, name: string): CustomFieldOption | undefined {
  const exact = field.options.find((option) => option.name === name)
  if (exact) return exact
  const key = name.toLowerCase()
  return field.options.find((option) => option.name.toLowerCase() === key)
}

function noOption(field: FieldDefinition, text: string): ValueFault {
  const values = field.options.slice(0, 10).map((option) => option.name)
  if (field.options.length > values.length) values.push('…')
  return new ValueFault(complaint('not_one_of', { values, value: shorten(text) }))
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

export function defaultValue(field: FieldDefinition): StoredValue | null {
  const { default_string, default_integer, default_boolean } = field.attributes
  return (default_string || null) ?? default_integer ?? default_boolean ?? null
}

/**
 * Returns a stored value as the API answers it (docs/api.md, "Subscribers"): options by name, an empty
 * selection as [].
 */
export function presentValue(field: FieldDefinition, stored: StoredValue | undefined): unknown {
  if (field.type === 'select_multiple_checkboxes') {
    const ids = Array.isArray(stored) ? stored : []
    return field.options.filter((option) => ids.includes(option.id)).map((option) => option.name)
  }
  if (stored === undefined) return null
  if (hasOptions(field.type)) return field.options.find((option) => option.id === stored)?.name ?? null
  return stored
}

/**
 * Reads the `custom_fields` hash of a request: name -> plain value or {name, value} (docs/api.md, "Custom fields"). A key that is no
 * field's name but the id of one means that field; given under both, the name wins.
 * @param report called with a refusal for each name that the list lacks and each value that is refused
 * @returns field id -> value, null where the request blanks a field; faulty entries are left out
 */
export function readValues(
  fields: readonly FieldDefinition[],
  given: Record<string, unknown>,
  report: (refusal: Refusal) => void
): Map<number, StoredValue | null> {
  const values = new Map<number, StoredValue | null>()
  for (const [name, input] of Object.entries(given)) {
    const named = fieldNamed(fields, name)
    const field = named ?? fieldWithId(fields, name)
    const isGivenByName =
      field && !named && Object.keys(given).some((other) => fieldNamed(fields, other) === field)
    if (isGivenByName) continue
    if (!field) {
      report(refusal('field_unknown', { field: `custom_fields.${name}` }))
      continue
    }
    const value = readRequiredValue(field, plainValue(input), 'mdy')
    if (value instanceof ValueFault) report(refusalAt(field.name, value.complaint))
    else values.set(field.id, value)
  }
  return values
}

/** Returns the values after a request, which changes the given ones; see {@link readValues} for `report`. */
export function mergeValues(
  before: StoredValues,
  fields: readonly FieldDefinition[],
  given: Record<string, unknown>,
  report: (refusal: Refusal) => void
): StoredValues {
  const after = { ...before }
  for (const [fieldId, value] of readValues(fields, given, report)) {
    if (value === null) delete after[fieldId]
    else after[fieldId] = value
  }
  return after
}

export function missingFields(fields: readonly FieldDefinition[], values: StoredValues): Refusal[] {
  return fields
    .filter((field) => field.required && field.type !== 'select_multiple_checkboxes')
    .filter((field) => values[field.id] === undefined)
    .map(({ name }) => refusal('blank', { field: name }))
}

/** Ignores case. */
export function fieldNamed<Field extends Pick<FieldDefinition, 'name'>>(
  fields: readonly Field[],
  name: string
): Field | undefined {
  const key = name.trim().toLowerCase()
  return fields.find((field) => field.name.toLowerCase() === key)
}

function fieldWithId(fields: readonly FieldDefinition[], text: string): FieldDefinition | undefined {
  return fields.find((field) => String(field.id) === text)
}

function plainValue(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'value' in input ? input.value : input
}
