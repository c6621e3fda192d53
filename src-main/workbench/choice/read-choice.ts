import type { Kysely } from 'kysely'
import type { FieldDefinition } from '../../api/custom-fields/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { localListById, type MailingListRow } from '../../api/mailing-lists/queries.ts'
import { readCheckedConditions } from '../../api/segments/commands.ts'
import { type Condition, fieldKindOf } from '../../api/segments/conditions.ts'
import { clauseOf, requireListsOf, segmentOfList, type StoredSegmentRow } from '../../api/segments/queries.ts'
import { momentIn, resolveConditions } from '../../api/segments/settled.ts'
import { Faults } from '../../base/errors.ts'
import type { Schema } from '../../database/schema.ts'
import type { Caller } from '../../http/caller.ts'
import type { Choice } from '../../segments/chosen.ts'
import { requirePermissionsFor } from './condition-permissions.ts'
import type { ChoiceInput } from './schema.ts'

interface ReadChoice {
  list: MailingListRow
  fields: readonly FieldDefinition[]
  segment: StoredSegmentRow | null
  /** The request's conditions, besides the segment. */
  clause: Condition[]
  choice: Choice
}

/**
 * Reads which subscribers of a list the window selected.
 * @throws ApiError validation_failed, not_found, not_authorized
 */
export async function readChoice(
  reader: Kysely<Schema>,
  caller: Caller,
  listId: number,
  input: ChoiceInput
): Promise<ReadChoice> {
  const list = await localListById(reader, caller.organizationId, listId, 'subscribers')
  const fields = await fieldsOfList(reader, caller.organizationId, list.id)
  const owner = { organizationId: caller.organizationId, mailingListId: list.id }
  const faults = new Faults()
  const clause = await readCheckedConditions(reader, owner, input.clause, 'clause', faults)
  faults.throwIfAny()
  requirePermissionsFor(caller, clause)
  const segment = input.segment_id === null ? null : await segmentOfList(reader, list.id, input.segment_id)
  const whole = segment ? [...clause, ...clauseOf(segment)] : clause
  await requireListsOf(reader, whole)
  const isText = ({ type }: FieldDefinition): boolean => fieldKindOf(type) === 'text'
  return {
    list,
    fields,
    segment,
    clause,
    choice: {
      mailingListId: list.id,
      clause: resolveConditions(whole, momentIn(caller.timeZone)),
      search: input.search.trim(),
      textFieldIds: fields.filter(isText).map(({ id }) => id),
      sorting: null
    }
  }
}
