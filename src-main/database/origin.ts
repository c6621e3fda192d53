import { AsyncLocalStorage } from 'node:async_hooks'

/** How a change was asked for. */
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

/** Where a change comes from, for the change log. */
export interface Origin {
  via: ChangeVia
  /** The API key, the import or the bulk action that it came by. */
  causeId: number | null
  userId: number | null
}

/** What somebody does with a command of the terminal. */
export const commandLine: Origin = { via: 'command_line', causeId: null, userId: null }

/**
 * Where the request comes from that is being answered: each command that is run for it is told, without a route having to
 * pass it on.
 */
export const requestOrigin = new AsyncLocalStorage<Origin>()

/** The version of the data that a request is based on. */
export interface RequestBase {
  /** An entry of the change log: the last one when the caller read the record, and then the last one of the request itself. */
  lastChange: number
}

/** The base of the request that is being answered. A command is refused with "conflict" if a record that it changes has a later entry. */
export const requestBase = new AsyncLocalStorage<RequestBase>()
