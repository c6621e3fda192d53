import { isIP } from 'node:net'
import { type Command, type CommandContext, onSubscribersOnly, recordOne } from '../../database/command.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { recordAbsent } from '../bulk-actions/absent-commands.ts'
import { takeSubscriberId } from './ids.ts'
import { SubscriberTally } from '../subscriber-counts/tally.ts'
import { parseTimeInput, timeComplaint } from '../../base/dates.ts'
import { ApiError, Faults, notFound, validationFailed } from '../../base/errors.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import {
  defaultValue,
  type FieldDefinition,
  mergeValues,
  missingFields,
  type StoredValues
} from '../custom-fields/rules.ts'
import { currentSettings, signingSecret } from '../../settings/queries.ts'
import { undoWithin } from '../../public-pages/texts.ts'
import { readToken, type TokenContent } from './tokens.ts'
import { queueReactions, subscriptionAutoresponders } from '../autoresponders/reactions.ts'
import { Reactions } from '../autoresponders/waiting-reactions.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { refuseWhileRekeying } from '../mailing-lists/rekey-commands.ts'
import { countedSlice, recordEvent, takeBackUnsubscribes } from '../statistics/counting.ts'
import { recipientNamed, remoteRecipient } from '../remote-lists/queries.ts'
import { isRemoteId } from '../remote-lists/recipient-ids.ts'
import { undoRemoteUnsubscribe, recordRemoteUnsubscribe } from '../remote-lists/removals.ts'
import { subscriberLimit, subscribersOfOrganization } from '../subscriber-counts/queries.ts'
import { confirmationForm, storeUntilConfirmed } from '../web-forms/confirmation.ts'
import {
  type SubscriberName,
  type SubscriberRow,
  subscribersNamed,
  subscriberWithKeys,
  subscriberWithList
} from './queries.ts'
import {
  emailComplaint,
  isEmail,
  subscriberKeys,
  type SubscriberKeys,
  takenEmail,
  keyTaken
} from './rules.ts'
import { differences, type SubscriberChange } from './history.ts'
import type { SubscriberChanges, SubscriberInput, SubscriberStatus } from './schema.ts'

export interface SubscriberScope {
  organizationId: number
  /** For times without a zone. */
  timeZone: string
  mailingListId: number
}

interface CreateInput extends SubscriberScope {
  subscriber: SubscriberInput
}

/**
 * Creates a subscriber; with confirmation_form_id an active one is stored until they confirm
 * (docs/api.md, "Subscribers").
 * @returns the id, or null if it must be confirmed
 */
export const createSubscriber: Command<CreateInput, number | null> = async (context, input) => {
  const { subscriber } = input
  const form = await confirmationForm(context, input)
  if (form && subscriber.status === 'active') {
    await checkSubscriber(context, input)
    await storeUntilConfirmed(context, input, form, subscriber)
    return null
  }
  const { id, list, emailKey } = await addSubscriber(context, input)
  if (!form && !subscriber.skip_autoresponders && subscriber.status === 'active') {
    const reacting = await subscriptionAutoresponders(context, list.id, {
      emailKey,
      filter: subscriber.autoresponder_filter,
      excludeReacted: subscriber.autoresponder_exclude_reacted
    })
    await queueReactions(context, reacting, { subscriberId: id, timeZone: input.timeZone })
  }
  return id
}

/** The input of a new subscriber without side effects. */
interface AddInput extends SubscriberScope {
  subscriber: Pick<SubscriberInput, 'email' | 'status'> & Partial<SubscriberInput>
}

interface CheckedSubscriber {
  list: MailingListRow
  attributes: Attributes
  values: StoredValues
  keys: SubscriberKeys
}

/**
 * Checks a new subscriber without adding it.
 * @throws ApiError validation_failed naming each faulty field
 */
