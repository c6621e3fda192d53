import { type Command, recordOne } from '../../database/command.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { listPagesOf } from './queries.ts'
import type { ListPages, ListPagesChanges } from './schema.ts'

interface Update {
  organizationId: number
  mailingListId: number
  changes: ListPagesChanges
}

const updateListPages: Command<Update, ListPages> = async (
  context,
  { organizationId, mailingListId, changes }
) => {
  await mailingListById(context.db, organizationId, mailingListId)
  const pages = { ...(await listPagesOf(context.db, mailingListId)), ...changes }
  await context.db
    .replaceInto('list_pages')
    .values({ mailing_list_id: mailingListId, ...pages, is_public: Number(pages.is_public) })
    .execute()
  recordOne(context, 'mailing_list', 'update', { organizationId, mailingListId }, mailingListId)
  return pages
}

export const listPagesCommands = { update: updateListPages }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    listPages: typeof listPagesCommands
  }
}
