import type { Kysely } from 'kysely'
import { type Command, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import type { Schema } from '../../database/schema.ts'
import { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { autorespondersUsing } from '../autoresponders/uses.ts'
import { campaignsUsing, isCampaignOf } from '../campaigns/uses.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { keepsRecipients } from '../statistics/queries.ts'
import { findImportOfList } from '../subscriber-imports/addition-queries.ts'
import { namesOf } from '../../http/names.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { localListById, mailingListsOf } from '../mailing-lists/queries.ts'
import { type Condition, leavesOf, listIdsOf } from './conditions.ts'
import { storedSegmentById } from './queries.ts'
import { readConditions } from './read-conditions.ts'
import { readClause } from './rules.ts'
import type { SegmentCondition } from './schema.ts'

export const segmentTables: RecordTables = { entity: 'segment', table: 'segments', parts: [] }

interface Given {
  name: string
  /** As requested, not validated. */
  clause: readonly object[]
}

/** The conditions that a request may contain: those of the v2 API, or all that the window offers. */
export type Grammar = 'api' | 'window'

interface ListOwner {
  organizationId: number
  mailingListId: number
}

interface CreateInput {
  organizationId: number
  mailingListId: number
  segment: Given
  grammar: Grammar
}

const createSegment: Command<CreateInput, number> = async (
  context,
  { organizationId, mailingListId, segment, grammar }
) => {
  await localListById(context.db, organizationId, mailingListId, 'segments')
  const clause = await readStoredClause(
    context.db,
    { organizationId, mailingListId },
    segment.clause,
    grammar
  )
  const { id } = await context.db
    .insertInto('segments')
    .values({
      mailing_list_id: mailingListId,
      ...namesOf(segment.name),
      clause: JSON.stringify(clause),
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'segment', 'create', { organizationId, mailingListId }, id)
  return id
}

interface Named {
  organizationId: number
  id: number
}

const updateSegment: Command<Named & { changes: Partial<Given>; grammar: Grammar }, void> = async (
  context,
  { organizationId, id, changes, grammar }
) => {
  const before = await storedSegmentById(context.db, organizationId, id)
  const owner = { organizationId, mailingListId: before.mailing_list_id }
  const clause = changes.clause && (await readStoredClause(context.db, owner, changes.clause, grammar))
  await recordEdit(context, segmentTables, owner, id, () =>
    context.db
      .updateTable('segments')
      .set({
        ...namesOf(changes.name ?? before.name),
        ...(clause && { clause: JSON.stringify(clause) }),
        updated_at: context.now
      })
      .where('id', '=', id)
      .execute()
  )
}

/**
 * @throws ApiError validation_failed with data.dependencies while an unfinished campaign or an autoresponder
 * uses it
 */
const deleteSegment: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await storedSegmentById(context.db, organizationId, id)
  refuseWhileNeeded('used_by', row.name, [
    ...(await campaignsUsing(context.db, 'segment', id)),
    ...(await autorespondersUsing(context.db, 'segmentation_criteria_id', id))
  ])
  // Sent campaigns still show the segment, so it is kept for them without a name.
  const sent = await context.db
    .selectFrom('campaigns')
    .select('id')
    .where('segment_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  const owner = { organizationId, mailingListId: row.mailing_list_id }
  await recordDeletion(context, segmentTables, owner, row, () =>
    (sent
      ? context.db.updateTable('segments').set({ name: null, name_key: null }).where('id', '=', id)
      : context.db.deleteFrom('segments').where('id', '=', id)
    ).execute()
  )
}

async function readStoredClause(
  db: Kysely<Schema>,
  owner: ListOwner,
  given: readonly object[],
  grammar: Grammar
): Promise<Condition[]> {
  const faults = new Faults()
  if (given.length === 0) faults.add(refusal('segment_without_conditions', { field: 'clause' }))
  const clause =
    grammar === 'api'
      ? await readCheckedClause(db, owner.organizationId, given, 'clause', faults)
      : await readCheckedConditions(db, owner, given, 'clause', faults)
  faults.throwIfAny()
  return clause
}

/**
 * Reads the conditions of a request. Their lists must belong to the organization and not be Remote Lists.
 * @param field the clause's name in the request
 */
export async function readCheckedClause(
  db: Kysely<Schema>,
  organizationId: number,
  given: readonly object[],
  field: string,
  faults: Faults
): Promise<SegmentCondition[]> {
  const clause = readClause(given, field, faults)
  const named = clause.map(({ mailing_list_id: id }, index) => ({ id, name: `${field}.${index}` }))
  await checkLists(db, organizationId, named, faults)
  return clause
}

/**
 * Reads the window's conditions. Their lists and campaigns must belong to the organization, their fields and
 * imports to the list.
 * @param field the clause's name in the request
 */
export async function readCheckedConditions(
  db: Kysely<Schema>,
  { organizationId, mailingListId }: ListOwner,
  given: readonly object[],
  field: string,
  faults: Faults
): Promise<Condition[]> {
  const fields = await fieldsOfList(db, organizationId, mailingListId)
  const clause = readConditions(given, field, fields, faults)
  const lists = [...new Set(listIdsOf(clause))].map((id) => ({ id, name: field }))
  await checkLists(db, organizationId, lists, faults)
  for (const leaf of leavesOf(clause)) {
    if (leaf.type === 'subscriber_import') {
      const named = { field: `${field}.subscriber_import_id`, id: leaf.subscriber_import_id }
      const found = await findImportOfList(db, mailingListId, leaf.subscriber_import_id)
      if (!found) faults.add(refusal('id_unknown', named))
      else if (!found.isKnown) {
        faults.add(refusal('import_of_earlier_version', named))
      }
    }
    if (leaf.type !== 'campaign') continue
    const named = { field: `${field}.campaign_id`, id: leaf.campaign_id }
    if (!(await isCampaignOf(db, organizationId, leaf.campaign_id))) faults.add(refusal('id_unknown', named))
    else if (leaf.operator.endsWith('sent') && !(await keepsRecipients(db, leaf.campaign_id))) {
      faults.add(refusal('sent_by_earlier_version', named))
    }
  }
  return clause
}

/**
 * Looks up the lists of conditions.
 * @param named their ids, and the name of each condition in the request
 */
async function checkLists(
  db: Kysely<Schema>,
  organizationId: number,
  named: readonly { id: number; name: string }[],
  faults: Faults
): Promise<void> {
  if (named.length === 0) return
  const lists = new Map((await mailingListsOf(db, organizationId)).map((list) => [list.id, list]))
  for (const { id, name } of named) {
    if (!Number.isSafeInteger(id)) continue
    const list = lists.get(id)
    const field = `${name}.mailing_list_id`
    if (!list) faults.add(refusal('id_unknown', { field, id }))
    else if (list.is_remote_list === 1) faults.add(refusal('remote_list_named', { field, id }))
  }
}

export const segmentCommands = {
  create: createSegment,
  update: updateSegment,
  delete: deleteSegment
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    segments: typeof segmentCommands
  }
}
