import { Ajv, type ValidateFunction } from 'ajv'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { recordVisit } from '../../api/statistics/machines.ts'
import { undoUnsubscribe, unsubscribeNamed } from '../../api/subscribers/commands.ts'
import { recipientNamed } from '../../api/remote-lists/queries.ts'
import { readToken, type TokenContent } from '../../api/subscribers/tokens.ts'
import { applyPreferences } from '../../api/subscribers/preferences.ts'
import { signUp } from '../../api/web-forms/sign-up.ts'
import { signUpContentKey } from '../../api/web-forms/sign-up-address.ts'
import type { Preferences } from '../../public-pages/preferences.ts'
import type { SignUp } from '../../public-pages/sign-up.ts'
import { confirmLinked } from '../../api/web-forms/commands.ts'
import { pendingByToken } from '../../api/web-forms/queries.ts'
import { storeRefusal } from '../../base/stored-refusal.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import { gateSecretOf, openText, pageKeyOf } from '../../gates/keys.ts'
import type { GateEvent } from '../../gates/protocol.ts'
import { organizationOfGate, positionOf } from '../../gates/queries.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { signingSecret } from '../../settings/queries.ts'
import { countClick, countOpen, recipientOf } from '../commands.ts'

/** The time between two fetches from a gate, and the longer one after a failed fetch; in milliseconds. */
const [interval, intervalAfterFault] = [20_000, 60_000]

/** Stores that fetching from a gate begins. @returns when, in UNIX milliseconds */
const beginFetch: Command<{ id: number }, number> = async ({ db, now }, { id }) => {
  await db.updateTable('gates').set({ begun_at: now }).where('url_domain_id', '=', id).execute()
  return now
}

interface FetchedEvents {
  /** The gate that they were fetched from. */
  id: number
  epoch: string
  /** What the clock of this computer is ahead of the gate's, in milliseconds. */
  clockOffset: number
  /** In their order. */
  events: GateEvent[]
}

/**
 * Applies events of a gate together with how far they were applied, so that each is applied once.
 * @throws ApiError if the only event cannot be applied, such as a confirmation over the limit of the organization
 */
const applyEvents: Command<FetchedEvents, void> = async (context, { id, epoch, events, clockOffset }) => {
  context.origin = { via: 'link', causeId: null, userId: null }
  const applied = await positionOf(context.db, epoch)
  const organizationId = await organizationOfGate(context.db, id)
  const secret = gateSecretOf(await signingSecret(context.db), organizationId)
  let last = applied
  for (const event of events) {
    if (event.number <= last) continue
    await applyEvent(context, { organizationId, secret, clockOffset }, event)
    last = event.number
  }
  await storePosition(context, epoch, last)
}

/** Passes over an event that was refused. */
const skipEvent: Command<{ epoch: string; number: number }, void> = async (context, { epoch, number }) => {
  await storePosition(context, epoch, Math.max(number, await positionOf(context.db, epoch)))
}

async function storePosition({ db }: CommandContext, epoch: string, number: number): Promise<void> {
  await db.replaceInto('gate_positions').values({ epoch, number }).execute()
}

interface Gate {
  organizationId: number
  secret: KeyObject
  clockOffset: number
}

/** Applies an event, unless it is about another organization than that of the gate: its administrators choose the server. */
async function applyEvent(
  context: CommandContext,
  { organizationId, secret, clockOffset }: Gate,
  event: GateEvent
): Promise<void> {
  const { kind, token, purpose, link } = event
  const at = Math.min(event.at + clockOffset, context.now)
  const ip = isIP(event.ip) === 0 ? null : event.ip
  const visit = { ip, isMachine: event.is_machine, at }
  if (kind === 'confirm') {
    const found = await pendingByToken(context.db, token, at, secret)
    if (found?.organizationId === organizationId) await confirmLinked(context, found, ip)
    return
  }
  if (kind === 'open' || kind === 'click') {
    const recipient = await recipientOf(context, secret, kind, token)
    if (recipient?.organizationId !== organizationId) return
    if (kind === 'open') await countOpen(context, recipient, visit)
    else await countClick(context, recipient, Number(link), visit)
    return
  }
  if (kind === 'sign_up') {
    await applySignUp(context, { organizationId, secret }, event, { ip, at })
    return
  }
  const named = readToken(secret, kind === 'visit' ? purpose : 'unsubscribe', token)
  if (!named || !(await isOf(context, organizationId, named))) return
  if (kind === 'visit') await recordVisit(context, { ...named, link, at })
  else if (kind === 'preferences') {
    const preferences = await dataOf(context, `s${named.sliceId}`, event, isPreferences)
    if (preferences) await applyPreferences(context, named, { preferences, ip, at })
  } else if (kind === 'unsubscribe') await unsubscribeNamed(context, named, { ip, at })
  else await undoUnsubscribe(context, named, at)
}

