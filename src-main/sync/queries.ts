import { endSentence, type Refusal as Fault } from '../base/refusal.ts'
import { presentStored, readStoredRefusal, type StoredRefusal } from '../base/stored-refusal.ts'
import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../base/errors.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'
import type { Schema } from '../database/schema.ts'
import type { Content } from './records/merge-contents.ts'
import { type Refused, refusalKey } from './run-context.ts'
import type {
  CampaignThere,
  Conflict,
  LinkedKind,
  Refusal,
  Remote,
  RemoteSettings,
  RunResult,
  Side,
  SyncRun,
  TheirCampaign
} from './schema.ts'
import type { SyncListsTable, SyncRemotesTable, SyncRunsTable } from './tables.ts'

export type RemoteRow = Selectable<SyncRemotesTable>

/** @throws ApiError not_found */
export async function remoteById(db: Kysely<Schema>, organizationId: number, id: number): Promise<RemoteRow> {
  const row = await db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('remote', id)
  return row
}

export function remotesOf(db: Kysely<Schema>, organizationId: number): Promise<RemoteRow[]> {
  return db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** Returns the remotes with a run to do: requested, scheduled or interrupted. */
export function remotesToRun(db: Kysely<Schema>): Promise<RemoteRow[]> {
  return db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('state', 'in', ['idle', 'running', 'waiting'])
    .where((where) =>
      where.or([
        where('requested_at', 'is not', null),
        where('next_run_at', 'is not', null),
        where('state', '=', 'running')
      ])
    )
    .orderBy('id')
    .execute()
}

export function settingsOf({ settings }: Pick<RemoteRow, 'settings'>): RemoteSettings {
  return JSON.parse(settings) as RemoteSettings
}

/** Remotes as the window and programs see them. */
export async function presentRemotes(
  db: Kysely<Schema>,
  rows: RemoteRow[],
  timeZone: string
): Promise<Remote[]> {
  return Promise.all(rows.map((row) => presentRemote(db, row, timeZone)))
}

export async function presentRemote(db: Kysely<Schema>, row: RemoteRow, timeZone: string): Promise<Remote> {
  const [lastRun] = await runsOf(db, row.id, 1)
  const { refused } = await db
    .selectFrom('sync_refusals')
    .select((select) => select.fn.countAll<number>().as('refused'))
    .where('remote_id', '=', row.id)
    .executeTakeFirstOrThrow()
  const { open } = await db
    .selectFrom('sync_conflicts')
    .select((select) => select.fn.countAll<number>().as('open'))
    .where('remote_id', '=', row.id)
    .where('kept', 'is', null)
    .executeTakeFirstOrThrow()
  return {
    id: row.id,
    name: row.name,
    base_url: row.base_url,
    organization_id: row.remote_organization_id,
    credential_place: row.credential_place,
    ...settingsOf(row),
    state: row.state,
    ...presentMessage(row.message),
    question: row.question,
    is_requested: row.requested_at !== null,
    next_run_at: formatOptionalTime(row.next_run_at, timeZone),
    pulled_at: formatOptionalTime(row.pulled_at, timeZone),
    refused,
    open_conflicts: open,
    pending: await pendingOf(db, row),
    last_run: lastRun ? presentRun(lastRun, timeZone) : null
  }
}

/** Counting pending entries of the change log stops here; the window shows "many". */
const maxCounted = 1000

/**
 * Counts local changes since the last run, by kind. For subscribers it counts entries of the change log, each
 * of which may concern many.
 */
async function pendingOf(db: Kysely<Schema>, row: RemoteRow): Promise<Record<string, number>> {
  const lists = await db
    .selectFrom('sync_lists')
    .select(['mailing_list_id', 'change_log_id'])
    .where('remote_id', '=', row.id)
    .execute()
  let subscribers = 0
  for (const { mailing_list_id, change_log_id } of lists) {
    if (change_log_id === null) continue
    const { entries } = await db
      .selectFrom(
        db
          .selectFrom('change_log')
          .select('id')
          .where('id', '>', change_log_id)
          .where('entity', '=', 'subscriber')
          .where('mailing_list_id', '=', mailing_list_id)
          .where((where) =>
            where.or([where('via', 'is', null), where('via', '!=', 'sync'), where('cause_id', '!=', row.id)])
          )
          .limit(maxCounted)
          .as('entries')
      )
      .select((select) => select.fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow()
    subscribers += entries
  }
  return subscribers > 0 ? { subscriber: subscribers } : {}
}

/** Newest first. */
export function runsOf(db: Kysely<Schema>, remoteId: number, limit: number) {
  return db
    .selectFrom('sync_runs')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function presentRun(row: Selectable<SyncRunsTable>, timeZone: string): SyncRun {
  return {
    id: row.id,
    started_at: formatTime(row.started_at, timeZone),
    finished_at: formatOptionalTime(row.finished_at, timeZone),
    outcome: row.outcome,
    ...presentMessage(row.message),
    ...(JSON.parse(row.result) as RunResult)
  }
}

/** Returns the linked records of a kind: of one list, or with null those of the organization. */
export async function linksOf(
  db: Kysely<Schema>,
  remoteId: number,
  kind: LinkedKind,
  mailingListId: number | null
): Promise<{ localId: number; theirId: number | null; agreed: Content | null }[]> {
  const rows = await db
    .selectFrom('sync_links')
    .select(['local_id', 'their_id', 'agreed'])
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('mailing_list_id', mailingListId === null ? 'is' : '=', mailingListId)
    .orderBy('local_id')
    .execute()
  return rows.map(({ local_id, their_id, agreed }) => ({
    localId: local_id,
    theirId: their_id,
    agreed: agreed === null ? null : (JSON.parse(agreed) as Content)
  }))
}

/** The agreed state of a subscriber (table sync_subscribers). */
export interface AgreementRow {
  local_id: number
  their_id: number | null
  agreed: Uint8Array
}

/** Returns the agreed states of subscribers, by local id. */
export function agreementsWith(
  db: Kysely<Schema>,
  syncListId: number,
  localIds: readonly number[]
): Promise<AgreementRow[]> {
  return agreements(db, syncListId).where('local_id', 'in', localIds).execute()
}

/** By remote id. */
export function agreementsWithTheirs(
  db: Kysely<Schema>,
  syncListId: number,
  theirIds: readonly number[]
): Promise<AgreementRow[]> {
  // A subquery of its own: in a single query SQLite would read the whole list instead of the index.
  const localIds = db
    .selectFrom('sync_subscribers')
    .select('local_id')
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is not', null)
    .where('their_id', 'in', theirIds)
  return agreements(db, syncListId).where('local_id', 'in', localIds).execute()
}

function agreements(db: Kysely<Schema>, syncListId: number) {
  return db
    .selectFrom('sync_subscribers')
    .select(['local_id', 'their_id', 'agreed'])
    .where('sync_list_id', '=', syncListId)
}

/** Returns the decisions of users about a record that no run has applied yet, by field. */
export async function decisionsOf(
  db: Kysely<Schema>,
  remoteId: number,
  kind: LinkedKind,
  localId: number
): Promise<Map<string, Side>> {
  const rows = await db
    .selectFrom('sync_conflicts')
    .select(['field', 'decision'])
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('local_id', '=', localId)
    .where('decision', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ field, decision }) => (decision ? [[field, decision] as const] : [])))
}