async function checkSubscriber(context: CommandContext, input: AddInput): Promise<CheckedSubscriber> {
  const { subscriber } = input
  const { list, fields } = await listAndFields(context, input)
  await refuseWhileRekeying(context, list.id)
  const faults = new Faults()
  const attributes = readAttributes(subscriber, list, input.timeZone, faults)
  const given = subscriber.custom_fields ?? {}
  const values = mergeValues({}, fields, given, (fault) => faults.add(fault))
  if (subscriber.apply_custom_field_defaults) applyDefaults(values, fields)
  // A value that was given and refused is reported already, so it is not missing as well.
  const others = fields.filter(({ id, name }) => !Object.hasOwn(given, name) && !Object.hasOwn(given, id))
  for (const fault of missingFields(others, values)) faults.add(fault)
  const keys = keysOf(list, fields, subscriber.email.trim(), values, faults)
  if (keys) await checkKeys(context, list, fields, keys, null, faults)
  await checkLimit(context, input.organizationId, faults)
  faults.throwIfAny()
  return { list, attributes, values, keys: keys ?? noKeys }
}

type NewSubscriber = Omit<SubscriberRow, 'remove_time' | 'remove_ip' | 'created_at' | 'updated_at'>

const insertSubscriber = compiledQuery<NewSubscriber & { now: number }, unknown>((db, value) =>
  db.insertInto('subscribers').values({
    id: value('id'),
    mailing_list_id: value('mailing_list_id'),
    email: value('email'),
    email_key: value('email_key'),
    alternate_key: value('alternate_key'),
    status: value('status'),
    confirmed: value('confirmed'),
    email_format: value('email_format'),
    subscribe_time: value('subscribe_time'),
    subscribe_ip: value('subscribe_ip'),
    remove_time: null,
    remove_ip: null,
    custom_fields: value('custom_fields'),
    created_at: value('now'),
    updated_at: value('now')
  })
)

/** Adds a subscriber without side effects. */
export async function addSubscriber(
  context: CommandContext,
  input: AddInput
): Promise<{ id: number; list: MailingListRow; emailKey: string }> {
  const { subscriber } = input
  const { list, attributes, values, keys } = await checkSubscriber(context, input)
  const id = await takeSubscriberId(context)
  await insertSubscriber(context.db, {
    id,
    mailing_list_id: list.id,
    email: subscriber.email.trim(),
    email_key: keys.emailKey,
    alternate_key: keys.alternateKey,
    status: subscriber.status,
    confirmed: attributes.confirmed ?? null,
    email_format: attributes.email_format ?? null,
    subscribe_time: attributes.subscribe_time ?? context.now,
    subscribe_ip: attributes.subscribe_ip ?? null,
    custom_fields: JSON.stringify(values),
    now: context.now
  })
  const tally = new SubscriberTally(list.id)
  tally.added(id, subscriber.status)
  await tally.save(context)
  recordOne(context, 'subscriber', 'create', input, id, {
    status: [null, subscriber.status]
  } satisfies SubscriberChange)
  return { id, list, emailKey: keys.emailKey }
}

interface UpdateInput extends SubscriberScope {
  name: SubscriberName
  changes: SubscriberChanges
}

/**
 * Changes the properties in the request (docs/api.md, "Requests and answers").
 * @returns the subscriber's id
 */
export const updateSubscriber: Command<UpdateInput, number> = async (context, input) => {
  const found = await listAndFields(context, input)
  const row = await subscriberNamed(context, found.list, input.name)
  const { status, emailKey } = await changeSubscriberOn(found, context, input, row, input.changes)
  if (input.changes.run_autoresponders && status === 'active') {
    const reacting = await subscriptionAutoresponders(context, row.mailing_list_id, { emailKey })
    await queueReactions(context, reacting, { subscriberId: row.id, timeZone: input.timeZone })
  }
  return row.id
}

interface ChangedSubscriber {
  status: SubscriberRow['status']
  emailKey: string
}

export async function changeSubscriber(
  context: CommandContext,
  scope: SubscriberScope,
  row: SubscriberRow,
  changes: Partial<SubscriberChanges>
): Promise<ChangedSubscriber> {
  return changeSubscriberOn(await listAndFields(context, scope), context, scope, row, changes)
}

