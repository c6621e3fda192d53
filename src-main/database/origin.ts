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

/** What a request was based on. */
export interface RequestBase {
  /** The last entry of the change log when the caller read what it changes now, or of what the request has changed since. */
  lastChange: number
}

/**
 * What the request is based on that is being answered. A command is refused with "conflict" if something that it changes has a later
 * entry; without a value nothing is compared.
 */
export const requestBase = new AsyncLocalStorage<RequestBase>()