/** For all subscribers of a list, by id. */
export async function subscriberDecisions(
  db: Kysely<Schema>,
  remoteId: number,
  mailingListId: number
): Promise<Map<number, Map<string, Side>>> {
  const rows = await db
    .selectFrom('sync_conflicts')
    .select(['local_id', 'field', 'decision'])
    .where('remote_id', '=', remoteId)
    .where('kind', '=', 'subscriber')
    .where('mailing_list_id', '=', mailingListId)
    .where('decision', 'is not', null)
    .execute()
  const decisions = new Map<number, Map<string, Side>>()
  for (const { local_id, field, decision } of rows) {
    const fields = decisions.get(local_id) ?? new Map<string, Side>()
    if (decision) fields.set(field, decision)
    decisions.set(local_id, fields)
  }
  return decisions
}

/** Returns the records that a side refused and that have not changed since. */
export async function refusedOf(db: Kysely<Schema>, remoteId: number): Promise<Refused> {
  const rows = await db
    .selectFrom('sync_refusals')
    .select(['side', 'kind', 'record_id', 'version'])
    .where('remote_id', '=', remoteId)
    .execute()
  return new Map(
    rows.map(({ side, kind, record_id, version }) => [
      refusalKey(side, { kind, recordId: record_id }),
      version
    ])
  )
}

