import type { Kysely } from 'kysely'
import type { ChangeAction, Schema } from '../../database/schema.ts'
import { isUndoableChange, type UndoableChange, type UndoableEntity } from '../../api/record-kinds.ts'

/** Returns a change of a single record that can be undone; undefined for other entries. */
export async function changeWithId(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<{ entity: UndoableChange; action: ChangeAction } | undefined> {
  const row = await db
    .selectFrom('change_log')
    .select(['entity', 'action'])
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row && isUndoableChange(row.entity) ? { entity: row.entity, action: row.action } : undefined
}

/** Returns the newest entry that contains the deleted record. */
export async function lastDeletion(
  db: Kysely<Schema>,
  organizationId: number,
  entity: UndoableEntity,
  recordId: number
): Promise<number | undefined> {
  const row = await db
    .selectFrom('change_log')
    .select('id')
    // The index covers only rows with details, of which there are few per day.
    .where('details', 'is not', null)
    .where('entity', '=', entity)
    .where('action', '=', 'delete')
    .where('organization_id', '=', organizationId)
    .where('first_id', '=', recordId)
    .where('last_id', '=', recordId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Deleted lists that can be restored, with how many subscribers they had. Times in UNIX milliseconds. */
export async function deletedLists(
  db: Kysely<Schema>,
  organizationId: number
): Promise<{ id: number; name: string; subscribers: number; deleted_at: number }[]> {
  return db
    .selectFrom('mailing_lists')
    .leftJoin('mailing_list_counts', 'mailing_list_counts.mailing_list_id', 'mailing_lists.id')
    .select((select) => [
      'mailing_lists.id',
      'mailing_lists.name',
      'mailing_lists.deleted_at',
      select.fn.coalesce(select.fn.sum<number>('subscribers'), select.lit(0)).as('subscribers')
    ])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is not', null)
    .where('purged_at', 'is', null)
    .where('expired', '=', 0)
    .groupBy('mailing_lists.id')
    .orderBy('deleted_at', 'desc')
    .$narrowType<{ deleted_at: number }>()
    .execute()
}
