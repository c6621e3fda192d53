import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Command } from '../../database/command.ts'
import { deleteNamed, type ListInput, saveNamed } from '../named-settings/commands.ts'
import { type ReadingColumn, rememberedKey } from '../../contact-files/schema.ts'
import type { MappingSettings } from './schema.ts'

const saveImportMapping: Command<ListInput & { name: string; settings: MappingSettings }, number> = (
  context,
  { name, settings, ...list }
) => saveNamed(context, 'import_mappings', list, name, settings)

/** @throws ApiError not_found */
const deleteImportMapping: Command<ListInput & { id: number }, void> = (context, { id, ...list }) =>
  deleteNamed(context, 'import_mappings', list, id, 'import mapping')

/** Remembers how the columns of a file were read, for the next one with the same headers. */
export const rememberColumns: Command<ListInput & { columns: ReadingColumn[] }, void> = async (
  context,
  { organizationId, mailingListId, columns }
) => {
  await mailingListById(context.db, organizationId, mailingListId)
  for (const column of columns) {
    const header_key = rememberedKey(column.header)
    if (header_key === '') continue
    const { target, date_order: date_format } = column
    const reading = JSON.stringify(column)
    await context.db
      .insertInto('remembered_columns')
      .values({ mailing_list_id: mailingListId, header_key, target, date_format, reading })
      .onConflict((conflict) => conflict.doUpdateSet({ target, date_format, reading }))
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
