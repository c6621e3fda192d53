import type { Insertable } from 'kysely'
import { type Command, type CommandContext, recordOne, inBackground } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import type { CampaignContentsTable } from './tables.ts'
import { Faults, validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { purgeJournal } from '../journal/purge.ts'
import { retryReading } from '../remote-lists/commands.ts'
import { findSpool } from '../remote-lists/queries.ts'
import { type CarriedFile, carriedFilesOf } from '../attachments/queries.ts'
import { autorespondersUsing } from '../autoresponders/uses.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { mailingListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { readCheckedClause } from '../segments/commands.ts'
import { segmentsNaming } from '../segments/uses.ts'
import { clauseOf, findSegmentOfList, requireListsOf } from '../segments/queries.ts'
import type { Condition } from '../segments/conditions.ts'
import {
  dispatchOfList,
  type DispatchSettings,
  latestBegin,
  mergeDispatch,
  readDispatchSeedLists
} from './dispatch.ts'
import {
  campaignById,
  type CampaignRow,
  contentsOf,
  dispatchOf,
  type NamedCampaign,
  seedListIdsOf
} from './queries.ts'
import { appendToLog } from './log.ts'
import { checkContent, type ContentValues, contentsGiven, firstContentGiven, mergeContent } from './rules.ts'
import type { CampaignChanges, CampaignInput, CampaignState } from './schema.ts'

interface Draft {
  name: string
  segment: SegmentChoice
  remoteSql: string | null
  isArchived: boolean
  htmlEditor: string | null
  contents: (ContentValues & { id?: number })[]
  /** The attachments of the campaign that is copied. */
  attachments: CarriedFile[]
  /** null = without delivery settings. */
  dispatch: DispatchSettings | null
  seedListIds: number[]
}

/**
 * The recipients of a campaign: none yet, a stored segment (or the ad hoc one that it has), or a new ad hoc
 * one.
 */
type SegmentChoice = null | { id: number } | { clause: Condition[] }

const emptyDraft: Draft = {
  name: '',
  segment: null,
  remoteSql: null,
  isArchived: false,
  htmlEditor: null,
  contents: [],
  attachments: [],
  dispatch: null,
  seedListIds: []
}

type Kind = 'campaign' | 'template'

export const messageTables = (kind: Kind): RecordTables => ({
  entity: kind,
  table: 'campaigns',
  parts: [
    // The ad hoc segment that was made for this campaign. A stored segment, also a deleted one, may belong to
    // several campaigns.
    {
      table: 'segments',
      where: `id = (SELECT segment_id FROM campaigns WHERE id = :id) AND name IS NULL
        AND NOT EXISTS (SELECT 1 FROM campaigns WHERE segment_id = segments.id AND id <> :id)`
    },
    { table: 'campaign_contents', where: 'campaign_id = :id' },
    { table: 'attachments', where: 'campaign_id = :id' },
    { table: 'dispatches', where: 'campaign_id = :id' },
    { table: 'dispatch_seed_lists', where: 'campaign_id = :id' }
  ]
})

interface Scope {
  organizationId: number
  /** The organization's, for times without a zone. */
  timeZone: string
  kind: Kind
}

interface CreateInput extends Scope {
  mailingListId: number
  /** The parts to copy from a template. */
  source: CampaignInput
  campaign: CampaignChanges
}

/**
 * Creates a campaign or a template.
 * @returns its id
 */
const createCampaign: Command<CreateInput, number> = async (context, input) => {
  const { organizationId, mailingListId, source, campaign, kind } = input
  const list = await mailingListById(context.db, organizationId, mailingListId)
  const faults = new Faults()
  const before = await draftFromTemplate(context, list, source, faults)
  const draft = await applyChanges(context, input, list, before, campaign, faults)
  const state = stateAfter(context, kind, draft, campaign, faults)
  if (state === 'scheduled') await requireLists(context, draft.segment)
  faults.throwIfAny()
  return insertDraft(context, input, draft, state)
}

async function insertDraft(
  context: CommandContext,
  { organizationId, mailingListId, kind }: { organizationId: number; mailingListId: number; kind: Kind },
  draft: Draft,
  state: CampaignState
): Promise<number> {
  const { id } = await context.db
    .insertInto('campaigns')
    .values({
      mailing_list_id: mailingListId,
      is_template: Number(kind === 'template'),
      name: draft.name,
      segment_id: await saveSegment(context, mailingListId, draft.segment),
      remote_sql: draft.remoteSql,
      archived: Number(draft.isArchived),
      ...(draft.htmlEditor !== null && { html_editor: draft.htmlEditor }),
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await saveContents(context, id, draft.contents)
  await copyAttachments(context, id, draft.attachments)
  await saveDispatch(context, id, draft, state)
  recordOne(context, kind, 'create', { organizationId, mailingListId }, id)
  return id
}

/**
 * Copies a campaign as an unsent draft.
 * @returns its id
 */
const duplicateCampaign: Command<{ organizationId: number; id: number; name: string }, number> = async (
  context,
  { organizationId, id, name }
) => {
  const source = await campaignById(context.db, organizationId, id, 'campaign')
  const whole = await draftOf(context, source)
  const draft = {
    ...whole,
    name,
    isArchived: false,
    segment: await copyOf(context, whole.segment),
    ...unsent(whole)
  }
  const scope = { organizationId, mailingListId: source.mailing_list_id, kind: 'campaign' as const }
  return insertDraft(context, scope, draft, 'idle')
}

/** Returns contents and delivery settings for a copy, without the start time. */
function unsent({ contents, dispatch }: Draft): Pick<Draft, 'contents' | 'dispatch'> {
  return {
    contents: contents.map(({ id: _, ...content }) => content),
    dispatch: dispatch && { ...dispatch, begins_at: null, begins_at_once: 0 }
  }
}

/** Returns what a new campaign takes from its template (docs/api.md, "Campaigns"). */
async function draftFromTemplate(
  context: CommandContext,
  list: MailingListRow,
  source: CampaignInput,
  faults: Faults
): Promise<Draft> {
  const { source_template_id: id } = source
  if (id === undefined || id === null) return emptyDraft
  const template = await campaignById(context.db, list.organization_id, id, 'template')
  const whole = await draftOf(context, template)
  const isOtherList = template.mailing_list_id !== list.id
  if (source.duplicate_segmentation_criteria && isOtherList && whole.segment !== null) {
    faults.add(refusal('template_of_other_list', { field: 'duplicate_segmentation_criteria', id }))
  }
  return {
    name: template.name,
    segment: source.duplicate_segmentation_criteria ? await copyOf(context, whole.segment) : null,
    remoteSql: source.duplicate_segmentation_criteria ? whole.remoteSql : null,
    isArchived: false,
    htmlEditor: source.duplicate_content ? whole.htmlEditor : null,
    contents: source.duplicate_content ? unsent(whole).contents : [],
    attachments: source.duplicate_content ? whole.attachments : [],
    dispatch: source.duplicate_dispatch ? unsent(whole).dispatch : null,
    seedListIds: source.duplicate_dispatch ? whole.seedListIds : []
  }
}

/** Stored segments are shared; an ad hoc segment is copied, since it belongs to one campaign. */
async function copyOf(context: CommandContext, choice: SegmentChoice): Promise<SegmentChoice> {
  if (choice === null || !('id' in choice)) return choice
  const row = await context.db
    .selectFrom('segments')
    .select(['name', 'clause'])
    .where('id', '=', choice.id)
    .executeTakeFirstOrThrow()
  return row.name === null ? { clause: clauseOf(row) } : choice
}

async function draftOf({ db }: CommandContext, row: CampaignRow): Promise<Draft> {
  const dispatch = await dispatchOf(db, row.id)
  const contents = await contentsOf(db, [row.id])
  return {
    name: row.name,
    segment: row.segment_id === null ? null : { id: row.segment_id },
    remoteSql: row.remote_sql,
    isArchived: row.archived === 1,
    htmlEditor: row.html_editor,
    contents: contents.map(({ campaign_id: _, ...content }) => content),
    attachments: await carriedFilesOf(db, row.id),
    dispatch: dispatch ? settingsOf(dispatch) : null,
    seedListIds: await seedListIdsOf(db, { campaignId: row.id })
  }
}

function settingsOf({
  campaign_id: _campaign,
  state: _state,
  error_message: _message,
  started_at: _started,
  finished_at: _finished,
  updated_at: _updated,
  ...settings
}: NonNullable<Awaited<ReturnType<typeof dispatchOf>>>): DispatchSettings {
  return settings
}

/** True if a campaign to a Remote List is paused before its recipients were read: then its query can be corrected. */
async function waitsForQuery(
  { db }: CommandContext,
  id: number,
  dispatch: Awaited<ReturnType<typeof dispatchOf>>
): Promise<boolean> {
  return dispatch?.state === 'sending' && dispatch.paused === 1 && (await findSpool(db, id)) === undefined
}

interface UpdateInput extends Scope {
  id: number
  changes: CampaignChanges
}

/**
 * Changes the properties in the request.
 * @throws ApiError validation_failed for anything but the name once sending has started, and the query while no recipients could be read
 */
const updateCampaign: Command<UpdateInput, void> = async (context, input) => {
  const { organizationId, id, changes, kind } = input
  const row = await campaignById(context.db, organizationId, id, kind)
  const dispatch = await dispatchOf(context.db, id)
  const before = dispatch?.state ?? 'idle'
  const isOpen = before === 'idle' || before === 'scheduled'
  const mayChange = ['name', 'archived']
  if (await waitsForQuery(context, id, dispatch)) mayChange.push('segmentation_criteria_remote_sql')
  if (!isOpen && Object.keys(changes).some((key) => !mayChange.includes(key))) {
    throw validationFailed(refusal('campaign_cannot_change', { state: before }))
  }
  const list = await mailingListById(context.db, organizationId, row.mailing_list_id)
  const faults = new Faults()
  const draft = await applyChanges(context, input, list, await draftOf(context, row), changes, faults)
  const state = isOpen ? stateAfter(context, kind, draft, changes, faults) : before
  if (state === 'scheduled') await requireLists(context, draft.segment)
  faults.throwIfAny()
  await recordEdit(context, messageTables(kind), { organizationId, mailingListId: list.id }, id, async () => {
    const segmentId = await saveSegment(context, list.id, draft.segment)
    await context.db
      .updateTable('campaigns')
      .set({
        name: draft.name,
        segment_id: segmentId,
        remote_sql: draft.remoteSql,
        archived: Number(draft.isArchived),
        ...(draft.htmlEditor !== null && { html_editor: draft.htmlEditor }),
        updated_at: context.now
      })
      .where('id', '=', id)
      .execute()
    if (row.segment_id !== segmentId) await deleteAdHocSegment(context, row.segment_id)
    if (isOpen) {
      await saveContents(context, id, draft.contents)
      await saveDispatch(context, id, draft, state)
    }
  })
}

async function applyChanges(
  context: CommandContext,
  { organizationId, timeZone }: Scope,
  list: MailingListRow,
  before: Draft,
  changes: CampaignChanges,
  faults: Faults
): Promise<Draft> {
  const { db, clock } = context
  const name = changes.name?.trim() ?? before.name
  if (name === '') faults.add(refusal('blank', { field: 'name' }))
  const given = changes.dispatch_attributes
  const seedListIds = given && (await readDispatchSeedLists(db, organizationId, given, faults))
  return {
    name,
    ...(await chooseSegment(context, list, before, changes, faults)),
    isArchived: changes.archived ?? before.isArchived,
    htmlEditor: changes.active_html_editor ?? before.htmlEditor,
    contents: chooseContents(before.contents, changes, faults),
    attachments: before.attachments,
    dispatch: given
      ? await mergeDispatch(
          { db, organizationId, timeZone, clock },
          before.dispatch ?? dispatchOfList(list),
          given,
          faults
        )
      : before.dispatch,
    seedListIds:
      seedListIds ??
      (given && !before.dispatch ? await seedListIdsOf(db, { mailingListId: list.id }) : before.seedListIds)
  }
}

/**
 * docs/api.md, "Campaigns": only one of the three inputs; SQL is for Remote Lists, the other two for other
 * lists.
 */
async function chooseSegment(
  context: CommandContext,
  list: MailingListRow,
  before: Draft,
  changes: CampaignChanges,
  faults: Faults
): Promise<Pick<Draft, 'segment' | 'remoteSql'>> {
  const kept = { segment: before.segment, remoteSql: before.remoteSql }
  const {
    segmentation_criteria_id: id,
    segmentation_criteria_ad_hoc: clause,
    segmentation_criteria_remote_sql: remoteSql
  } = changes
  const given = [id, clause, remoteSql].filter((each) => each !== undefined && each !== null)
  if (given.length > 1) {
    faults.add(refusal('only_one_segment_input'))
    return kept
  }
  const isRemote = list.is_remote_list === 1
  if (remoteSql !== undefined && remoteSql !== null) {
    if (!isRemote)
      faults.add(refusal('remote_sql_of_local_list', { field: 'segmentation_criteria_remote_sql' }))
    return { segment: null, remoteSql }
  }
  if (isRemote && given.length > 0) {
    faults.add(refusal('remote_list_without_segments'))
    return kept
  }
  if (clause) {
    const name = 'segmentation_criteria_ad_hoc'
    const conditions = await readCheckedClause(context.db, list.organization_id, clause, name, faults)
    return { segment: { clause: conditions }, remoteSql: null }
  }
  if (id === undefined) return remoteSql === null ? { ...kept, remoteSql: null } : kept
  if (id === null) return { ...kept, segment: null }
  const isOwn = before.segment !== null && 'id' in before.segment && before.segment.id === id
  if (!isOwn && !(await findSegmentOfList(context.db, list.id, id))) {
    faults.add(refusal('no_segment_of_list', { field: 'segmentation_criteria_id', id }))
  }
  return { segment: { id }, remoteSql: null }
}

/** The contents of a request replace all others; those with an id keep the properties that it omits. */
function chooseContents(
  before: Draft['contents'],
  changes: CampaignChanges,
  faults: Faults
): Draft['contents'] {
  const given = contentsGiven(changes)
  const firstGiven = firstContentGiven(changes)
  if (!given && firstGiven) {
    const [first, ...others] = [...before].sort((a, b) => (a.id ?? 0) - (b.id ?? 0))
    return [
      { ...(first?.id !== undefined && { id: first.id }), ...mergeContent(first ?? null, firstGiven, 1) },
      ...others
    ]
  }
  if (!given) return before
  return given.map((content, index) => {
    const { id } = content
    const known = id === undefined ? undefined : before.find((each) => each.id === id)
    if (id !== undefined && !known) {
      faults.add(refusal('no_content_of_campaign', { field: `contents.${index}.id`, id }))
    }
    return { ...(known && { id: known.id }), ...mergeContent(known ?? null, content, index + 1) }
  })
}

/**
 * Returns the state of a campaign that has not started: scheduled if it has a start time, a segment, content
 * and delivery settings (docs/api.md, "Campaigns").
 */
function stateAfter(
  context: CommandContext,
  kind: Kind,
  draft: Draft,
  changes: CampaignChanges,
  faults: Faults
): CampaignState {
  const { dispatch, contents } = draft
  const hasRecipients = draft.segment !== null || draft.remoteSql !== null
  if (kind === 'template' || !dispatch || dispatch.begins_at === null) return 'idle'
  if (!hasRecipients || contents.length === 0) return 'idle'
  for (const [index, content] of contents.entries()) checkContent(content, index, faults)
  if (!dispatch.from_email) faults.add(refusal('blank', { field: 'dispatch_attributes.from_email' }))
  if (
    changes.dispatch_attributes?.begins_at === undefined &&
    dispatch.begins_at < context.clock - latestBegin
  ) {
    faults.add(refusal('begins_at_passed', { field: 'dispatch_attributes.begins_at' }))
  }
  return 'scheduled'
}

/** @throws ApiError validation_failed for a segment with a condition on a list that was deleted */
async function requireLists({ db }: CommandContext, choice: SegmentChoice): Promise<void> {
  if (choice === null || !('id' in choice)) return
  const row = await db.selectFrom('segments').select('clause').where('id', '=', choice.id).executeTakeFirst()
  if (row) await requireListsOf(db, clauseOf(row))
}

async function saveSegment(
  context: CommandContext,
  mailingListId: number,
  choice: SegmentChoice
): Promise<number | null> {
  if (choice === null || 'id' in choice) return choice?.id ?? null
  const { id } = await context.db
    .insertInto('segments')
    .values({
      mailing_list_id: mailingListId,
      name: null,
      name_key: null,
      clause: JSON.stringify(choice.clause),
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Deletes the campaign's ad hoc segment. A deleted stored segment stays for other campaigns that used it. */
async function deleteAdHocSegment(context: CommandContext, segmentId: number | null): Promise<void> {
  if (segmentId === null) return
  await context.db
    .deleteFrom('segments')
    .where('id', '=', segmentId)
    .where('name', 'is', null)
    .where((is) =>
      is.not(is.exists(is.selectFrom('campaigns').select('id').whereRef('segment_id', '=', 'segments.id')))
    )
    .execute()
}

async function saveContents(
  context: CommandContext,
  campaignId: number,
  contents: Draft['contents']
): Promise<void> {
  const kept = contents.flatMap(({ id }) => (id === undefined ? [] : [id]))
  await context.db
    .deleteFrom('campaign_contents')
    .where('campaign_id', '=', campaignId)
    .where('id', 'not in', kept)
    .execute()
  for (const { id, ...content } of contents) {
    const values: Insertable<CampaignContentsTable> = { ...content, campaign_id: campaignId }
    await (id === undefined
      ? context.db.insertInto('campaign_contents').values(values).execute()
      : context.db.updateTable('campaign_contents').set(values).where('id', '=', id).execute())
  }
}

async function copyAttachments(
  { db, now }: CommandContext,
  campaignId: number,
  files: readonly CarriedFile[]
): Promise<void> {
  if (files.length === 0) return
  await db
    .insertInto('attachments')
    .values(files.map((file) => ({ ...file, campaign_id: campaignId, created_at: now })))
    .execute()
}

async function saveDispatch(
  context: CommandContext,
  campaignId: number,
  { dispatch, seedListIds }: Draft,
  state: CampaignState
): Promise<void> {
  if (!dispatch) return
  await context.db
    .insertInto('dispatches')
    .values({ ...dispatch, campaign_id: campaignId, state })
    .onConflict((conflict) => conflict.column('campaign_id').doUpdateSet({ ...dispatch, state }))
    .execute()
  await context.db.deleteFrom('dispatch_seed_lists').where('campaign_id', '=', campaignId).execute()
  if (seedListIds.length === 0) return
  await context.db
    .insertInto('dispatch_seed_lists')
    .values(seedListIds.map((id) => ({ campaign_id: campaignId, seed_list_id: id })))
    .execute()
}

interface Named {
  organizationId: number
  id: number
}

const pauseCampaign: Command<Named, void> = (context, input) =>
  changeState(
    context,
    input,
    (row) => {
      if (row.state !== 'scheduled' && row.state !== 'sending') {
        return refusal('campaign_cannot_pause', { state: row.state })
      }
      if (row.paused === 1) return refusal('campaign_paused_already')
      return { paused: 1 }
    },
    refusal('log_paused')
  )

const resumeCampaign: Command<Named, void> = async (context, input) => {
  await changeState(
    context,
    input,
    (row) => {
      if (row.paused === 0) return refusal('campaign_not_paused')
      if (row.state !== 'scheduled' && row.state !== 'sending') {
        return refusal('campaign_cannot_resume', { state: row.state })
      }
      return { paused: 0, error_message: null }
    },
    refusal('log_resumed')
  )
  await retryReading(context, [input.id])
}

const cancelCampaign: Command<Named, void> = (context, input) =>
  changeState(
    context,
    input,
    (row) => {
      if (row.state === 'finished' || row.state === 'failed' || row.state === 'cancelled') {
        return refusal('campaign_cannot_cancel', { state: row.state })
      }
      return { state: 'cancelled', finished_at: context.now }
    },
    refusal('log_cancelled')
  )

/** Changes how fast a campaign is sent; a running one follows at once. @param speed messages per hour; 0 = as fast as it goes */
const changeSpeed: Command<Named & { speed: number }, void> = async (
  context,
  { organizationId, id, speed }
) => {
  const row = await campaignById(context.db, organizationId, id)
  const dispatch = await dispatchOf(context.db, id)
  if (!dispatch || !['idle', 'scheduled', 'sending'].includes(dispatch.state)) {
    throw validationFailed(refusal('campaign_cannot_change_speed', { state: dispatch?.state ?? 'idle' }))
  }
  if (dispatch.speed === speed) return
  await context.db.updateTable('dispatches').set({ speed }).where('campaign_id', '=', id).execute()
  await context.db
    .updateTable('deliveries')
    .set({ waits_until: null, waits_for: null })
    .where('campaign_id', '=', id)
    .where('waits_for', '=', 'speed')
    .execute()
  if (dispatch.state === 'sending') {
    await appendToLog(context, id, [
      speed === 0 ? refusal('log_full_speed') : refusal('log_speed', { speed })
    ])
  }
  recordOne(context, 'campaign', 'update', { organizationId, mailingListId: row.mailing_list_id }, id)
  // What is being sent goes on with another plan; nothing else of the route has changed.
  const none = { organizationId: 0, mailingListId: null, firstId: 0, lastId: 0 }
  context.record({ entity: 'delivery_route', action: 'update', ...none, isUnlogged: true })
}

async function changeState(
  context: CommandContext,
  { organizationId, id }: Named,
  decide: (row: {
    state: CampaignState
    paused: number
  }) => Refusal | { state?: CampaignState; paused?: number; finished_at?: number; error_message?: null },
  logged: Refusal
): Promise<void> {
  const row = await campaignById(context.db, organizationId, id)
  const dispatch = await dispatchOf(context.db, id)
  const decided = decide(dispatch ?? { state: 'idle', paused: 0 })
  if ('rule' in decided) throw validationFailed(decided)
  if (dispatch) {
    await context.db.updateTable('dispatches').set(decided).where('campaign_id', '=', id).execute()
  } else {
    // A campaign that was cancelled without delivery settings gets them here, since they hold its state.
    const list = await mailingListById(context.db, organizationId, row.mailing_list_id)
    await context.db
      .insertInto('dispatches')
      .values({ ...dispatchOfList(list), campaign_id: id, state: 'idle', ...decided })
      .execute()
  }
  if (dispatch?.state === 'sending') await appendToLog(context, id, [logged])
  await context.db.updateTable('campaigns').set({ updated_at: context.now }).where('id', '=', id).execute()
  recordOne(context, 'campaign', 'update', { organizationId, mailingListId: row.mailing_list_id }, id)
}

/**
 * True if messages of the campaign may have been sent: their links still lead here and count for the
 * organization.
 */
async function wasSent({ db }: CommandContext, id: number): Promise<boolean> {
  return (
    (await db.selectFrom('stats').select('id').where('campaign_id', '=', id).executeTakeFirst()) !== undefined
  )
}

/**
 * Deletes a template, or a campaign that is not being sent.
 * @returns its id and name (docs/api.md, "Campaigns")
 * @throws ApiError validation_failed while it is being sent, or an autoresponder or segment refers to it
 */
const deleteCampaign: Command<Named & { kind: Kind }, { id: number; name: string }> = async (
  context,
  { organizationId, id, kind }
) => {
  const row: NamedCampaign = await campaignById(context.db, organizationId, id, kind)
  if ((await dispatchOf(context.db, id))?.state === 'sending') {
    throw validationFailed(refusal('campaign_is_sending'))
  }
  refuseWhileNeeded(
    'triggers',
    row.name,
    await autorespondersUsing(context.db, 'trigger_campaign_to_open_id', id)
  )
  refuseWhileNeeded('asked_for_by', row.name, await segmentsNaming(context.db, 'campaign_id', id))
  const owner = { organizationId, mailingListId: row.mailing_list_id }
  await recordDeletion(context, messageTables(kind), owner, row, async () => {
    if (await wasSent(context, id)) await markDeleted(context, id)
    else await context.db.deleteFrom('campaigns').where('id', '=', id).execute()
    await deleteAdHocSegment(context, row.segment_id)
  })
  return { id, name: row.name }
}

async function markDeleted({ db, now }: CommandContext, id: number): Promise<void> {
  await db.updateTable('campaigns').set({ deleted_at: now, segment_id: null }).where('id', '=', id).execute()
  // The campaign is finished, so its bounce email and virtual MTA may be deleted.
  await db
    .updateTable('dispatches')
    .set({ bounce_email_id: null, virtual_mta_id: null, paused: 0 })
    .where('campaign_id', '=', id)
    .execute()
  await db.deleteFrom('dispatch_seed_lists').where('campaign_id', '=', id).execute()
}

/** Events, and then recipients, deleted per step: few enough that other writes do not wait noticeably. */
const purgedAtOnce = 500

/**
 * Deletes some of the recipient data of a deleted campaign.
 * @returns true if there may be more
 */
const purgeCampaign = inBackground<{ id: number }, boolean>(async ({ db, now }, { id }) => {
  const slices = db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .select('stat_slices.id')
    .where('stats.campaign_id', '=', id)
  const { numDeletedRows } = await db
    .deleteFrom('stat_events')
    .where('id', 'in', (select) =>
      select.selectFrom('stat_events').select('id').where('stat_slice_id', 'in', slices).limit(purgedAtOnce)
    )
    .executeTakeFirst()
  if (numDeletedRows === BigInt(purgedAtOnce)) return true
  const recipients = await db
    .deleteFrom('stat_recipients')
    .where((where) =>
      where(
        where.refTuple('stat_slice_id', 'subscriber_id'),
        'in',
        where
          .selectFrom('stat_recipients')
          .select(['stat_slice_id', 'subscriber_id'])
          .where('stat_slice_id', 'in', slices)
          .limit(purgedAtOnce)
          .$asTuple('stat_slice_id', 'subscriber_id')
      )
    )
    .executeTakeFirst()
  if (recipients.numDeletedRows === BigInt(purgedAtOnce)) return true
  const sliceIds = (await slices.execute()).map((slice) => slice.id)
  if (await purgeJournal(db, sliceIds, purgedAtOnce)) return true
  await db.deleteFrom('stat_snapshots').where('stat_slice_id', 'in', slices).execute()
  await db.deleteFrom('spools').where('campaign_id', '=', id).execute()
  await db.deleteFrom('campaign_log').where('campaign_id', '=', id).execute()
  await db.deleteFrom('attachments').where('campaign_id', '=', id).execute()
  await db.updateTable('campaigns').set({ purged_at: now }).where('id', '=', id).execute()
  return false
})

export const campaignCommands = {
  create: createCampaign,
  duplicate: duplicateCampaign,
  update: updateCampaign,
  delete: deleteCampaign,
  purge: purgeCampaign,
  pause: pauseCampaign,
  resume: resumeCampaign,
  cancel: cancelCampaign,
  changeSpeed
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    campaigns: typeof campaignCommands
  }
}
