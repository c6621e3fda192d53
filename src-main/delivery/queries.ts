import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { type JournalState, journalStates } from '../api/journal/schema.ts'
import type { MessageJournalTable } from '../api/journal/tables.ts'
import type { Schema } from '../database/schema.ts'
import { dueTime } from '../jobs/due.ts'
import type { Job } from '../jobs/job-runner.ts'
import { membersOf } from '../api/segments/queries.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import { serversOfRoute, type SmtpServerRow } from '../api/smtp-servers/queries.ts'
import { delayMs } from '../api/campaigns/rules.ts'

export interface DeliveryJob extends Job {
  /** True if the next step of the campaign is to choose the winner of its split test. */
  isDecision: boolean
}

/**
 * Returns the scheduled and sending campaigns that are not paused, with the time at which their next step is
 * due (UNIX milliseconds), ordered by start time.
 */
export async function deliveriesToDo(db: Kysely<Schema>, now: number): Promise<DeliveryJob[]> {
  const rows = await db
    .selectFrom('dispatches')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .leftJoin('deliveries', 'deliveries.campaign_id', 'dispatches.campaign_id')
    .select([
      'dispatches.campaign_id as id',
      'begins_at',
      'begins_at_once',
      'state',
      'phase',
      'waits_until',
      'decides_at',
      'autowinner_delay_amount',
      'autowinner_delay_unit'
    ])
    .where('state', 'in', ['scheduled', 'sending'])
    .where('paused', '=', 0)
    .orderBy('begins_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, begins_at, begins_at_once, state, phase, waits_until, decides_at, ...delay }) => {
    if (phase === 'decision_delay') {
      const decidesAt = decides_at ?? 0
      // If the clock was set back to before the delay began, the delay starts again.
      return { id, isDecision: true, dueAt: now < decidesAt - delayMs(delay) ? 0 : decidesAt }
    }
    const dueAt =
      state === 'sending' ? (waits_until ?? 0) : dueTime({ begins_at: begins_at ?? 0, begins_at_once })
    return { id, isDecision: false, dueAt }
  })
}

const recipientColumns = [
  'subscribers.id',
  'subscribers.email',
  'subscribers.subscribe_time',
  'subscribers.subscribe_ip',
  'subscribers.email_format',
  'subscribers.custom_fields'
] as const

export type RecipientRow = Awaited<ReturnType<typeof recipientsAfter>>[number] & {
  /** Of a Remote List's recipient; null = they have none. */
  distinct_id?: number | null
}

/** Active subscribers who are in the segment of a campaign, by id. May look at all of the list: for its thread. */
export function recipientsAfter(
  db: Kysely<Schema>,
  { mailingListId, clause, lastId }: { mailingListId: number; clause: SettledCondition[]; lastId: number },
  afterId: number,
  limit: number
) {
  return membersOf(db, mailingListId, clause)
    .select(recipientColumns)
    .where('subscribers.id', '>', afterId)
    .where('subscribers.id', '<=', lastId)
    .where('subscribers.status', '=', sql.lit('active'))
    .orderBy('subscribers.id')
    .limit(limit)
    .execute()
}

/** Returns the SMTP servers of a campaign's route; none for the outbox. */
export async function serversOfCampaign(db: Kysely<Schema>, campaignId: number): Promise<SmtpServerRow[]> {
  const found = await db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .leftJoin('dispatches', 'dispatches.campaign_id', 'campaigns.id')
    .select(['organization_id', 'campaign_id', 'virtual_mta_id', 'd_virtual_mta_id'])
    .where('campaigns.id', '=', campaignId)
    .executeTakeFirst()
  if (!found) return []
  // Without delivery settings those of its list hold.
  const route = found.campaign_id === null ? found.d_virtual_mta_id : found.virtual_mta_id
  return serversOfRoute(db, found.organization_id, route ?? 0)
}

