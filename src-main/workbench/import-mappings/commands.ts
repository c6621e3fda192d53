import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Command } from '../../database/command.ts'
import { deleteNamed, type ListInput, saveNamed } from '../named-settings/commands.ts'
import { headerKey } from './queries.ts'
import type { MappingSettings, RememberedColumnInput } from './schema.ts'

/** Saves a mapping under a name; one of that name is replaced. @returns its id */
const saveImportMapping: Command<ListInput & { name: string; settings: MappingSettings }, number> = (
  context,
  { name, settings, ...list }
) => saveNamed(context, 'import_mappings', list, name, settings)

/** @throws ApiError not_found */
const deleteImportMapping: Command<ListInput & { id: number }, void> = (context, { id, ...list }) =>
  deleteNamed(context, 'import_mappings', list, id, 'import mapping')

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
