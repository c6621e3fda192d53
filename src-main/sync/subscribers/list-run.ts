import type { Kysely } from 'kysely'
import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { subscribersNamed, type SubscriberRow } from '../../api/subscribers/queries.ts'
import { emailKey, type SubscriberKeys } from '../../api/subscribers/rules.ts'
import type { Schema } from '../../database/schema.ts'
import { agreementsWith, agreementsWithTheirs } from '../queries.ts'
import { count, type Run, type Named } from '../run-context.ts'
import type { Side } from '../schema.ts'
import { type Agreed, unpackAgreed } from './agreed.ts'
import {
  type Common,
  localPerson,
  type Person,
  slotOf,
  slots,
  theirPerson,
  type TheirSubscriber
} from './person.ts'

/** What mirroring the subscribers of one list works with. */
export interface ListRun {
  run: Run
  syncListId: number
  list: Pick<MailingListRow, 'id' | 'name' | 'organization_id' | 'primary_key_custom_field_id'>
  theirListId: number
  common: Common
  /** What people decided, by the ids of the subscribers and by slot. */
  decisions: Map<number, Map<number, Side>>
  /** Whether something turned up that only a look at all subscribers of the remote can tell. */
  needsScan: boolean
  /** New people whom the remote refused once: it may have had them by then, which another look tells. */
  readonly refusedOnce: Set<number>
}

/** A subscriber of this side. */
export interface LocalPerson {
  id: number
  person: Person
  /** UNIX milliseconds. Who was changed since they were read is not changed by what was read. */
  updatedAt: number
}

/** A subscriber of both sides or of one, with what is kept about them. */
export interface Meeting {
  /** null = nobody on this side, any more or yet. */
  local: LocalPerson | null
  agreed: { localId: number; theirId: number | null; hashes: Agreed } | null
  /** null = nobody there. */
  theirs: { id: number; person: Person } | null
}

/** What makes a subscriber unique on the list, on both sides: the email, or the value of the primary key. */
export function keyOf({ list }: ListRun, person: Person): string {
  const fieldId = list.primary_key_custom_field_id
  if (fieldId === null) return emailKey(String(person.get(slots.email)))
  return String(person.get(slotOf({ id: fieldId }))).toLowerCase()
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
export async function localPeople(
  { run, list, common }: ListRun,
  ids: readonly number[]
): Promise<Map<number, LocalPerson>> {
  const rows = await subscribersNamed(
    run.reader,
    list.id,
    ids.map((id) => ({ id }))
  )
  return new Map(
    rows.map((row) => [row.id, { id: row.id, person: localPerson(row, common), updatedAt: row.updated_at }])
  )
}

/** Subscribers of this side that the people of the remote are, by the key of each. */
export async function localPeopleLike(
  listRun: ListRun,
  people: readonly Person[]
): Promise<Map<string, LocalPerson>> {
  const { run, list, common } = listRun
  const fieldId = list.primary_key_custom_field_id
  const rows =
    fieldId === null
      ? await subscribersNamed(
          run.reader,
          list.id,
          people.map((person) => ({ email: String(person.get(slots.email)) }))
        )
      : await subscribersWithKeys(
          run.reader,
          list.id,
          people.flatMap((person) => localKeysOf(listRun, person).alternateKey ?? [])
        )
  const found = new Map<string, LocalPerson>()
  for (const row of rows) {
    const person = localPerson(row, common)
    found.set(keyOf(listRun, person), { id: row.id, person, updatedAt: row.updated_at })
  }
  return found
}

function subscribersWithKeys(db: Kysely<Schema>, listId: number, keys: string[]): Promise<SubscriberRow[]> {
  return db
    .selectFrom('subscribers')
    .selectAll()
    .where('mailing_list_id', '=', listId)
    .where('alternate_key', 'in', keys)
    .execute()
}

type AgreedEntry = NonNullable<Meeting['agreed']>

/** What was agreed on, by ids of this side or of the remote. */
export async function agreedBy(
  { run, syncListId }: ListRun,
  column: 'local_id' | 'their_id',
  ids: readonly number[]
): Promise<Map<number, AgreedEntry>> {
  if (ids.length === 0) return new Map()
  const rows =
    column === 'local_id'
      ? await agreementsWith(run.reader, syncListId, ids)
      : await agreementsWithTheirs(run.reader, syncListId, ids)
  return new Map(
    rows.map(({ local_id, their_id, agreed }) => [
      (column === 'local_id' ? local_id : their_id) ?? 0,
      { localId: local_id, theirId: their_id, hashes: unpackAgreed(agreed) }
    ])
  )
}

/** A subscriber as the remote answered them. */
export function theirs({ common }: ListRun, answer: TheirSubscriber): { id: number; person: Person } {
  return { id: answer.id, person: theirPerson(answer, common) }
}

export function countSubscribers({ run }: ListRun, direction: 'pushed' | 'pulled', people = 1): void {
  count(run, direction, 'subscriber', people)
}