async function changeSubscriberOn(
  { list, fields }: ListAndFields,
  context: CommandContext,
  scope: SubscriberScope,
  row: SubscriberRow,
  changes: Partial<SubscriberChanges>
): Promise<ChangedSubscriber> {
  await refuseWhileRekeying(context, list.id)
  const faults = new Faults()
  const attributes = readAttributes(changes, list, scope.timeZone, faults)
  const values = mergeValues(
    JSON.parse(row.custom_fields) as StoredValues,
    fields,
    changes.custom_fields ?? {},
    (fault) => faults.add(fault)
  )
  const email = changes.email?.trim() ?? row.email
  const keys = keysOf(list, fields, email, values, faults) ?? noKeys
  const hasOtherKeys = keys.emailKey !== row.email_key || keys.alternateKey !== row.alternate_key
  if (hasOtherKeys) await checkKeys(context, list, fields, keys, row.id, faults)
  faults.throwIfAny()

  const after = {
    ...row,
    ...attributes,
    email,
    status: changes.status ?? row.status,
    custom_fields: JSON.stringify(values)
  }
  await updateRow(context.db, { ...after, now: context.now })
  if (hasOtherKeys) {
    await context.db
      .updateTable('subscribers')
      .set({ email_key: keys.emailKey, alternate_key: keys.alternateKey })
      .where('id', '=', row.id)
      .execute()
  }
  const tally = new SubscriberTally(list.id)
  tally.moved(row.status, after.status)
  await tally.save(context)
  recordOne(context, 'subscriber', 'update', scope, row.id, differences(row, after))
  return { status: after.status, emailKey: keys.emailKey }
}

/** Sets all columns except the keys: SQLite rewrites the index of every column that is set. */
const updateRow = compiledQuery<SubscriberRow & { now: number }, unknown>((db, value) =>
  db
    .updateTable('subscribers')
    .set({
      email: value('email'),
      status: value('status'),
      confirmed: value('confirmed'),
      email_format: value('email_format'),
      subscribe_time: value('subscribe_time'),
      subscribe_ip: value('subscribe_ip'),
      custom_fields: value('custom_fields'),
      updated_at: value('now')
    })
    .where('id', '=', value('id'))
)

interface UnsubscribeInput {
  /** null = any holder of the token, such as the recipient of a message. */
  organizationId: number | null
  token: string
  ip?: string | null
}

/**
 * Unsubscribes the subscriber of a token and counts it for the campaign that the message belonged to
 * (docs/api.md, "Subscribers").
 * @returns the subscriber and its list; null if either was deleted, so no messages are sent to it any more, or if it is the recipient of a Remote List
 * @throws ApiError validation_failed for an invalid token or one of another organization
 */
export const unsubscribeByToken: Command<
  UnsubscribeInput,
  { id: number; mailingListId: number } | null
> = async (context, { organizationId, token, ip }) => {
  if (ip && isIP(ip) === 0) throw validationFailed(refusal('ip_address', { field: 'ip' }))
  const named = readToken(await signingSecret(context.db), 'unsubscribe', token)
  const row = named && (await recipientNamed(context.db, named))
  const isForeign = Boolean(row) && organizationId !== null && row?.organization_id !== organizationId
  if (!named || isForeign) throw validationFailed(refusal('not_unsubscribe_token', { field: 'token' }))
  return unsubscribeNamed(context, named, { ip: ip || null, at: context.now })
}

/**
 * Unsubscribes the subscriber that a link named, and counts it.
 * @param at when the link was used, in UNIX milliseconds
 * @returns as {@link unsubscribeByToken}
 */
