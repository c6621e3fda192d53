import { autoresponderTables, requireValidAutoresponder } from '../api/autoresponders/commands.ts'
import { messageTables } from '../api/campaigns/commands.ts'
import { dispatchOf } from '../api/campaigns/queries.ts'
import { checkName, customFieldTables, lostValues, whatNeeds } from '../api/custom-fields/commands.ts'
import { fieldById } from '../api/custom-fields/queries.ts'
import { bounceEmailTables, urlDomainTables, virtualMtaTables } from '../api/delivery-settings/commands.ts'
import { mailingListTables } from '../api/mailing-lists/commands.ts'
import { hasSubscribers, mailingListById } from '../api/mailing-lists/queries.ts'
import { organizationTables } from '../api/organizations/commands.ts'
import { markRemovalsUnwritten, tryTableAnew } from '../api/remote-lists/removals.ts'
import { seedListTables } from '../api/seed-lists/commands.ts'
import { readCheckedConditions, segmentTables } from '../api/segments/commands.ts'
import { clauseOf } from '../api/segments/queries.ts'
import { roomFor } from '../api/subscriber-counts/queries.ts'
import { suppressionListTables } from '../api/suppression-lists/commands.ts'
import { suppressionListById } from '../api/suppression-lists/queries.ts'
import { webFormTables } from '../api/web-forms/commands.ts'
import { Faults, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import type { CommandContext } from '../database/command.ts'
import type { RecordEdit, RecordTables } from '../database/record-rows.ts'
import type { UndoableEntity } from '../api/record-kinds.ts'

export interface RecordScope {
  organizationId: number
  /** null = it belongs to no list. */
  mailingListId: number | null
  id: number
}

interface RecordRules {
  tables: RecordTables
  /** True if its name never changes. */
  hasFixedName?: true
  /** True if it exists without its list. */
  outlivesList?: true
  /** @throws ApiError validation_failed where an edit cannot be undone as the record is now */
  mayUndo?: (context: CommandContext, scope: RecordScope, edit: RecordEdit) => Promise<void>
  /** @throws ApiError validation_failed where a deletion cannot be undone yet */
  mayRestore?: (context: CommandContext, scope: RecordScope) => Promise<void>
  /**
   * Validates a restored record, and corrects what must not return as it was.
   * @param edit what was reverted; null = the record was deleted
   * @throws ApiError validation_failed
   */
  settle?: (context: CommandContext, scope: RecordScope, edit: RecordEdit | null) => Promise<void>
}

export const recordRules: Record<UndoableEntity, RecordRules> = {
  organization: { tables: organizationTables },
  mailing_list: { tables: mailingListTables, settle: settleList },
  custom_field: { tables: customFieldTables, mayUndo: copyValues, settle: checkFieldName },
  segment: { tables: segmentTables, settle: checkClause },
  campaign: { tables: messageTables('campaign'), mayUndo: requireSentUnchanged, settle: unschedule },
  template: { tables: messageTables('template') },
  autoresponder: {
    tables: autoresponderTables,
    mayRestore: waitForPurge,
    settle: (context, { organizationId, mailingListId, id }) =>
      requireValidAutoresponder(context, { organizationId, mailingListId: mailingListId ?? 0 }, id)
  },
  web_form: { tables: webFormTables },
  suppression_list: { tables: suppressionListTables, outlivesList: true, settle: checkSuppressedList },
  seed_list: { tables: seedListTables },
  virtual_mta: { tables: virtualMtaTables, hasFixedName: true },
  url_domain: { tables: urlDomainTables, hasFixedName: true },
  bounce_email: { tables: bounceEmailTables, hasFixedName: true }
}

/** For a missing list it would suppress nothing. */
async function checkSuppressedList(
  { db }: CommandContext,
  { organizationId, id }: RecordScope
): Promise<void> {
  const { mailing_list_id: listId } = await suppressionListById(db, organizationId, id)
  if (listId !== null) await mailingListById(db, organizationId, listId)
}

/** Checks the limit of subscribers when a list is restored, and has removals written again when its database changes back. */
async function settleList(
  context: CommandContext,
  { organizationId, id }: RecordScope,
  edit: RecordEdit | null
): Promise<void> {
  if (edit === null) {
    if ((await roomFor(context.db, organizationId)) < 0) throw validationFailed(refusal('no_room_for_list'))
    await tryTableAnew(context, [id])
  }
  if (edit?.columns['database_connection_id']) await markRemovalsUnwritten(context, [id])
}

/** Another type, or an option that is no longer there, would leave subscribers with values that mean nothing. */
async function copyValues(
  context: CommandContext,
  { organizationId, id }: RecordScope,
  { columns, parts }: RecordEdit
): Promise<void> {
  const field = await fieldById(context.db, organizationId, id)
  if (!field) return
  const type = columns['field_type']?.[0] as typeof field.type | undefined
  const options = parts['custom_field_options']?.[0].map((row) => ({
    id: Number(row['id']),
    name: String(row['name'])
  }))
  const lost = lostValues(field, type, options)
  if (lost === null) return
  const need = await whatNeeds(context, field, lost)
  if (need) {
    throw validationFailed(
      need.by === 'import'
        ? refusal('undo_while_import')
        : refusal('undo_while_segment', { segment: need.segment })
    )
  }
  if (!(await hasSubscribers(context.db, organizationId, field.mailingListId))) return
  throw validationFailed(refusal('undo_takes_values'))
}

async function checkFieldName(context: CommandContext, { organizationId, id }: RecordScope): Promise<void> {
  const field = await fieldById(context.db, organizationId, id)
  if (!field) return
  const faults = new Faults()
  await checkName(context, organizationId, field.mailingListId, field.name, id, faults)
  faults.throwIfAny()
}

/** Lists, campaigns and fields that a segment asks for may be gone by now. */
async function checkClause(
  { db }: CommandContext,
  { organizationId, mailingListId, id }: RecordScope
): Promise<void> {
  const row = await db.selectFrom('segments').select('clause').where('id', '=', id).executeTakeFirstOrThrow()
  const faults = new Faults()
  const owner = { organizationId, mailingListId: mailingListId ?? 0 }
  await readCheckedConditions(db, owner, clauseOf(row), 'clause', faults)
  faults.throwIfAny()
}

/** A sent campaign stays as it was except for its name, as in an edit. */
async function requireSentUnchanged(
  { db }: CommandContext,
  { id }: RecordScope,
  { columns, parts }: RecordEdit
): Promise<void> {
  const { state = 'idle' } = (await dispatchOf(db, id)) ?? {}
  if (state === 'idle') return
  const isRenaming = Object.keys(columns).every((name) => name === 'name') && Object.keys(parts).length === 0
  if (isRenaming) return
  // Scheduling itself can be undone. Other edits of a scheduled campaign cannot: it must be unscheduled
  // first.
  const before = parts['dispatches']?.[0]
  const isScheduling = state === 'scheduled' && before && (before[0]?.['state'] ?? 'idle') === 'idle'
  if (isScheduling) return
  throw validationFailed(refusal(state === 'scheduled' ? 'undo_scheduled_campaign' : 'undo_begun_campaign'))
}

/** An undo never sends anything. */
async function unschedule(
  { db }: CommandContext,
  { id }: RecordScope,
  edit: RecordEdit | null
): Promise<void> {
  if (edit && !edit.parts['dispatches']) return
  await db
    .updateTable('dispatches')
    // With a time to begin at, the next change would schedule it again.
    .set({ state: 'idle', begins_at: null, begins_at_once: 0 })
    .where('campaign_id', '=', id)
    .where('state', '=', 'scheduled')
    .execute()
}

/** The messages that were waiting are being removed: none of them may be sent after all. */
async function waitForPurge({ db }: CommandContext, { id }: RecordScope): Promise<void> {
  const purged = await db
    .selectFrom('deleted_autoresponders')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (purged) throw validationFailed(refusal('messages_being_removed'))
}