export type SyncListRow = Selectable<SyncListsTable>

export function syncListOf(
  db: Kysely<Schema>,
  remoteId: number,
  mailingListId: number
): Promise<SyncListRow | undefined> {
  return db
    .selectFrom('sync_lists')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
}

/** Returns the first and last id of the change log. Older entries were deleted by age. */
export async function changeLogRange(db: Kysely<Schema>): Promise<{ first: number; last: number }> {
  const row = await db
    .selectFrom('change_log')
    .select((select) => [select.fn.min('id').as('first'), select.fn.max('id').as('last')])
    .executeTakeFirstOrThrow()
  return { first: row.first ?? 0, last: row.last ?? 0 }
}

const perPage = 100

export async function refusalsOf(
  db: Kysely<Schema>,
  remoteId: number,
  page: number,
  timeZone: string
): Promise<Refusal[]> {
  const rows = await db
    .selectFrom('sync_refusals')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .orderBy('id', 'desc')
    .limit(perPage)
    .offset(page * perPage)
    .execute()
  return rows.map(({ remote_id: _, version: __, at, message, ...rest }) => {
    const { text, fault } = readStoredRefusal(message)
    return { ...rest, message: text, fault, at: formatTime(at, timeZone) }
  })
}

export async function conflictsOf(
  db: Kysely<Schema>,
  remoteId: number,
  page: number,
  timeZone: string
): Promise<Conflict[]> {
  const rows = await db
    .selectFrom('sync_conflicts')
    .selectAll()
    .where('remote_id', '=', remoteId)
    // Undecided conflicts first.
    .orderBy((order) => order.case().when('kept', 'is', null).then(0).else(1).end())
    .orderBy('id', 'desc')
    .limit(perPage)
    .offset(page * perPage)
    .execute()
  return rows.map(({ remote_id: _, at, resolved_at, local_value, remote_value, ...rest }) => ({
    ...rest,
    local_value: JSON.parse(local_value) as unknown,
    remote_value: JSON.parse(remote_value) as unknown,
    at: formatTime(at, timeZone),
    resolved_at: formatOptionalTime(resolved_at, timeZone)
  }))
}

/** Campaigns that were written here and sent there, newest first. */
export async function campaignsThere(db: Kysely<Schema>, remoteId: number): Promise<CampaignThere[]> {
  const rows = await db
    .selectFrom('sync_links')
    .innerJoin('campaigns', 'campaigns.id', 'sync_links.local_id')
    .select(['campaigns.id', 'name', 'their_state'])
    .where('remote_id', '=', remoteId)
    .where('kind', '=', 'campaign')
    .where('their_state', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('campaigns.id', 'desc')
    .limit(perPage)
    .execute()
  return rows.map(({ id, name, their_state }) => ({
    campaign_id: id,
    name,
    there: JSON.parse(their_state ?? '') as TheirCampaign
  }))
}

/** @throws ApiError not_found */
export async function conflictById(db: Kysely<Schema>, remoteId: number, id: number) {
  const row = await db
    .selectFrom('sync_conflicts')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('conflict', id)
  return row
}

/** The message of a remote or a run: a sentence with a full stop for programs, and the refusal for the window. */
function presentMessage(column: StoredRefusal | null): { message: string | null; fault: Fault | null } {
  const { error_message: text, fault } = presentStored(column)
  return { message: text && endSentence(text), fault }
}