export async function unsubscribeNamed(
  context: CommandContext,
  { subscriberId, sliceId }: TokenContent,
  { ip, at }: { ip: string | null; at: number }
): Promise<{ id: number; mailingListId: number } | null> {
  const remote = await remoteRecipient(context.db, { subscriberId, sliceId })
  if (remote) {
    await recordRemoteUnsubscribe(context, remote, { sliceId, ip, at })
    return null
  }
  const row = await subscriberWithList(context.db, subscriberId)
  if (!row) {
    // If the deletion is undone, the subscriber is restored as unsubscribed. 0 stands for the address of a seed list.
    if (subscriberId !== 0 && !isRemoteId(subscriberId))
      await recordAbsent(context, [{ id: subscriberId, status: 'unsubscribed' }])
    return null
  }
  await context.db
    .updateTable('subscribers')
    .set({ status: 'unsubscribed', remove_time: at, remove_ip: ip, updated_at: context.now })
    .where('id', '=', row.id)
    .execute()
  const tally = new SubscriberTally(row.mailing_list_id)
  tally.moved(row.status, 'unsubscribed')
  await tally.save(context)
  // Unsubscribing works even if the campaign was deleted; it is then not counted.
  const counted = await countedSlice(context.db, sliceId)
  if (counted) {
    const updatesStatus = row.status !== 'unsubscribed'
    await recordEvent(
      context,
      { type: 'unsub', sliceId, subscriber: row, ip, updatesStatus, at },
      row.time_zone_name
    )
  }
  await rememberUnsubscribe(context, row, { sliceId, isCounted: counted !== undefined, at })
  const scope = { organizationId: row.organization_id, mailingListId: row.mailing_list_id }
  const details: SubscriberChange = {
    ...(row.status !== 'unsubscribed' && { status: [row.status, 'unsubscribed'] }),
    ...(counted?.campaign_id && { campaign_id: counted.campaign_id })
  }
  recordOne(context, 'subscriber', 'update', scope, row.id, details)
  // A subscriber on a deleted list is unsubscribed as well, since the list can be restored; the answer then
  // names no subscriber.
  return row.deleted_at === null ? { id: row.id, mailingListId: row.mailing_list_id } : null
}

/** Remembers an unsubscribe for a minute in which it can be undone. Pressed again, the minute begins anew. */
async function rememberUnsubscribe(
  { db, now }: CommandContext,
  { id, status }: { id: number; status: SubscriberStatus },
  { sliceId, isCounted, at }: { sliceId: number; isCounted: boolean; at: number }
): Promise<void> {
  await db
    .deleteFrom('link_unsubscribes')
    .where('occurred_at', '<', at - 10 * undoWithin)
    .execute()
  if (status === 'unsubscribed') {
    await db
      .updateTable('link_unsubscribes')
      .set({ occurred_at: at, changed_at: now })
      .where('subscriber_id', '=', id)
      .where('stat_slice_id', '=', sliceId)
      .execute()
    return
  }
  const event = await db
    .selectFrom('stat_events')
    .select((select) => select.fn.max<number | null>('id').as('id'))
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', 'unsub')
    .where('subscriber_id', '=', id)
    .executeTakeFirst()
  await db
    .replaceInto('link_unsubscribes')
    .values({
      ...{
        subscriber_id: id,
        status,
        stat_slice_id: sliceId,
        first_event_id: isCounted ? (event?.id ?? null) : null
      },
      ...{ changed_at: now, occurred_at: at }
    })
    .execute()
}

/** The button leads to the application a moment after it was pressed; in milliseconds. */
const onTheWay = 5000

/**
 * Undoes an unsubscribe by a link, as if it had not happened.
 * @param at when the button was pressed, in UNIX milliseconds
 * @returns false if that was more than a minute later, or the subscriber has changed since
 */
