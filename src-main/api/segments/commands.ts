import type { Kysely } from 'kysely'
import { type Command, recordOne } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import { Faults } from '../../base/errors.ts'
import { autorespondersUsing } from '../autoresponders/uses.ts'
import { campaignsUsing } from '../campaigns/uses.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { namesOf } from '../../http/names.ts'
import { localListById, mailingListsOf } from '../mailing-lists/queries.ts'
import { storedSegmentById } from './queries.ts'
import { readClause } from './rules.ts'
import type { SegmentChanges, SegmentCondition, SegmentInput } from './schema.ts'

interface CreateInput {
  organizationId: number
  mailingListId: number
  segment: SegmentInput
}

/** Stores a segment of a list. @returns its id */
const createSegment: Command<CreateInput, number> = async (
  context,
  { organizationId, mailingListId, segment }
) => {
  await localListById(context.db, organizationId, mailingListId, 'segments')
  const clause = await readStoredClause(context.db, organizationId, segment.clause)
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

/** Changes what the request names and keeps the rest. */
const updateSegment: Command<Named & { changes: SegmentChanges }, void> = async (
  context,
  { organizationId, id, changes }
) => {
  const before = await storedSegmentById(context.db, organizationId, id)
  const clause = changes.clause && (await readStoredClause(context.db, organizationId, changes.clause))
  await context.db
    .updateTable('segments')
    .set({
      ...namesOf(changes.name ?? before.name),
      ...(clause && { clause: JSON.stringify(clause) }),
      updated_at: context.now
    })
    .where('id', '=', id)
    .execute()
  recordOne(context, 'segment', 'update', { organizationId, mailingListId: before.mailing_list_id }, id)
}

/**
 * Removes a segment.
 * @throws ApiError validation_failed with data.dependencies while an unfinished campaign or an autoresponder uses it
 */
const deleteSegment: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await storedSegmentById(context.db, organizationId, id)
  refuseWhileNeeded(row.name, 'is used by', [
    ...(await campaignsUsing(context.db, 'segment', id)),
    ...(await autorespondersUsing(context.db, 'segmentation_criteria_id', id))
  ])
  // What was sent to it still tells to whom: it stays for those campaigns, without a name.
  const sent = await context.db
    .selectFrom('campaigns')
    .select('id')
    .where('segment_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  await (
    sent
      ? context.db.updateTable('segments').set({ name: null, name_key: null }).where('id', '=', id)
      : context.db.deleteFrom('segments').where('id', '=', id)
  ).execute()
  recordOne(context, 'segment', 'delete', { organizationId, mailingListId: row.mailing_list_id }, id)
}

async function readStoredClause(
  db: Kysely<Schema>,
  organizationId: number,
  given: Record<string, unknown>[]
): Promise<SegmentCondition[]> {
  const faults = new Faults()
  if (given.length === 0) faults.add('clause cannot be blank')
  const clause = await readCheckedClause(db, organizationId, given, 'clause', faults)
  faults.throwIfAny()
  return clause
}

/**
 * The conditions of a request, whose lists must be of the organization and have subscribers of their own.
 * @param field what the client calls the clause
 */
export async function readCheckedClause(
  db: Kysely<Schema>,
  organizationId: number,
  given: Record<string, unknown>[],
  field: string,
  faults: Faults
): Promise<SegmentCondition[]> {
  const clause = readClause(given, field, faults)
  const lists = new Map((await mailingListsOf(db, organizationId)).map((list) => [list.id, list]))
  for (const [index, { mailing_list_id: listId }] of clause.entries()) {
    if (!Number.isSafeInteger(listId)) continue
    const list = lists.get(listId)
    if (!list) faults.add(`${field}.${index}.mailing_list_id ${listId} does not exist`)
    else if (list.is_remote_list === 1) {
      faults.add(`${field}.${index}.mailing_list_id ${listId} is a Remote List, which has no subscribers`)
    }
  }
  return clause
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
