import { mergeSettings, type SettingRule } from '../../base/merge-settings.ts'
import { type Command, type CommandContext, inBackground, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { Faults } from '../../base/errors.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { bounceEmailsOf, urlDomainsOf, virtualMtasOf } from '../delivery-settings/queries.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { purgeJournal } from '../journal/purge.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { findSegmentOfList } from '../segments/queries.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import { autoresponderById, type AutoresponderRow, autorespondersOf } from './queries.ts'
import type { AutoresponderChanges, AutoresponderInput } from './schema.ts'

interface Scope {
  organizationId: number
  mailingListId: number
}

type Settings = Omit<
  AutoresponderRow,
  'id' | 'mailing_list_id' | 'triggered_at' | 'created_at' | 'updated_at'
>

const newAutoresponder: Settings = {
  name: '',
  name_key: '',
  paused_at: null,
  trigger: 'subscription',
  delay: 'immediately',
  delay_amount: 0,
  delay_unit: null,
  delay_time: 0,
  trigger_include_subscribers_from_import: 0,
  trigger_run_on_api: 0,
  trigger_campaign_to_open_id: null,
  trigger_autoresponder_to_open_id: null,
  use_external_delivery_setting: 1,
  bounce_email_id: null,
  from_name: null,
  from_email: null,
  virtual_mta_id: null,
  url_domain_id: null,
  track_opens: 1,
  track_links: 1,
  content_subject: '',
  content_format: 'both',
  content_html: '',
  content_text: '',
  segmentation_criteria_id: null
}

const settingRules: Record<Exclude<keyof Settings, 'name' | 'name_key' | 'paused_at'>, SettingRule> = {
  trigger: 'required',
  delay: 'required',
  delay_amount: 'required',
  delay_unit: 'value',
  delay_time: 'required',
  trigger_include_subscribers_from_import: 'flag',
  trigger_run_on_api: 'flag',
  trigger_campaign_to_open_id: 'value',
  trigger_autoresponder_to_open_id: 'value',
  use_external_delivery_setting: 'flag',
  bounce_email_id: 'value',
  from_name: 'value',
  from_email: 'value',
  virtual_mta_id: 'value',
  url_domain_id: 'value',
  track_opens: 'flag',
  track_links: 'flag',
  content_subject: 'required',
  content_format: 'required',
  content_html: 'required',
  content_text: 'required',
  segmentation_criteria_id: 'value'
}

export const autoresponderTables: RecordTables = {
  entity: 'autoresponder',
  table: 'autoresponders',
  parts: []
}

const createAutoresponder: Command<Scope & { autoresponder: AutoresponderInput }, AutoresponderRow> = async (
  context,
  { organizationId, mailingListId, autoresponder }
) => {
  const scope = { organizationId, mailingListId }
  await localListById(context.db, organizationId, mailingListId, 'autoresponders')
  const settings = await merge(context, scope, newAutoresponder, null, autoresponder)
  const row = await context.db
    .insertInto('autoresponders')
    .values({
      ...settings,
      mailing_list_id: mailingListId,
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne(context, 'autoresponder', 'create', scope, row.id)
  return row
}

const updateAutoresponder: Command<
  Scope & { id: number; changes: AutoresponderChanges },
  AutoresponderRow
> = async (context, { organizationId, mailingListId, id, changes }) => {
  const scope = { organizationId, mailingListId }
  await localListById(context.db, organizationId, mailingListId, 'autoresponders')
  const { created_at, ...before } = await autoresponderById(context.db, mailingListId, id)
  const settings = await merge(context, scope, before, id, changes)
  // What kept its messages from being sent may be gone.
  await context.db
    .updateTable('autoresponder_deliveries')
    .set({ waits_until: null })
    .where('autoresponder_id', '=', id)
    .execute()
  return recordEdit(context, autoresponderTables, scope, id, () =>
    context.db
      .updateTable('autoresponders')
      .set({ ...settings, updated_at: context.now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

/**
 * Deletes an autoresponder; {@link purgeAutoresponder} deletes its queue.
 * @throws ApiError validation_failed with data.dependencies while another one is triggered by it
 */
const deleteAutoresponder: Command<Scope & { id: number }, void> = async (
  context,
  { organizationId, mailingListId, id }
) => {
  await localListById(context.db, organizationId, mailingListId, 'autoresponders')
  const row = await autoresponderById(context.db, mailingListId, id)
  const others = await autorespondersOf(context.db, mailingListId)
  const dependencies = others
    .filter((other) => other.trigger_autoresponder_to_open_id === id)
    .map((other) => ({ type: 'autoresponder' as const, id: other.id, name: other.name }))
  refuseWhileNeeded('triggers', row.name, dependencies)
  await recordDeletion(context, autoresponderTables, { organizationId, mailingListId }, row, async () => {
    const slice = await context.db
      .selectFrom('stats')
      .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
      .select('stat_slices.id')
      .where('autoresponder_id', '=', id)
      .executeTakeFirst()
    await context.db.deleteFrom('autoresponders').where('id', '=', id).execute()
    await context.db
      .insertInto('deleted_autoresponders')
      .values({ id, stat_slice_id: slice?.id ?? null })
      .execute()
  })
}

/** Messages deleted per step: few enough that other writes do not wait noticeably. */
const purgedAtOnce = 2000

/**
 * Deletes a part of a deleted autoresponder's queue.
 * @returns true if there may be more
 */
const purgeAutoresponder = inBackground<{ id: number }, boolean>(async ({ db }, { id }) => {
  const { numDeletedRows } = await db
    .deleteFrom('autoresponder_reactions')
    .where('id', 'in', (select) =>
      select
        .selectFrom('autoresponder_reactions')
        .select('id')
        .where('autoresponder_id', '=', id)
        .limit(purgedAtOnce)
    )
    .executeTakeFirst()
  if (numDeletedRows === BigInt(purgedAtOnce)) return true
  const deleted = await db
    .selectFrom('deleted_autoresponders')
    .select('stat_slice_id')
    .where('id', '=', id)
    .executeTakeFirst()
  const sliceIds = deleted?.stat_slice_id == null ? [] : [deleted.stat_slice_id]
  if (await purgeJournal(db, sliceIds, purgedAtOnce)) return true
  await db.deleteFrom('deleted_autoresponders').where('id', '=', id).execute()
  return false
})

interface HeldDecision extends Scope {
  /** False = they are deleted. */
  sends: boolean
}

/**
 * Releases or deletes some of a list's messages that were queued by a version which could not send them.
 * @returns true if there may be more
 */
const decideHeld = inBackground<HeldDecision, boolean>(
  async (context, { organizationId, mailingListId, sends }) => {
    const { db } = context
    const rows = await db
      .selectFrom('autoresponders')
      .innerJoin('autoresponder_reactions', 'autoresponder_id', 'autoresponders.id')
      .select(['autoresponder_reactions.id', 'autoresponder_id'])
      .where('mailing_list_id', '=', mailingListId)
      .where('is_held', '=', 1)
      .limit(purgedAtOnce)
      .execute()
    const ids = rows.map(({ id }) => id)
    if (sends) {
      await db.updateTable('autoresponder_reactions').set({ is_held: 0 }).where('id', 'in', ids).execute()
    } else await db.deleteFrom('autoresponder_reactions').where('id', 'in', ids).execute()
    for (const id of new Set(rows.map(({ autoresponder_id }) => autoresponder_id))) {
      recordOne(context, 'autoresponder', 'update', { organizationId, mailingListId }, id)
    }
    return rows.length === purgedAtOnce
  }
)

/** @throws ApiError validation_failed naming each fault of a stored autoresponder */
export async function requireValidAutoresponder(
  context: CommandContext,
  scope: Scope,
  id: number
): Promise<void> {
  const { created_at, ...settings } = await autoresponderById(context.db, scope.mailingListId, id)
  await merge(context, scope, settings, id, {})
}

/**
 * Returns the settings after a request.
 * @throws ApiError validation_failed naming each faulty field
 */
async function merge(
  context: CommandContext,
  { organizationId, mailingListId }: Scope,
  before: Settings,
  ownId: number | null,
  changes: AutoresponderChanges
): Promise<Settings> {
  const faults = new Faults()
  const name = changes.name?.trim() ?? before.name
  const merged = mergeSettings(settingRules, before, {
    ...changes,
    bounce_email_id: changes.bounce_email_user_id
  })
  const after: Settings = {
    ...merged,
    name,
    name_key: name.toLowerCase(),
    paused_at: pausedAt(changes.paused, before.paused_at, context.now),
    // The system default route, which is 0, is stored as null.
    virtual_mta_id: merged.virtual_mta_id || null
  }
  const siblings = (await autorespondersOf(context.db, mailingListId)).filter(({ id }) => id !== ownId)
  if (siblings.some((other) => other.name_key === after.name_key)) {
    faults.add(refusal('name_taken', { field: 'name', name, kind: 'autoresponder of this list' }))
  }
  if (after.delay === 'with_delay' && after.delay_unit === null) {
    faults.add(refusal('blank_when', { field: 'delay_unit', other: 'delay', value: 'with_delay' }))
  }
  if (after.from_email && !isEmail(after.from_email)) {
    faults.add(refusalAt('from_email', emailComplaint(after.from_email)))
  }
  checkTrigger(after, siblings, faults)
  refuseUnknown(changes, faults)
  await checkSegmentAndCampaign(context, mailingListId, after, faults)
  await checkDelivery(context, organizationId, after, changes, faults)
  faults.throwIfAny()
  return after
}

function pausedAt(paused: boolean | undefined, before: number | null, now: number): number | null {
  if (paused === undefined) return before
  return paused ? (before ?? now) : null
}

/** A trigger by another autoresponder or a campaign must name one of the list. */
function checkTrigger(after: Settings, siblings: AutoresponderRow[], faults: Faults): void {
  const other = after.trigger_autoresponder_to_open_id
  if (other !== null && !siblings.some(({ id }) => id === other)) {
    faults.add(refusal('no_other_autoresponder', { field: 'trigger_autoresponder_to_open_id', id: other }))
  }
  if (after.trigger.startsWith('autoresponder_') && other === null) {
    faults.add(
      refusal('blank_when', {
        field: 'trigger_autoresponder_to_open_id',
        other: 'trigger',
        value: after.trigger
      })
    )
  }
  if (after.trigger === 'campaign_open' && after.trigger_campaign_to_open_id === null) {
    faults.add(
      refusal('blank_when', {
        field: 'trigger_campaign_to_open_id',
        other: 'trigger',
        value: 'campaign_open'
      })
    )
  }
}

function refuseUnknown(changes: AutoresponderChanges, faults: Faults): void {
  const { special_sending_rule_id: id } = changes
  if (id !== undefined && id !== null) {
    faults.add(refusal('id_unknown', { field: 'special_sending_rule_id', id }))
  }
}

async function checkSegmentAndCampaign(
  context: CommandContext,
  mailingListId: number,
  { segmentation_criteria_id: id, trigger_campaign_to_open_id: campaignId }: Settings,
  faults: Faults
): Promise<void> {
  if (id !== null && !(await findSegmentOfList(context.db, mailingListId, id))) {
    faults.add(refusal('no_segment_of_list', { field: 'segmentation_criteria_id', id }))
  }
  if (campaignId === null) return
  const campaign = await context.db
    .selectFrom('campaigns')
    .select('id')
    .where('id', '=', campaignId)
    .where('mailing_list_id', '=', mailingListId)
    .where('is_template', '=', 0)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!campaign) {
    faults.add(refusal('no_campaign_of_list', { field: 'trigger_campaign_to_open_id', id: campaignId }))
  }
}

async function checkDelivery(
  context: CommandContext,
  organizationId: number,
  after: Settings,
  changes: AutoresponderChanges,
  faults: Faults
): Promise<void> {
  const { virtual_mta_id: virtualMta, url_domain_id: urlDomain, bounce_email_id: bounceEmail } = after
  if (virtualMta !== null) {
    const all = await virtualMtasOf(context.db, organizationId)
    if (!all.some(({ id }) => id === virtualMta)) {
      faults.add(refusal('id_unknown', { field: 'virtual_mta_id', id: virtualMta }))
    }
  }
  if (urlDomain !== null) {
    const all = await urlDomainsOf(context.db, organizationId)
    if (!all.some(({ id }) => id === urlDomain)) {
      faults.add(refusal('id_unknown', { field: 'url_domain_id', id: urlDomain }))
    }
  }
  if (bounceEmail === null) return
  const found = (await bounceEmailsOf(context.db, organizationId)).find(
    ({ userId }) => userId === bounceEmail
  )
  const domain = changes.bounce_email_domain_id
  if (!found) faults.add(refusal('id_unknown', { field: 'bounce_email_user_id', id: bounceEmail }))
  else if (domain !== undefined && domain !== null && domain !== found.domainId) {
    faults.add(refusal('other_bounce_domain', { field: 'bounce_email_domain_id', domain, id: bounceEmail }))
  }
}

export const autoresponderCommands = {
  create: createAutoresponder,
  update: updateAutoresponder,
  delete: deleteAutoresponder,
  purge: purgeAutoresponder,
  decideHeld
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    autoresponders: typeof autoresponderCommands
  }
}