export async function undoUnsubscribe(
  context: CommandContext,
  { subscriberId, sliceId }: TokenContent,
  at: number
): Promise<boolean> {
  const { db, now } = context
  const remote = await remoteRecipient(db, { subscriberId, sliceId })
  if (remote) return undoRemoteUnsubscribe(context, remote, { sliceId, at, within: undoWithin + onTheWay })
  const done = await db
    .deleteFrom('link_unsubscribes')
    .where('subscriber_id', '=', subscriberId)
    .where('stat_slice_id', '=', sliceId)
    .returningAll()
    .executeTakeFirst()
  const row = await subscriberWithList(db, subscriberId)
  const isInTime = done !== undefined && Math.abs(at - done.occurred_at) <= undoWithin + onTheWay
  if (!done || !isInTime || row?.status !== 'unsubscribed' || row.updated_at !== done.changed_at) return false
  await db
    .updateTable('subscribers')
    .set({ status: done.status, remove_time: null, remove_ip: null, updated_at: now })
    .where('id', '=', subscriberId)
    .execute()
  const tally = new SubscriberTally(row.mailing_list_id)
  tally.moved('unsubscribed', done.status)
  await tally.save(context)
  const scope = { organizationId: row.organization_id, mailingListId: row.mailing_list_id }
  const details: SubscriberChange = { status: ['unsubscribed', done.status] }
  recordOne(context, 'subscriber', 'update', scope, subscriberId, details)
  if (done.first_event_id !== null) {
    const counted = { sliceId, subscriberId, firstEventId: done.first_event_id }
    await takeBackUnsubscribes(context, counted, row.time_zone_name)
  }
  return true
}

const undoByToken: Command<{ token: string }, boolean> = async (context, { token }) => {
  const named = readToken(await signingSecret(context.db), 'unsubscribe', token)
  return named ? undoUnsubscribe(context, named, context.now) : false
}

interface DeleteInput extends Omit<SubscriberScope, 'timeZone'> {
  name: SubscriberName
}

/** Most subscribers with the same email that one call deletes (docs/api.md, "Limits"). */
const removedAtOnce = 10

/** Deletes the subscriber with an id, or the first ten with an email. */
export const deleteSubscribers: Command<
  DeleteInput,
  { subscriber_ids_removed: number[]; more_remaining: boolean }
> = async (context, input) => {
  const list = await localListById(context.db, input.organizationId, input.mailingListId, 'subscribers')
  await refuseWhileRekeying(context, list.id)
  if ((await currentSettings(context.db)).service_disable_subscriber_deletion) {
    throw validationFailed(refusal('deletion_disabled'))
  }
  const named = await subscribersNamed(context.db, list.id, [input.name], limitFor(list, removedAtOnce + 1))
  if (named.length === 0) throw notFound('subscriber', shownName(input.name))
  const removed = named.slice(0, removedAtOnce)
  const ids = removed.map((row) => row.id)
  const waiting = await new Reactions(context).take(ids)
  await context.db.deleteFrom('subscribers').where('id', 'in', ids).execute()
  const tally = new SubscriberTally(list.id)
  for (const row of removed) {
    tally.removed(row.id, row.status)
    recordOne(context, 'subscriber', 'delete', input, row.id, {
      name: row.email,
      removed: [row, waiting.get(row.id) ?? []]
    } satisfies SubscriberChange)
  }
  await tally.save(context)
  return { subscriber_ids_removed: ids, more_remaining: named.length > removed.length }
}

interface ListAndFields {
  list: MailingListRow
  fields: readonly FieldDefinition[]
}

async function listAndFields(context: CommandContext, scope: SubscriberScope): Promise<ListAndFields> {
  const list = await localListById(context.db, scope.organizationId, scope.mailingListId, 'subscribers')
  return { list, fields: await fieldsOfList(context.db, scope.organizationId, scope.mailingListId) }
}

/**
 * Finds the only subscriber for a path.
 * @throws ApiError not_found; multiple_records_found if several share the email
 */
async function subscriberNamed(
  { db }: CommandContext,
  list: MailingListRow,
  name: SubscriberName
): Promise<SubscriberRow> {
  return onlyOne(await subscribersNamed(db, list.id, [name], limitFor(list, 2)), name)
}

/** No limit if the email is the primary key, hence unique: that query is simpler. */
function limitFor(list: MailingListRow, limit: number): number | undefined {
  return list.primary_key_custom_field_id === null ? undefined : limit
}

/** @throws ApiError as {@link subscriberNamed} */
export function onlyOne([row, ...others]: SubscriberRow[], name: SubscriberName): SubscriberRow {
  if (!row) throw notFound('subscriber', shownName(name))
  if (others.length > 0) {
    throw new ApiError(
      'multiple_records_found',
      refusal('one_of_several', { what: 'subscriber', id: shownName(name) })
    )
  }
  return row
}

