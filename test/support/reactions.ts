import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import type { StartedApplication } from './application.ts'

/** A message that an autoresponder is to send, as the delivery finds it. */
export interface Reaction {
  autoresponder: string
  subscriber_id: number
  /** UNIX milliseconds */
  due_at: number
  created_at: number
  content_replacement_fields: Record<string, string>
}

/** The messages that are queued for the subscribers of a list, in the order in which they were queued. */
export function reactionsOf({ dataDirectory }: StartedApplication, listId: number): Reaction[] {
  const database = new SQLite(join(dataDirectory, 'listwright.db'), { readonly: true })
  try {
    return database
      .prepare<[number], Reaction & { content_replacement_fields: string }>(
        `SELECT autoresponders.name AS autoresponder, subscriber_id, due_at, autoresponder_reactions.created_at,
           content_replacement_fields
         FROM autoresponder_reactions JOIN autoresponders ON autoresponders.id = autoresponder_id
         WHERE mailing_list_id = ? ORDER BY autoresponder_reactions.id`
      )
      .all(listId)
      .map((row) => ({
        ...row,
        content_replacement_fields: JSON.parse(row.content_replacement_fields) as Record<string, string>
      }))
  } finally {
    database.close()
  }
}
