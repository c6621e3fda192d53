import type { Command } from '../../database/command.ts'
import { deleteNamed, type ListInput, saveNamed } from '../named-settings/commands.ts'
import type { ViewSettings } from './schema.ts'

const saveTableView: Command<ListInput & { name: string; settings: ViewSettings }, number> = (
  context,
  { name, settings, ...list }
) => saveNamed(context, 'table_views', list, name, settings)

/** @throws ApiError not_found */
const deleteTableView: Command<ListInput & { id: number }, void> = (context, { id, ...list }) =>
  deleteNamed(context, 'table_views', list, id, 'view')

export const tableViewCommands = { save: saveTableView, delete: deleteTableView }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    tableViews: typeof tableViewCommands
  }
}
