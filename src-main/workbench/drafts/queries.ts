import type { Kysely } from 'kysely'
import type { Caller } from '../../http/caller.ts'
import type { Schema } from '../../database/schema.ts'

/** Returns the names and places of a user's drafts, newest first. */
export async function draftsOf(db: Kysely<Schema>, { userId, organizationId }: Caller) {
  return db
    .selectFrom('drafts')
    .select(['name', 'title', 'path', 'updated_at'])
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .orderBy('updated_at', 'desc')
    .execute()
}

export async function draftNamed(db: Kysely<Schema>, { userId, organizationId }: Caller, name: string) {
  return db
    .selectFrom('drafts')
    .select(['base', 'state', 'updated_at'])
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst()
}
