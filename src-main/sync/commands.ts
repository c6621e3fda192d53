import {
  addSubscriber,
  changeSubscriber,
  deleteSubscribers,
  type SubscriberScope
} from '../api/subscribers/commands.ts'
import { mailingListsOf } from '../api/mailing-lists/queries.ts'
import { type SubscriberRow, subscribersNamed, subscriberWithKeys } from '../api/subscribers/queries.ts'
import type { SubscriberKeys } from '../api/subscribers/rules.ts'
import type { SubscriberChanges } from '../api/subscribers/schema.ts'
import { addSuppressed } from '../api/suppression-lists/commands.ts'
import { suppressedRowOf } from '../api/suppression-lists/rules.ts'
import { ApiError, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import type { CredentialPlace } from '../base/credential-places.ts'
import { type Command, type CommandContext, inBackground, recordOne } from '../database/command.ts'
import type { JobEnd } from '../jobs/outcome.ts'
import { conflictById, type RemoteRow, remoteById, settingsOf } from './queries.ts'
import { emptyResult, type NotedConflict, type NotedRefusal } from './run-context.ts'
import { isRemoved } from './subscribers/statuses.ts'
import {
  type Answer,
  type GivenAnswer,
  type LinkedKind,
  type Question,
  type RemoteSettings,
  type RunResult,
  type Side,
  fittingAnswers
} from './schema.ts'

interface AddInput {
  organizationId: number
  name: string
  baseUrl: string
  remoteOrganizationId: number
  settings: RemoteSettings
  credentialPlace: CredentialPlace
}

/** @returns the id of the remote; its key is kept under that */
const add: Command<AddInput, number> = async (context, input) => {
  const { id } = await context.db
    .insertInto('sync_remotes')
    .values({
      organization_id: input.organizationId,
      name: input.name,
      base_url: input.baseUrl,
      remote_organization_id: input.remoteOrganizationId,
      settings: JSON.stringify(input.settings),
      credential_place: input.credentialPlace,
      state: 'idle',
      message: null,
      question: null,
      question_list_id: null,
      requested_at: null,
      next_run_at: nextRunAt(context, input.settings),
      pulled_at: null,
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'sync_remote', 'create', input, id)
  return id
}

interface RemoteInput {
  organizationId: number
  id: number
}

interface ChangeInput extends RemoteInput {
  name?: string
  settings: Partial<RemoteSettings>
  /** Where another key was put. */
  credentialPlace?: CredentialPlace
}

/** Changes what is given and keeps the rest. With another key it goes on where it asked for one. */
const change: Command<ChangeInput, void> = async (context, input) => {
  const row = await remoteById(context.db, input.organizationId, input.id)
  const settings = { ...settingsOf(row), ...input.settings }
  const goesOn = row.question === 'key' && input.credentialPlace !== undefined
  const isRescheduled =
    ['idle', 'running'].includes(row.state) &&
    (input.settings.schedule !== undefined || input.settings.interval_minutes !== undefined)
  await update(context, row, {
    ...(input.name !== undefined && { name: input.name }),
    settings: JSON.stringify(settings),
    ...(input.credentialPlace && { credential_place: input.credentialPlace }),
    ...(goesOn && { state: 'idle' as const, question: null, message: null, requested_at: context.now }),
    ...(isRescheduled && { next_run_at: nextRunAt(context, settings) })
  })
}

/** Forgets a remote, with what was agreed on with it. Nothing that was mirrored changes on either side. */
const remove: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await context.db.deleteFrom('sync_remotes').where('id', '=', row.id).execute()
  recordOne(context, 'sync_remote', 'delete', { organizationId }, row.id, { name: row.name })
}

/** Asks for a run as soon as possible, also where it was paused or waits. */
const request: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  if (row.state === 'asking') {
    throw validationFailed(refusal('remote_needs_answer', { name: row.name, question: row.message ?? '' }))
  }
  await update(context, row, {
    ...(row.state !== 'running' && { state: 'idle' as const, message: null }),
    requested_at: context.now
  })
}

