import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { CopiesSetting } from './copies.ts'

/** Where encrypted copies go; null where none are made. */
export async function copiesSetting(db: Kysely<Schema>): Promise<CopiesSetting | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'backup_copies')
    .executeTakeFirst()
  return row ? (JSON.parse(row.value) as CopiesSetting | null) : null
}
