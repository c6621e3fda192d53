import { AsyncLocalStorage } from 'node:async_hooks'

export type ChangeVia =
  | 'window'
  | 'api_key'
  /** A link in a message, which needs no key. */
  | 'link'
  | 'subscriber_import'
  | 'import_undo'
  | 'bulk_action'
  | 'bulk_action_undo'
  | 'sync'
  | 'command_line'

/** The origin of a change, for the change log. */
export interface Origin {
  via: ChangeVia
  /** The API key, the import or the bulk action that it came by. */
  causeId: number | null
  userId: number | null
}

/** The origin of changes made by a command of the terminal. */
export const commandLine: Origin = { via: 'command_line', causeId: null, userId: null }

/**
 * The origin of the request that is being answered. Each of its commands gets it without routes passing it
 * on.
 */
export const requestOrigin = new AsyncLocalStorage<Origin>()

/** The version of the data that a request is based on. */
export interface RequestBase {
  /** An entry of the change log: the last one when the caller read the record, and then the last one of the request itself. */
  lastChange: number
}

/** The base of the request that is being answered. A command is refused with "conflict" if a record that it changes has a later entry. */
export const requestBase = new AsyncLocalStorage<RequestBase>()
