import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Command } from '../../database/command.ts'
import { notFound } from '../../base/errors.ts'
import { headerKey } from './queries.ts'
import type { MappingSettings, RememberedColumnInput } from './schema.ts'

interface ListInput {
  organizationId: number
  mailingListId: number
}

/** Saves a mapping under a name; one of that name is replaced. @returns its id */
const saveImportMapping: Command<ListInput & { name: string; settings: MappingSettings }, number> = async (
  context,
  { organizationId, mailingListId, name, settings }
) => {
  await mailingListById(context.db, organizationId, mailingListId)
  const saved = { name: name.trim(), settings: JSON.stringify(settings), updated_at: context.now }
  const { id } = await context.db
    .insertInto('import_mappings')
    .values({
      ...saved,
      mailing_list_id: mailingListId,
      name_key: saved.name.toLowerCase(),
      created_at: context.now
    })
    .onConflict((conflict) => conflict.columns(['mailing_list_id', 'name_key']).doUpdateSet(saved))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @throws ApiError not_found */
const deleteImportMapping: Command<ListInput & { id: number }, void> = async (
  context,
  { organizationId, mailingListId, id }
) => {
  await mailingListById(context.db, organizationId, mailingListId)
  const { numDeletedRows } = await context.db
    .deleteFrom('import_mappings')
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound(`import mapping ${id}`)
}

/** Remembers where the columns of a file went, and how its dates were written, for the next one with the same headers. */
export const rememberColumns: Command<ListInput & { columns: RememberedColumnInput[] }, void> = async (
  context,
  { organizationId, mailingListId, columns }
) => {
  await mailingListById(context.db, organizationId, mailingListId)
  for (const { header, target, date_format } of columns) {
    const header_key = headerKey(header)
    if (header_key === '') continue
    await context.db
      .insertInto('remembered_columns')
      .values({ mailing_list_id: mailingListId, header_key, target, date_format })
      // Dates whose order could be told this time leave what was chosen before.
      .onConflict((conflict) => conflict.doUpdateSet({ target, ...(date_format && { date_format }) }))
      .execute()
  }
}

export const importMappingCommands = {
  save: saveImportMapping,
  delete: deleteImportMapping,
  rememberColumns
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    importMappings: typeof importMappingCommands
  }
}
