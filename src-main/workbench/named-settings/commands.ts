import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { notFound } from '../../base/errors.ts'
import type { CommandContext } from '../../database/command.ts'
import type { NamedTable } from './queries.ts'

export interface ListInput {
  organizationId: number
  mailingListId: number
}

/** Saves settings under a name; those of that name, in any letter case, are replaced. @returns their id */
export async function saveNamed(
  { db, now }: CommandContext,
  table: NamedTable,
  { organizationId, mailingListId }: ListInput,
  name: string,
  settings: object
): Promise<number> {
  await mailingListById(db, organizationId, mailingListId)
  const saved = { name: name.trim(), settings: JSON.stringify(settings), updated_at: now }
  const { id } = await db
    .insertInto(table)
    .values({
      ...saved,
      mailing_list_id: mailingListId,
      name_key: saved.name.toLowerCase(),
      created_at: now
    })
    .onConflict((conflict) => conflict.columns(['mailing_list_id', 'name_key']).doUpdateSet(saved))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @param what it is, for who asks for one that is not there @throws ApiError not_found */
export async function deleteNamed(
  { db }: CommandContext,
  table: NamedTable,
  { organizationId, mailingListId }: ListInput,
  id: number,
  what: string
): Promise<void> {
  await mailingListById(db, organizationId, mailingListId)
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound(what, id)
}
