import type { FieldDefinition, StoredValues } from '../../api/custom-fields/rules.ts'
import { presentValue } from '../../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../../api/custom-fields/schema.ts'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import type { Subscriber } from '../../api/subscribers/schema.ts'

/** A value of a subscriber as both sides write it: options by their names, in alphabetical order. */
export type Value = string | number | boolean | string[]

/**
 * A subscriber as the two sides compare them: slot -> value, without what is blank. Slots are numbers, so that what was agreed on
 * takes few bytes: the attributes have those below {@link firstFieldSlot}, and a custom field has its local id beyond it.
 */
export type Person = Map<number, Value>

/** The attributes that the API answers of a subscriber, by their slots. */
export const slots = {
  email: 1,
  status: 2,
  /** In whole seconds, as the API answers it. */
  subscribe_time: 3,
  subscribe_ip: 4,
  email_format: 5,
  confirmed: 6
} as const

const firstFieldSlot = 16

/** A custom field that both sides have, with the same type. */
export interface FieldPair {
  field: FieldDefinition
  /** What it is called there. */
  theirName: string
  theirId: number
}

/** What the two lists have in common. */
export interface Common {
  fields: FieldPair[]
  hasFormat: boolean
  hasConfirmed: boolean
}

export function slotOf(field: { id: number }): number {
  return firstFieldSlot + field.id
}

/** What a slot is called: as the API calls the attribute, or the name of the custom field. */
export function nameOfSlot(slot: number, { fields }: Common): string {
  const attribute = Object.entries(slots).find(([, each]) => each === slot)
  return attribute?.[0] ?? fields.find(({ field }) => slotOf(field) === slot)?.field.name ?? String(slot)
}

/** A subscriber of this side. */
export function localPerson(row: SubscriberRow, { fields, hasFormat, hasConfirmed }: Common): Person {
  const person: Person = new Map<number, Value>([
    [slots.email, row.email],
    [slots.status, row.status],
    [slots.subscribe_time, Math.floor(row.subscribe_time / 1000)]
  ])
  if (row.subscribe_ip) person.set(slots.subscribe_ip, row.subscribe_ip)
  if (hasFormat) person.set(slots.email_format, row.email_format ?? 'html')
  if (hasConfirmed) person.set(slots.confirmed, row.confirmed === 1)
  const stored = JSON.parse(row.custom_fields) as StoredValues
  for (const { field } of fields) {
    const value = stored[field.id]
    if (value !== undefined) put(person, slotOf(field), presentValue(field, value))
  }
  return person
}

/** A subscriber as the remote answers them: what the specification promises, and what else it turns out to answer. */
export type TheirSubscriber = Partial<Subscriber> & Pick<Subscriber, 'id' | 'email' | 'status'>

/** A subscriber of the remote. */
export function theirPerson(answer: TheirSubscriber, { fields, hasFormat, hasConfirmed }: Common): Person {
  const person: Person = new Map<number, Value>([
    [slots.email, answer.email],
    [slots.status, answer.status]
  ])
  const seconds = answer.subscribe_time_epoch ?? Math.floor(Date.parse(answer.subscribe_time ?? '') / 1000)
  if (Number.isFinite(seconds)) person.set(slots.subscribe_time, seconds)
  if (answer.subscribe_ip) person.set(slots.subscribe_ip, answer.subscribe_ip)
  if (hasFormat && answer.email_format) person.set(slots.email_format, answer.email_format)
  if (hasConfirmed && answer.confirmed !== undefined) person.set(slots.confirmed, answer.confirmed)
  const values = answer.custom_fields ?? {}
  for (const { field, theirName } of fields) put(person, slotOf(field), values[theirName]?.value)
  return person
}

function put(person: Person, slot: number, value: unknown): void {
  if (value === null || value === undefined || value === '') return
  if (Array.isArray(value)) {
    if (value.length > 0) person.set(slot, value.map(String).sort())
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    person.set(slot, value)
  }
}

/** Whether two values, either of which may be blank, are the same. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  return (
    Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, at) => each === b[at])
  )
}

/** Whether two people have the same values. */
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
        // Somebody who lacks what is required since is not made to have it.
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