function shownName(name: SubscriberName): string | number {
  return 'id' in name ? name.id : name.email
}

type Attributes = Partial<
  Pick<SubscriberRow, 'confirmed' | 'email_format' | 'subscribe_time' | 'subscribe_ip'>
>

/** Converts the given attributes except email, status and custom fields to columns. */
function readAttributes(
  given: Partial<SubscriberChanges>,
  list: MailingListRow,
  timeZone: string,
  faults: Faults
): Attributes {
  const columns: Attributes = {}
  if (given.email !== undefined && !isEmail(given.email.trim())) {
    faults.add(refusalAt('email', emailComplaint(given.email)))
  }
  // Clients in use send these two to every list (docs/api.md, "Subscribers").
  if (given.email_format !== undefined && list.has_format === 1) {
    columns.email_format = given.email_format
  }
  if (given.confirmed !== undefined && list.has_confirmed === 1) {
    columns.confirmed = Number(given.confirmed)
  }
  if (given.subscribe_time !== undefined) {
    const time = parseTimeInput(given.subscribe_time, timeZone)
    if (time === null) faults.add(refusalAt('subscribe_time', timeComplaint(given.subscribe_time)))
    else columns.subscribe_time = time
  }
  if (given.subscribe_ip !== undefined) {
    if (given.subscribe_ip && isIP(given.subscribe_ip) === 0) {
      faults.add(refusal('ip_address', { field: 'subscribe_ip' }))
    } else columns.subscribe_ip = given.subscribe_ip || null
  }
  return columns
}

function applyDefaults(values: StoredValues, fields: readonly FieldDefinition[]): void {
  for (const field of fields) {
    const value = values[field.id] ?? defaultValue(field)
    if (value !== null) values[field.id] = value
  }
}

const noKeys: SubscriberKeys = { emailKey: '', alternateKey: null }

/** @returns null for a blank primary key, which is a fault */
function keysOf(
  list: MailingListRow,
  fields: readonly FieldDefinition[],
  email: string,
  values: StoredValues,
  faults: Faults
): SubscriberKeys | null {
  const field = primaryKeyOf(list, fields)
  const { emailKey, alternateKey } = subscriberKeys(field, email, values)
  if (alternateKey !== undefined) return { emailKey, alternateKey }
  // If the field is required, its absence is reported already.
  if (!field?.required) {
    faults.add(refusal('blank_primary_key', { field: field?.name ?? '' }))
  }
  return null
}

function primaryKeyOf(list: MailingListRow, fields: readonly FieldDefinition[]): FieldDefinition | undefined {
  return fields.find(({ id }) => id === list.primary_key_custom_field_id)
}

/**
 * Adds a fault if another subscriber has the key, in the words that clients compare
 * (docs/api.md, "Subscribers").
 */
async function checkKeys(
  context: CommandContext,
  list: MailingListRow,
  fields: readonly FieldDefinition[],
  keys: SubscriberKeys,
  ownId: number | null,
  faults: Faults
): Promise<void> {
  const taken = await subscriberWithKeys(context.db, list.id, keys)
  if (taken === undefined || taken === ownId) return
  const field = primaryKeyOf(list, fields)
  for (const fault of field ? [keyTaken(field.name)] : takenEmail) faults.add(fault)
}

async function checkLimit(context: CommandContext, organizationId: number, faults: Faults): Promise<void> {
  const limit = await subscriberLimit(context.db, organizationId)
  if (limit === null) return
  if ((await subscribersOfOrganization(context.db, organizationId)) >= limit) {
    faults.add(refusal('subscriber_limit', { limit }))
  }
}

export const subscriberCommands = {
  create: onSubscribersOnly(createSubscriber),
  update: onSubscribersOnly(updateSubscriber),
  unsubscribeByToken,
  undoByToken,
  delete: deleteSubscribers
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    subscribers: typeof subscriberCommands
  }
}
