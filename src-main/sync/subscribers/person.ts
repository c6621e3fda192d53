import type { FieldDefinition, StoredValues } from '../../api/custom-fields/rules.ts'
import { presentValue } from '../../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../../api/custom-fields/schema.ts'
import type { PresentedRow } from '../../api/subscribers/queries.ts'
import type { Subscriber } from '../../api/subscribers/schema.ts'

/** A value of a subscriber as both sides write it: options by their names, in alphabetical order. */
export type Value = string | number | boolean | string[]

/**
 * A subscriber as it is compared: slot -> value, without blank values. Slots are numbers to keep the agreed
 * state small: attributes are below {@link firstFieldSlot}, a custom field is its local id plus that.
 */
export type Person = Map<number, Value>

/** The attributes that the API answers of a subscriber, by their slots. */
export const slots = {
  email: 1,
  status: 2,
  /** In whole seconds, like in the API. */
  subscribe_time: 3,
  subscribe_ip: 4,
  email_format: 5,
  confirmed: 6
} as const

const firstFieldSlot = 16

/** A custom field that both sides have, with the same type. */
export interface FieldPair {
  field: FieldDefinition
  /** The field's name on the remote. */
  theirName: string
  theirId: number
}

/** The attributes and fields that exist in both lists. */
export interface Common {
  fields: FieldPair[]
  hasFormat: boolean
  hasConfirmed: boolean
  /** Ascending, in the order of {@link Values}. */
  slots: readonly number[]
}

/** @param fields that both lists have, in any order */
export function commonOf(fields: readonly FieldPair[], hasFormat: boolean, hasConfirmed: boolean): Common {
  const sorted = [...fields].sort((a, b) => a.field.id - b.field.id)
  const fieldSlots = sorted.map(({ field }) => slotOf(field))
  return { fields: sorted, hasFormat, hasConfirmed, slots: [...Object.values(slots), ...fieldSlots] }
}

export function slotOf(field: { id: number }): number {
  return firstFieldSlot + field.id
}

/** Returns the API's name of an attribute or the name of a custom field. */
export function nameOfSlot(slot: number, { fields }: Common): string {
  const attribute = Object.entries(slots).find(([, each]) => each === slot)
  return attribute?.[0] ?? fields.find(({ field }) => slotOf(field) === slot)?.field.name ?? String(slot)
}

/**
 * The values of a subscriber in the order of {@link Common.slots}; undefined = blank. Most of a million
 * subscribers are unchanged, which is found without building a Person.
 */
export type Values = readonly (Value | undefined)[]

export function localValues(row: PresentedRow, { fields, hasFormat, hasConfirmed }: Common): Values {
  const stored = JSON.parse(row.custom_fields) as StoredValues
  const values: (Value | undefined)[] = [
    row.email,
    row.status,
    Math.floor(row.subscribe_time / 1000),
    valueOf(row.subscribe_ip),
    hasFormat ? (row.email_format ?? 'html') : undefined,
    hasConfirmed ? row.confirmed === 1 : undefined
  ]
  for (const { field } of fields) values.push(valueOf(presentValue(field, stored[field.id])))
  return values
}

/** A subscriber as the remote answers them: what the specification promises, and what else it turns out to answer. */
export type TheirSubscriber = Partial<Subscriber> & Pick<Subscriber, 'id' | 'email' | 'status'>

export function theirValues(answer: TheirSubscriber, { fields, hasFormat, hasConfirmed }: Common): Values {
  const seconds = answer.subscribe_time_epoch ?? Math.floor(Date.parse(answer.subscribe_time ?? '') / 1000)
  const values: (Value | undefined)[] = [
    answer.email,
    answer.status,
    Number.isFinite(seconds) ? seconds : undefined,
    valueOf(answer.subscribe_ip),
    hasFormat ? valueOf(answer.email_format) : undefined,
    hasConfirmed ? answer.confirmed : undefined
  ]
  const given = answer.custom_fields ?? {}
  for (const { theirName } of fields) values.push(valueOf(given[theirName]?.value))
  return values
}

/** @returns undefined for a blank value */
function valueOf(value: unknown): Value | undefined {
  if (Array.isArray(value)) return value.length > 0 ? value.map(String).sort() : undefined
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

export function personOf(values: Values, { slots: inOrder }: Common): Person {
  const person: Person = new Map()
  for (const [at, slot] of inOrder.entries()) {
    const value = values[at]
    if (value !== undefined) person.set(slot, value)
  }
  return person
}

/** A subscriber of this side. */
export function localPerson(row: PresentedRow, common: Common): Person {
  return personOf(localValues(row, common), common)
}

/** A subscriber of the remote. */
export function theirPerson(answer: TheirSubscriber, common: Common): Person {
  return personOf(theirValues(answer, common), common)
}

export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, at) => each === b[at])
  )
}

export function samePerson(a: Person, b: Person): boolean {
  if (a.size !== b.size) return false
  for (const [slot, value] of a) if (!sameValue(value, b.get(slot))) return false
  return true
}

/** A subscriber as a request of the API takes them, with every key, so that nothing is left as it was. */
export function requestOf(person: Person, { fields }: Common, nameOf: (pair: FieldPair) => string) {
  const seconds = person.get(slots.subscribe_time)
  return {
    email: String(person.get(slots.email)),
    status: person.get(slots.status),
    ...(typeof seconds === 'number' && { subscribe_time: isoTime(seconds) }),
    subscribe_ip: person.get(slots.subscribe_ip) ?? null,
    ...(person.has(slots.email_format) && { email_format: person.get(slots.email_format) }),
    ...(person.has(slots.confirmed) && { confirmed: person.get(slots.confirmed) }),
    custom_fields: Object.fromEntries(
      fields
        // A required field is left out if the subscriber has no value for it.
        .filter(({ field }) => !field.required || person.has(slotOf(field)))
        .map((pair) => [nameOf(pair), person.get(slotOf(pair.field)) ?? blankOf(pair.field.type)])
    )
  }
}

/** ISO 8601 with a numeric offset, which requests and the files of imports take. */
export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`
}

function blankOf(type: CustomFieldType): null | [] {
  return type === 'select_multiple_checkboxes' ? [] : null
}