/** Applies a sign-up, unless its form belongs to another organization than the gate. */
async function applySignUp(
  context: CommandContext,
  { organizationId, secret }: Pick<Gate, 'organizationId' | 'secret'>,
  event: GateEvent,
  when: { ip: string | null; at: number }
): Promise<void> {
  const named = readToken(secret, 'sign_up', event.token)
  if (!named) return
  const formId = named.sliceId
  const entered = await dataOf(context, signUpContentKey(formId), event, isSignUp)
  const owner = await context.db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select('organization_id')
    .where('web_forms.id', '=', formId)
    .executeTakeFirst()
  if (!entered || owner?.organization_id !== organizationId) return
  await signUp(context, { formId, signUp: entered, ...when, leavesOutFaulty: true })
}

const ajv = new Ajv()
const isPreferences = ajv.compile<Preferences>({
  type: 'object',
  propertyNames: { pattern: '^[1-9]\\d{0,14}$' },
  additionalProperties: { type: 'boolean' }
})
const isSignUp = ajv.compile<SignUp>({
  type: 'object',
  required: ['email', 'values', 'consents'],
  properties: {
    email: { type: 'string' },
    values: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    consents: { type: 'boolean' }
  }
})

/** Returns what a visitor entered, which the gate has sealed. @returns null if it is not as it should be */
async function dataOf<Data>(
  { db }: CommandContext,
  content: string,
  { data = '' }: GateEvent,
  check: ValidateFunction<Data>
): Promise<Data | null> {
  const opened = openText(pageKeyOf(await signingSecret(db), content), data)
  if (opened === null) return null
  try {
    const parsed: unknown = JSON.parse(opened)
    return check(parsed) ? parsed : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** True for a subscriber of an organization, and for one who was deleted. */
async function isOf({ db }: CommandContext, organizationId: number, named: TokenContent): Promise<boolean> {
  const subscriber = await recipientNamed(db, named)
  return subscriber === undefined || subscriber.organization_id === organizationId
}

/** Stores what a gate calls its contents, once it has all of them. */
const recordState: Command<{ id: number; state: string }, void> = async ({ db }, { id, state }) => {
  await db.updateTable('gates').set({ state }).where('url_domain_id', '=', id).execute()
}

/** Stores how fetching ended, and when events are fetched next. */
const endFetch: Command<{ id: number; end: JobEnd }, void> = async (context, { id, end }) => {
  const isDone = end.is === 'finished'
  await context.db
    .updateTable('gates')
    .set({
      ...(isDone && { fetched_at: context.now }),
      next_at: context.now + (isDone ? interval : intervalAfterFault),
      fault: isDone ? null : storeRefusal(end.fault)
    })
    .where('url_domain_id', '=', id)
    // From one that was changed meanwhile, events are fetched again at once.
    .whereRef('updated_at', '<=', 'begun_at')
    .execute()
  await announce(context, id)
}

async function announce(context: CommandContext, id: number): Promise<void> {
  const row = await context.db
    .selectFrom('url_domains')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return
  const owner = { organizationId: row.organization_id, mailingListId: null }
  context.record({
    entity: 'url_domain',
    action: 'update',
    ...owner,
    firstId: id,
    lastId: id,
    isUnlogged: true
  })
}

export const gateFetchCommands = {
  begin: beginFetch,
  apply: applyEvents,
  skip: skipEvent,
  recordState,
  end: endFetch
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    gateFetches: typeof gateFetchCommands
  }
}
