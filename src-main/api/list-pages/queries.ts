import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { PageLook } from '../../public-pages/look.ts'
import type { ListPages } from './schema.ts'

const usual: ListPages = { language: null, color: '', logo: '', is_public: false, description: '' }

/** Returns how the pages of a list look; without settings, the usual way. */
export async function listPagesOf(db: Kysely<Schema>, mailingListId: number): Promise<ListPages> {
  const row = await db
    .selectFrom('list_pages')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  if (!row) return usual
  const { language, color, logo, is_public, description } = row
  return { language, color, logo, is_public: is_public === 1, description }
}

/** Returns the look of a list's pages, with its name and its sender. */
export async function lookOfList(
  db: Kysely<Schema>,
  list: { id: number; name: string; d_from_name: string | null }
): Promise<PageLook> {
  const { language, color, logo } = await listPagesOf(db, list.id)
  return { list: list.name, sender: list.d_from_name ?? '', language, color, logo }
}

export interface PublicList {
  id: number
  name: string
  description: string
}

/** Returns the lists of an organization that visitors may choose, by name. Remote Lists have no subscribers of their own. */
export function publicListsOf(db: Kysely<Schema>, organizationId: number): Promise<PublicList[]> {
  return db
    .selectFrom('list_pages')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select(['mailing_lists.id', 'mailing_lists.name', 'list_pages.description'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('is_remote_list', '=', 0)
    .where('is_public', '=', 1)
    .orderBy('mailing_lists.name')
    .execute()
}