/** Returns how many campaigns are being sent through a server. */
export async function campaignsThrough(db: Kysely<Schema>, smtpServerId: number): Promise<number> {
  const { campaigns } = await db
    .selectFrom('dispatches')
    .innerJoin('deliveries', 'deliveries.campaign_id', 'dispatches.campaign_id')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('route_servers', (join) =>
      join
        .onRef('route_servers.organization_id', '=', 'mailing_lists.organization_id')
        .on((on) =>
          on('route_servers.virtual_mta_id', '=', on.fn.coalesce('dispatches.virtual_mta_id', sql.lit(0)))
        )
    )
    .select((select) => select.fn.countAll<number>().as('campaigns'))
    .where('state', '=', 'sending')
    .where('paused', '=', 0)
    .where('transport', '=', 'smtp')
    .where('waits_until', 'is', null)
    .where('route_servers.smtp_server_id', '=', smtpServerId)
    .executeTakeFirstOrThrow()
  return campaigns
}

/** Returns those of some subscribers who are still active on their list. */
export function activeAmong(db: Kysely<Schema>, ids: readonly number[]): Promise<RecipientRow[]> {
  return db
    .selectFrom('subscribers')
    .select(recipientColumns)
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .execute()
}

export type JournaledRow = Selectable<MessageJournalTable>

/** Without the hint SQLite reads all messages of a content by the primary key, and nearly all of them are accepted. */
async function journalIn(
  db: Kysely<Schema>,
  sliceIds: readonly number[],
  states: readonly JournalState[],
  rest: RawBuilder<unknown> = sql``
): Promise<JournaledRow[]> {
  const { rows } = await sql<JournaledRow>`
    SELECT * FROM message_journal INDEXED BY message_journal_by_state
    WHERE stat_slice_id IN (${sql.join([...sliceIds])}) AND state IN (${sql.join(states.map((state) => sql.lit(state)))})
      AND state <> ${sql.lit(journalStates.accepted)} ${rest}`.execute(db)
  return rows
}

/** Returns the messages that were given to a connection and have no outcome. */
export function inFlightOf(db: Kysely<Schema>, sliceIds: readonly number[]): Promise<JournaledRow[]> {
  return journalIn(db, sliceIds, [journalStates.in_flight])
}

/** Returns the contents that have messages in flight. */
export function slicesInFlight(db: Kysely<Schema>) {
  return db
    .selectFrom('journal_counts')
    .innerJoin('stat_slices', 'stat_slices.id', 'journal_counts.stat_slice_id')
    .innerJoin('stats', 'stats.id', 'stat_slices.stat_id')
    .select([
      'stat_slices.id as sliceId',
      'campaign_id as campaignId',
      'autoresponder_id as autoresponderId',
      'web_form_id as webFormId'
    ])
    .where('state', '=', journalStates.in_flight)
    .where('messages', '>', 0)
    .execute()
}

/** Returns messages that may be tried at a time (UNIX milliseconds), longest due first. */
export function dueMessages(
  db: Kysely<Schema>,
  sliceIds: readonly number[],
  now: number,
  limit: number
): Promise<JournaledRow[]> {
  const due = sql`AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`
  return journalIn(db, sliceIds, [journalStates.waiting, journalStates.retry], due)
}

/** Returns when the next message that waits is due, in UNIX milliseconds; null if none waits. */
export async function nextDueAt(db: Kysely<Schema>, sliceIds: readonly number[]): Promise<number | null> {
  const first = sql`ORDER BY due_at LIMIT 1`
  const [row] = await journalIn(db, sliceIds, [journalStates.waiting, journalStates.retry], first)
  return row?.due_at ?? null
}

/** Returns the messages to seed lists that are in the journal. */
export function seedMessagesOf(db: Kysely<Schema>, sliceIds: readonly number[]): Promise<JournaledRow[]> {
  return db
    .selectFrom('message_journal')
    .selectAll()
    .where('stat_slice_id', 'in', sliceIds)
    .where('subscriber_id', '=', 0)
    .execute()
}

/** Returns the campaigns that were deleted before a time (UNIX milliseconds), alone or with their list. */
export async function campaignsDeletedBefore(
  db: Kysely<Schema>,
  ids: readonly number[],
  time: number
): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .select('campaigns.id')
    .where('campaigns.id', 'in', ids)
    .where((where) =>
      where.or([where('campaigns.deleted_at', '<', time), where('mailing_lists.deleted_at', '<', time)])
    )
    .execute()
  return rows.map(({ id }) => id)
}
