import type { Kysely } from 'kysely'
import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { subscribersNamed, type SubscriberRow } from '../../api/subscribers/queries.ts'
import { emailKey, type SubscriberKeys } from '../../api/subscribers/rules.ts'
import type { Schema } from '../../database/schema.ts'
import { type AgreementRow, agreementsWith, agreementsWithTheirs } from '../queries.ts'
import { countOperation, type Run, type Named } from '../run-context.ts'
import type { Side } from '../schema.ts'
import { type Agreed, unpackAgreed } from './agreed.ts'
import {
  type Common,
  localPerson,
  type Person,
  slotOf,
  slots,
  theirPerson,
  type TheirSubscriber,
  type Value,
  type Values
} from './person.ts'

/** The context of mirroring one list's subscribers. */
export interface ListRun {
  run: Run
  syncListId: number
  list: Pick<MailingListRow, 'id' | 'name' | 'organization_id' | 'primary_key_custom_field_id'>
  theirListId: number
  common: Common
  /** Decisions of users, by subscriber id and slot. */
  decisions: Map<number, Map<number, Side>>
  /** Set when only a scan of all remote subscribers can find something out. */
  needsScan: boolean
  /** New subscribers that the remote refused once: it may have them already, which a scan finds out. */
  readonly refusedOnce: Set<number>
}

/** A subscriber of this side. */
export interface LocalPerson {
  id: number
  person: Person
  /** UNIX milliseconds. A subscriber who changed after being read is not overwritten. */
  updatedAt: number
}

/** A subscriber of one or both sides, with the agreed state. */
export interface Meeting {
  /** null = not on this side. */
  local: LocalPerson | null
  agreed: { localId: number; theirId: number | null; hashes: Agreed } | null
  /** null = not on the remote. */
  theirs: { id: number; person: Person } | null
}

/** Returns the value that makes a subscriber unique on both sides: the email or the primary key's value. */
export function keyOf(listRun: ListRun, person: Person): string {
  return keyFrom(listRun, (slot) => person.get(slot))
}

/** The same of values in the order of the slots. */
export function keyOfValues(listRun: ListRun, values: Values): string {
  return keyFrom(listRun, (slot) => values[listRun.common.slots.indexOf(slot)])
}

function keyFrom({ list }: ListRun, valueAt: (slot: number) => Value | undefined): string {
  const fieldId = list.primary_key_custom_field_id
  if (fieldId === null) return emailKey(String(valueAt(slots.email)))
  return String(valueAt(slotOf({ id: fieldId }))).toLowerCase()
}

/** The same as this side keeps it. */
export function localKeysOf(listRun: ListRun, person: Person): SubscriberKeys {
  const key = keyOf(listRun, person)
  const fieldId = listRun.list.primary_key_custom_field_id
  return fieldId === null
    ? { emailKey: key, alternateKey: null }
    : { emailKey: emailKey(String(person.get(slots.email))), alternateKey: `${fieldId}:${key}` }
}

export function namedSubscriber({ list }: ListRun, recordId: number, person: Person): Named {
  return { kind: 'subscriber', mailingListId: list.id, recordId, name: String(person.get(slots.email)) }
}

/** Subscribers of this side by their ids; those that are gone are left out. */
export async function localRows(
  { run, list }: ListRun,
  ids: readonly number[]
): Promise<Map<number, SubscriberRow>> {
  const rows = await subscribersNamed(
    run.reader,
    list.id,
    ids.map((id) => ({ id }))
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export async function localPeople(
  listRun: ListRun,
  ids: readonly number[]
): Promise<Map<number, LocalPerson>> {
  const rows = await localRows(listRun, ids)
  return new Map([...rows].map(([id, row]) => [id, localPersonOf(listRun, row)]))
}

export function localPersonOf({ common }: ListRun, row: SubscriberRow): LocalPerson {
  return { id: row.id, person: localPerson(row, common), updatedAt: row.updated_at }
}

/** Subscribers of this side that people of the remote are, by the key of each. */
export async function localRowsLike(
  listRun: ListRun,
  people: readonly Values[]
): Promise<Map<string, SubscriberRow>> {
  if (people.length === 0) return new Map()
  const { run, list } = listRun
  const fieldId = list.primary_key_custom_field_id
  const keys = people.map((values) => keyOfValues(listRun, values))
  if (fieldId === null) {
    const names = keys.map((email) => ({ email }))
    const rows = await subscribersNamed(run.reader, list.id, names)
    return new Map(rows.map((row) => [row.email_key, row]))
  }
  const prefix = `${fieldId}:`
  const rows = await subscribersWithKeys(
    run.reader,
    list.id,
    keys.map((key) => `${prefix}${key}`)
  )
  return new Map(rows.map((row) => [(row.alternate_key ?? '').slice(prefix.length), row]))
}

function subscribersWithKeys(db: Kysely<Schema>, listId: number, keys: string[]): Promise<SubscriberRow[]> {
  return db
    .selectFrom('subscribers')
    .selectAll()
    .where('mailing_list_id', '=', listId)
    .where('alternate_key', 'in', keys)
    .execute()
}

/** Returns the agreed states, by local id. */
export async function agreedBy(
  { run, syncListId }: ListRun,
  localIds: readonly number[]
): Promise<Map<number, AgreementRow>> {
  if (localIds.length === 0) return new Map()
  const rows = await agreementsWith(run.reader, syncListId, localIds)
  return new Map(rows.map((row) => [row.local_id, row]))
}

/** Returns the agreed states, by remote id. */
export async function agreedByTheirs(
  { run, syncListId }: ListRun,
  theirIds: readonly number[]
): Promise<Map<number, AgreementRow>> {
  if (theirIds.length === 0) return new Map()
  const rows = await agreementsWithTheirs(run.reader, syncListId, theirIds)
  return new Map(rows.map((row) => [row.their_id ?? 0, row]))
}

export function agreedOf({ local_id, their_id, agreed }: AgreementRow): NonNullable<Meeting['agreed']> {
  return { localId: local_id, theirId: their_id, hashes: unpackAgreed(agreed) }
}

/** A subscriber as the remote answered them. */
export function theirs({ common }: ListRun, answer: TheirSubscriber): { id: number; person: Person } {
  return { id: answer.id, person: theirPerson(answer, common) }
}

export function countSubscribers({ run }: ListRun, direction: 'pushed' | 'pulled', people = 1): void {
  countOperation(run, direction, 'subscriber', people)
}
