import { type Kysely, sql, type SqlBool } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Schema } from '../../database/schema.ts'
import type { FieldDefinition } from './rules.ts'

/** All values of a field, or those of the options with these ids. */
export type LostValues = 'all' | number[]

/** Subscribers scanned between two other questions; about 30 ms of work. */
const lookedAtOnce = 20_000

/** True if a subscriber (a row of `subscribers`) has such a value. */
function hasValue(fieldId: number, values: LostValues) {
  const path = `$."${fieldId}"`
  return values === 'all'
    ? sql<SqlBool>`json_type(custom_fields, ${path}) IS NOT NULL`
    : sql<SqlBool>`EXISTS (SELECT 1 FROM json_each(custom_fields, ${path}) AS option
        WHERE option.value IN (${sql.join(values)}))`
}

/** Returns the last id of the change log. Changes after a scan of the subscribers have higher ids. */
export async function endOfChangeLog(db: Kysely<Schema>): Promise<number> {
  const { last } = await db
    .selectFrom('change_log')
    .select((select) => select.fn.max<number | null>('id').as('last'))
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/** True if a subscriber of the lists has a value. Scans all of them, so not for the API's thread. */
export async function isInUse(
  db: Kysely<Schema>,
  mailingListIds: readonly number[],
  fieldId: number,
  values: LostValues
): Promise<boolean> {
  for (const mailingListId of mailingListIds) {
    for (let afterId = 0; ;) {
      const some = db
        .selectFrom('subscribers')
        .select(['id', hasValue(fieldId, values).as('has_value')])
        .where('mailing_list_id', '=', mailingListId)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(lookedAtOnce)
      const { last, found } = await db
        .selectFrom(some.as('some'))
        .select((select) => [
          select.fn.max<number | null>('id').as('last'),
          select.fn.max<number | null>('has_value').as('found')
        ])
        .executeTakeFirstOrThrow()
      if (found === 1) return true
      if (last === null) break
      afterId = last
      await nextTurn()
    }
  }
  return false
}

const maxChanged = 20_000

/** True if a subscriber that changed since a scan has a value; unknown if too many changed. */
export async function useSince(
  db: Kysely<Schema>,
  { id, organizationId, mailingListId }: FieldDefinition,
  values: LostValues,
  since: number
): Promise<'used' | 'unused' | 'unknown'> {
  const changed = await db
    .selectFrom('change_log')
    .select(['first_id', 'last_id'])
    .where('id', '>', since)
    .where('entity', '=', 'subscriber')
    .where('action', '!=', 'delete')
    .where('organization_id', '=', organizationId)
    .$if(mailingListId !== null, (query) => query.where('mailing_list_id', '=', mailingListId))
    .execute()
  if (changed.reduce((sum, run) => sum + run.last_id - run.first_id + 1, 0) > maxChanged) return 'unknown'
  for (const { first_id, last_id } of changed) {
    const found = await db
      .selectFrom('subscribers')
      .select('id')
      .where('id', '>=', first_id)
      .where('id', '<=', last_id)
      .where(hasValue(id, values))
      .limit(1)
      .executeTakeFirst()
    if (found) return 'used'
  }
  return 'unused'
}
