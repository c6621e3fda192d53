import { type Kysely, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Dependency } from '../../http/dependencies.ts'
import { type Condition, leavesOf } from './conditions.ts'

/**
 * Returns the stored segments of existing lists with a condition on a custom field or campaign.
 * @param optionIds only those with one of these options
 */
export async function segmentsNaming(
  db: Kysely<Schema>,
  key: 'custom_field_id' | 'campaign_id',
  id: number,
  optionIds?: readonly number[]
): Promise<Dependency[]> {
  const rows = await db
    .selectFrom('segments')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'segments.mailing_list_id')
    .select(['segments.id', 'segments.name', 'clause'])
    .where('segments.name', 'is not', null)
    .where('mailing_lists.deleted_at', 'is', null)
    .where(sql<SqlBool>`instr(clause, ${`"${key}":${id}`}) > 0`)
    .orderBy('segments.id')
    .$narrowType<{ name: string }>()
    .execute()
  // The SQL also finds ids that begin with the wanted one, such as 123 for 12.
  const names = (condition: Condition): boolean => {
    if (!(key in condition) || Reflect.get(condition, key) !== id) return false
    const chosen = 'option_ids' in condition ? (condition.option_ids ?? []) : []
    return optionIds === undefined || chosen.some((option) => optionIds.includes(option))
  }
  return rows
    .filter(({ clause }) => leavesOf(JSON.parse(clause) as Condition[]).some(names))
    .map(({ clause: _, ...row }) => ({ type: 'segment', ...row }))
}