/** Stops a run where it is and keeps others from beginning. */
const pauseRemote: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await update(context, row, {
    state: 'paused',
    message: null,
    question: null,
    answers: '[]',
    requested_at: null,
    next_run_at: null
  })
}

/** Answers what a remote asked about records that are gone there, and goes on. */
const answerQuestion: Command<RemoteInput & { answer: Answer }, void> = async (
  context,
  { organizationId, id, answer }
) => {
  const row = await remoteById(context.db, organizationId, id)
  const listId = row.question_list_id
  if (row.question === null || !fittingAnswers[row.question].includes(answer)) {
    throw validationFailed(refusal('remote_not_asking', { name: row.name }))
  }
  if (answer === 'leave_out' && listId !== null) await leaveOut(context, row, listId)
  const given: GivenAnswer = { question: row.question, mailingListId: listId, given: answer }
  await update(context, row, {
    answers: JSON.stringify([...answersOf(row), given]),
    state: 'idle',
    question: null,
    message: null,
    requested_at: context.now
  })
}

/** Takes a list out of those that are mirrored, and forgets what was agreed on about it. */
async function leaveOut(context: CommandContext, row: RemoteRow, mailingListId: number): Promise<void> {
  const settings = settingsOf(row)
  const ids =
    settings.mailing_list_ids ?? (await mailingListsOf(context.db, row.organization_id)).map(({ id }) => id)
  const left = { ...settings, mailing_list_ids: ids.filter((id) => id !== mailingListId) }
  await context.db
    .updateTable('sync_remotes')
    .set({ settings: JSON.stringify(left) })
    .where('id', '=', row.id)
    .execute()
  await forgetList(context, { remoteId: row.id, mailingListId })
}

function answersOf({ answers }: RemoteRow): GivenAnswer[] {
  return JSON.parse(answers) as GivenAnswer[]
}

async function update(
  context: CommandContext,
  row: RemoteRow,
  values: Partial<Omit<RemoteRow, 'id' | 'organization_id' | 'created_at'>>
): Promise<void> {
  await context.db
    .updateTable('sync_remotes')
    .set({ ...values, updated_at: context.now })
    .where('id', '=', row.id)
    .execute()
  recordOne(context, 'sync_remote', 'update', { organizationId: row.organization_id }, row.id)
}

function nextRunAt({ clock }: CommandContext, { schedule, interval_minutes }: RemoteSettings): number | null {
  return schedule === 'manual' ? null : clock + interval_minutes * 60_000
}

/** What is to be mirrored has changed: the remotes that follow each change run soon. */
const noteChange: Command<{ organizationIds: number[] }, void> = async (context, { organizationIds }) => {
  const rows = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .where('state', 'in', ['idle', 'running'])
    .where('requested_at', 'is', null)
    .execute()
  for (const row of rows) {
    if (settingsOf(row).schedule !== 'on_change') continue
    await update(context, row, { requested_at: context.now })
  }
}

/** What a run needs to know, and its number. */
export interface RunPlan {
  runId: number
  remote: RemoteRow
  settings: RemoteSettings
  answers: GivenAnswer[]
  timeZone: string
  /** Runs in a row before this one during which the application crashed or was killed. */
  cutOffs: number
}

/** Begins a run. @returns null where the remote is gone or was paused */
const begin: Command<{ id: number }, RunPlan | null> = async (context, { id }) => {
  const remote = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ['idle', 'running', 'waiting'])
    .executeTakeFirst()
  if (!remote) return null
  const { time_zone_name } = await context.db
    .selectFrom('organizations')
    .select('time_zone_name')
    .where('id', '=', remote.organization_id)
    .executeTakeFirstOrThrow()
  const answers = answersOf(remote)
  const goesOn = answers.some(({ question }) => question === 'cut_off')
  // A run is under way until it ends, is paused, or is stopped with the application: then the application ended by itself.
  const cutOffs = goesOn ? 0 : remote.state === 'running' ? remote.cut_offs + 1 : remote.cut_offs
  // Runs that were cut off say so.
  await context.db
    .updateTable('sync_runs')
    .set({ finished_at: context.now, outcome: 'stopped' })
    .where('remote_id', '=', id)
    .where('finished_at', 'is', null)
    .execute()
  const { id: runId } = await context.db
    .insertInto('sync_runs')
    .values({
      remote_id: id,
      started_at: context.now,
      finished_at: null,
      outcome: null,
      message: null,
      result: JSON.stringify(emptyResult())
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await update(context, remote, {
    state: 'running',
    message: null,
    // A request that comes from now on is one for another run.
    requested_at: null,
    cut_offs: cutOffs,
    // Going on counts for this run alone: where it ends the application as well, that is asked again.
    answers: JSON.stringify(answers.filter(({ question }) => question !== 'cut_off'))
  })
  return { runId, remote, settings: settingsOf(remote), answers, timeZone: time_zone_name, cutOffs }
}

/** Notes that a run is stopped with the application, in order; the next start goes on with it. */
const noteStop: Command<{ id: number }, void> = async ({ db }, { id }) => {
  await db
    .updateTable('sync_remotes')
    .set({ state: 'idle', next_run_at: 0 })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/** @returns whether to go on: not once the remote was paused or removed */
const noteProgress = inBackground<{ runId: number; result: RunResult }, boolean>(
  async ({ db }, { runId, result }) => {
    await db
      .updateTable('sync_runs')
      .set({ result: JSON.stringify(result) })
      .where('id', '=', runId)
      .execute()
    const remote = await db
      .selectFrom('sync_runs')
      .innerJoin('sync_remotes', 'sync_remotes.id', 'sync_runs.remote_id')
      .select('state')
      .where('sync_runs.id', '=', runId)
      .executeTakeFirst()
    return remote?.state === 'running'
  }
)

/** How a run ended that knows it. */
export type RunEnd =
  | { is: 'finished'; pulledAll: boolean }
  /** The network or the remote fails: it is tried again. */
  | { is: 'waiting'; message: string }
  | { is: 'asking'; question: Question; message: string; mailingListId: number | null }

/** Minutes until a remote that failed is tried again, by how often it failed in a row. */
const waits = [1, 2, 5, 10, 30]

const end: Command<{ runId: number; result: RunResult; end: RunEnd }, void> = async (
  context,
  { runId, result, end: ended }
) => {
  const message = ended.is === 'finished' ? null : ended.message
  const run = await context.db
    .updateTable('sync_runs')
    .set({
      finished_at: context.now,
      outcome: ended.is,
      message,
      result: JSON.stringify({ ...result, progress: null })
    })
    .where('id', '=', runId)
    .returning('remote_id')
    .executeTakeFirst()
  const row =
    run &&
    (await context.db
      .selectFrom('sync_remotes')
      .selectAll()
      .where('id', '=', run.remote_id)
      .where('state', '=', 'running')
      .executeTakeFirst())
  if (!row) return
  // Whatever came of it, it did not end the application.
  await context.db.updateTable('sync_remotes').set({ cut_offs: 0 }).where('id', '=', row.id).execute()
  const settings = settingsOf(row)
  switch (ended.is) {
    case 'finished':
      return update(context, row, {
        state: 'idle',
        message: null,
        answers: '[]',
        next_run_at: nextRunAt(context, settings),
        ...(ended.pulledAll && { pulled_at: context.now })
      })
    case 'waiting': {
      const failures = await failuresInARow(context, row.id)
      const minutes = waits[Math.min(failures, waits.length) - 1] ?? 1
      return update(context, row, {
        state: 'waiting',
        message,
        requested_at: null,
        next_run_at: context.clock + minutes * 60_000
      })
    }
    case 'asking':
      return update(context, row, {
        state: 'asking',
        question: ended.question,
        question_list_id: ended.mailingListId,
        message,
        requested_at: null,
        next_run_at: null
      })
  }
}

async function failuresInARow({ db }: CommandContext, remoteId: number): Promise<number> {
  const runs = await db
    .selectFrom('sync_runs')
    .select('outcome')
    .where('remote_id', '=', remoteId)
    .orderBy('id', 'desc')
    .limit(waits.length)
    .execute()
  const end = runs.findIndex(({ outcome }) => outcome !== 'waiting')
  return Math.max(1, end === -1 ? runs.length : end)
}

/** Stores how a run ended whose thread did not get to it. */
const endJob: Command<{ id: number; end: JobEnd }, void> = async (context, { id, end: ended }) => {
  const row = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst()
  if (!row || ended.is === 'finished') return
  await context.db
    .updateTable('sync_runs')
    .set({ finished_at: context.now, outcome: 'failed', message: ended.message })
    .where('remote_id', '=', id)
    .where('finished_at', 'is', null)
    .execute()
  await update(context, row, {
    state: 'waiting',
    message: ended.message,
    requested_at: null,
    next_run_at: context.clock + 5 * 60_000
  })
}

interface LinkInput {
  remoteId: number
  kind: LinkedKind
  mailingListId: number | null
  localId: number
  /** null = it is about to be created there. */
  theirId: number | null
  agreed: string | null
}

const link: Command<LinkInput, void> = async ({ db }, input) => {
  const values = { their_id: input.theirId, agreed: input.agreed, mailing_list_id: input.mailingListId }
  await db
    .insertInto('sync_links')
    .values({
      remote_id: input.remoteId,
      kind: input.kind,
      local_id: input.localId,
      their_state: null,
      ...values
    })
    .onConflict((conflict) => conflict.columns(['remote_id', 'kind', 'local_id']).doUpdateSet(values))
    .execute()
}

const unlink: Command<Pick<LinkInput, 'remoteId' | 'kind' | 'localId'>, void> = async ({ db }, input) => {
  await db
    .deleteFrom('sync_links')
    .where('remote_id', '=', input.remoteId)
    .where('kind', '=', input.kind)
    .where('local_id', '=', input.localId)
    .execute()
}

/** Notes what became there of a record of this side. */
const noteTheirState: Command<
  Pick<LinkInput, 'remoteId' | 'kind' | 'localId'> & { state: string },
  void
> = async ({ db }, { remoteId, kind, localId, state }) => {
  await db
    .updateTable('sync_links')
    .set({ their_state: state })
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('local_id', '=', localId)
    .execute()
}

/** Makes sure that how far the subscribers of a list are mirrored is kept. @returns its number */
const openList: Command<{ remoteId: number; mailingListId: number }, number> = async ({ db }, input) => {
  const own = { remote_id: input.remoteId, mailing_list_id: input.mailingListId }
  await db
    .insertInto('sync_lists')
    .values({ ...own, change_log_id: null, fields: null, scan: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await db
    .selectFrom('sync_lists')
    .select('id')
    .where('remote_id', '=', own.remote_id)
    .where('mailing_list_id', '=', own.mailing_list_id)
    .executeTakeFirstOrThrow()
  return id
}

interface ListProgress {
  syncListId: number
  /** Left out where it stays. */
  changeLogId?: number | null
  fields?: string
  scan?: string | null
}

const noteList: Command<ListProgress, void> = async ({ db }, { syncListId, changeLogId, fields, scan }) => {
  await db
    .updateTable('sync_lists')
    .set({
      ...(changeLogId !== undefined && { change_log_id: changeLogId }),
      ...(fields !== undefined && { fields }),
      ...(scan !== undefined && { scan })
    })
    .where('id', '=', syncListId)
    .execute()
}

/** Forgets what was agreed on about a list and everything on it, as if it had never been mirrored. */
const forgetList: Command<{ remoteId: number; mailingListId: number }, void> = async (
  { db },
  { remoteId, mailingListId }
) => {
  await db
    .deleteFrom('sync_links')
    .where('remote_id', '=', remoteId)
    .where((where) =>
      where.or([
        where('mailing_list_id', '=', mailingListId),
        where.and([where('kind', '=', 'mailing_list'), where('local_id', '=', mailingListId)])
      ])
    )
    .execute()
  await db
    .deleteFrom('sync_lists')
    .where('remote_id', '=', remoteId)
    .where('mailing_list_id', '=', mailingListId)
    .execute()
}

/** A subscriber that both sides have: ids, and what they agreed on (agreed.ts). */
export type AgreedRow = [localId: number, theirId: number | null, agreed: Uint8Array]

/** Notes what both sides have; an id of the remote that was known stays known. */
const noteSubscribers = inBackground<{ syncListId: number; rows: AgreedRow[] }, void>(
  async ({ sqlite }, { syncListId, rows }) => {
    // The one statement of the first mirror of a million: prepared once, and run for each.
    const insert = sqlite.prepare(
      `INSERT INTO sync_subscribers (sync_list_id, local_id, their_id, agreed) VALUES (?, ?, ?, ?)
       ON CONFLICT (sync_list_id, local_id)
       DO UPDATE SET their_id = coalesce(excluded.their_id, their_id), agreed = excluded.agreed`
    )
    for (const [localId, theirId, agreed] of rows) insert.run(syncListId, localId, theirId, agreed)
  }
)

/** A local subscriber's id, and the id of the same person on the remote. */
export type IdentifiedRow = [localId: number, theirId: number]

/** Stores the remote ids of people whose values are already agreed on. */
const identifySubscribers = inBackground<{ syncListId: number; rows: IdentifiedRow[] }, void>(
  async ({ sqlite }, { syncListId, rows }) => {
    const update = sqlite.prepare(
      'UPDATE sync_subscribers SET their_id = ? WHERE sync_list_id = ? AND local_id = ?'
    )
    for (const [localId, theirId] of rows) update.run(theirId, syncListId, localId)
  }
)

const forgetSubscribers = inBackground<{ syncListId: number; localIds: number[] }, void>(
  async ({ db }, { syncListId, localIds }) => {
    await db
      .deleteFrom('sync_subscribers')
      .where('sync_list_id', '=', syncListId)
      .where('local_id', 'in', localIds)
      .execute()
  }
)

/** What the remote has that this side is to have as well. */
export type Application =
  | {
      is: 'create'
      theirId: number
      keys: SubscriberKeys
      subscriber: SubscriberChanges
      agreed: Uint8Array
    }
  | (Existing & { is: 'update'; theirId: number; subscriber: SubscriberChanges; agreed: Uint8Array })
  | (Existing & { is: 'delete' })

/** Somebody of this side as they were read: who was changed since is left to the next run. */
interface Existing {
  localId: number
  /** UNIX milliseconds. */
  updatedAt: number
}

export interface ApplyInput {
  syncListId: number
  scope: SubscriberScope
  changes: Application[]
}

/**
 * Changes subscribers to what the remote has, and notes in the same transaction that both sides agree.
 * @returns why some were refused, by their place in the input
 */
const applySubscribers = inBackground<ApplyInput, { at: number; message: string }[]>(
  async (context, { syncListId, scope, changes }) => {
    const refusals: { at: number; message: string }[] = []
    for (const [at, change] of changes.entries()) {
      try {
        await apply(context, syncListId, scope, change)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refusals.push({ at, message: error.message })
      }
    }
    return refusals
  }
)

async function apply(
  context: CommandContext,
  syncListId: number,
  scope: SubscriberScope,
  change: Application
): Promise<void> {
  switch (change.is) {
    case 'create': {
      // Somebody was added here meanwhile who is the same: the next run brings the two together.
      if ((await subscriberWithKeys(context.db, scope.mailingListId, change.keys)) !== undefined) return
      const { email = '', status = 'active', ...rest } = change.subscriber
      const { id } = await addSubscriber(context, { ...scope, subscriber: { ...rest, email, status } })
      return keepAgreed(context, syncListId, id, change.theirId, change.agreed)
    }
    case 'update': {
      const [row] = await subscribersNamed(context.db, scope.mailingListId, [{ id: change.localId }])
      if (row?.updated_at !== change.updatedAt) return
      await changeOrSilence(context, scope, row, change.subscriber)
      return keepAgreed(context, syncListId, change.localId, change.theirId, change.agreed)
    }
    case 'delete': {
      const [row] = await subscribersNamed(context.db, scope.mailingListId, [{ id: change.localId }])
      if (row && row.updated_at !== change.updatedAt) return
      if (row) await deleteSubscribers(context, { ...scope, name: { id: row.id } })
      await context.db
        .deleteFrom('sync_subscribers')
        .where('sync_list_id', '=', syncListId)
        .where('local_id', '=', change.localId)
        .execute()
    }
  }
}

/** Changes somebody; where that is refused, at least nobody writes to them any more who is not to. @throws ApiError the refusal */
async function changeOrSilence(
  context: CommandContext,
  scope: SubscriberScope,
  row: SubscriberRow,
  changes: SubscriberChanges
): Promise<void> {
  try {
    await changeSubscriber(context, scope, row, changes)
  } catch (error) {
    const { status } = changes
    if (status !== undefined && isRemoved(status)) await changeSubscriber(context, scope, row, { status })
    throw error
  }
}

async function keepAgreed(
  { db }: CommandContext,
  syncListId: number,
  localId: number,
  theirId: number | null,
  agreed: Uint8Array
): Promise<void> {
  const values = { agreed, ...(theirId !== null && { their_id: theirId }) }
  await db
    .insertInto('sync_subscribers')
    .values({ sync_list_id: syncListId, local_id: localId, their_id: theirId, agreed })
    .onConflict((conflict) => conflict.columns(['sync_list_id', 'local_id']).doUpdateSet(values))
    .execute()
}

/** Puts addresses of the remote on a suppression list; those that are there already stay as they are. */
const suppress = inBackground<{ suppressionListId: number; addresses: string[] }, void>(
  async (context, { suppressionListId, addresses }) => {
    // Every address is somebody's doing; of those that sync brought it is the first administrator's.
    const { id: userId } = await context.db
      .selectFrom('users')
      .innerJoin('suppression_lists', 'suppression_lists.organization_id', 'users.organization_id')
      .select('users.id')
      .where('suppression_lists.id', '=', suppressionListId)
      .orderBy('users.id')
      .executeTakeFirstOrThrow()
    const rows = addresses.flatMap((address) => suppressedRowOf(address) ?? [])
    await addSuppressed(context, { suppression_list_id: suppressionListId, user_id: userId }, rows)
  }
)

const noteRefusals: Command<{ remoteId: number; refusals: NotedRefusal[] }, void> = async (
  { db, now },
  { remoteId, refusals }
) => {
  for (const { side, kind, mailingListId, recordId, name, message, version } of refusals) {
    const values = { mailing_list_id: mailingListId, name, message, version, at: now }
    await db
      .insertInto('sync_refusals')
      .values({ remote_id: remoteId, side, kind, record_id: recordId, ...values })
      .onConflict((conflict) =>
        conflict.columns(['remote_id', 'side', 'kind', 'record_id']).doUpdateSet(values)
      )
      .execute()
  }
}

const forgetRefusals: Command<
  { remoteId: number; side: Side; kind: LinkedKind; recordIds: number[] },
  void
> = async ({ db }, { remoteId, side, kind, recordIds }) => {
  await db
    .deleteFrom('sync_refusals')
    .where('remote_id', '=', remoteId)
    .where('side', '=', side)
    .where('kind', '=', kind)
    .where('record_id', 'in', recordIds)
    .execute()
}

/** Has the records that were refused sent again as they are, and asks for a run. */
const retryRefusals: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await context.db.updateTable('sync_refusals').set({ version: '' }).where('remote_id', '=', row.id).execute()
  await request(context, { organizationId, id })
}

/** @returns how many of them were not noted already */
const noteConflicts: Command<{ remoteId: number; conflicts: NotedConflict[] }, number> = async (
  { db, now },
  { remoteId, conflicts }
) => {
  let added = 0
  for (const { kind, mailingListId, localId, name, field, local, remote, keep } of conflicts) {
    const own = { remote_id: remoteId, kind, local_id: localId, field }
    const values = {
      mailing_list_id: mailingListId,
      name,
      local_value: JSON.stringify(local ?? null),
      remote_value: JSON.stringify(remote ?? null),
      kept: keep,
      at: now,
      resolved_at: keep && now
    }
    // One that waits for a decision is found by each run again.
    const { numUpdatedRows } = await db
      .updateTable('sync_conflicts')
      .set(values)
      .where('remote_id', '=', remoteId)
      .where('kind', '=', kind)
      .where('local_id', '=', localId)
      .where('field', '=', field)
      .where('kept', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) continue
    await db
      .insertInto('sync_conflicts')
      .values({ ...own, ...values, decision: null })
      .execute()
    added++
  }
  return added
}

interface DecideInput extends RemoteInput {
  conflictId: number
  keep: Side
  timeZone: string
}

/**
 * Decides whose value of a conflict both sides get, also of one that a rule decided before: then this side gets it now, and the
 * remote with the next run.
 * @throws ApiError not_found, or what keeps the value from being written here
 */
const decideConflict: Command<DecideInput, void> = async (context, input) => {
  const row = await remoteById(context.db, input.organizationId, input.id)
  const conflict = await conflictById(context.db, row.id, input.conflictId)
  const isReversed = conflict.kept !== null && conflict.kept !== input.keep
  if (conflict.kept === input.keep) return
  if (isReversed) {
    if (conflict.kind !== 'subscriber' || conflict.mailing_list_id === null) {
      throw validationFailed(refusal('conflict_of_record'))
    }
    if (conflict.field === 'removed') {
      throw validationFailed(refusal('conflict_of_membership'))
    }
    const scope = {
      organizationId: input.organizationId,
      timeZone: input.timeZone,
      mailingListId: conflict.mailing_list_id
    }
    const [subscriber] = await subscribersNamed(context.db, scope.mailingListId, [{ id: conflict.local_id }])
    if (!subscriber) throw validationFailed(refusal('no_longer_on_list'))
    const kept = input.keep === 'local' ? conflict.local_value : conflict.remote_value
    await changeSubscriber(context, scope, subscriber, changeOf(conflict.field, JSON.parse(kept)))
  }
  await context.db
    .updateTable('sync_conflicts')
    // Once it stands here it is this side's value that the remote is to have.
    .set({ decision: isReversed ? 'local' : input.keep, kept: input.keep, resolved_at: context.now })
    .where('id', '=', conflict.id)
    .execute()
  await request(context, input)
}

const attributes = ['email', 'status', 'subscribe_time', 'subscribe_ip', 'email_format', 'confirmed']

function changeOf(field: string, value: unknown): Partial<SubscriberChanges> {
  return attributes.includes(field) ? { [field]: value } : { custom_fields: { [field]: value } }
}

const settleDecisions: Command<{ remoteId: number; kind: LinkedKind; localIds: number[] }, void> = async (
  { db },
  { remoteId, kind, localIds }
) => {
  await db
    .updateTable('sync_conflicts')
    .set({ decision: null })
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('local_id', 'in', localIds)
    .where('decision', 'is not', null)
    .execute()
}

/** Forgets runs, and conflicts that were decided, from before a time (UNIX milliseconds). */
const forgetOld = inBackground<{ time: number }, void>(async ({ db }, { time }) => {
  await db.deleteFrom('sync_runs').where('finished_at', '<', time).execute()
  await db
    .deleteFrom('sync_conflicts')
    .where('resolved_at', '<', time)
    .where('decision', 'is', null)
    .execute()
})

export const syncCommands = {
  add,
  change,
  remove,
  request,
  pause: pauseRemote,
  answer: answerQuestion,
  noteChange,
  begin,
  noteStop,
  noteProgress,
  end,
  endJob,
  link,
  unlink,
  noteTheirState,
  openList,
  noteList,
  forgetList,
  noteSubscribers,
  identifySubscribers,
  forgetSubscribers,
  applySubscribers,
  suppress,
  noteRefusals,
  forgetRefusals,
  retryRefusals,
  noteConflicts,
  decide: decideConflict,
  settleDecisions,
  forgetOld
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    syncs: typeof syncCommands
  }
}
