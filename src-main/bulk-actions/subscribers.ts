import type { CommandContext } from '../database/command.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import type { Kept } from './work.ts'

/** The subscribers of a list that have these ids, by id; those who are gone are left out. */
export function subscribersWithIds(
  context: CommandContext,
  mailingListId: number,
  ids: readonly number[]
): Promise<SubscriberRow[]> {
  return context.db
    .selectFrom('subscribers')
    .selectAll()
    .where('id', 'in', [...ids])
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('id')
    .execute()
}

/** Splits subscribers by whether they changed since a time; deleted ones are in neither part. */
export async function untouchedSince(
  context: CommandContext,
  mailingListId: number,
  ids: readonly number[],
  writtenAt: number
): Promise<{ rows: SubscriberRow[]; kept: Kept[] }> {
  const found = await subscribersWithIds(context, mailingListId, ids)
  return {
    rows: found.filter(({ updated_at }) => updated_at === writtenAt),
    kept: found
      .filter(({ updated_at }) => updated_at !== writtenAt)
      .map(({ id, email }) => ({ id, email, reason: 'changed' }))
  }
}

/** All columns of a subscriber: one that is forgotten here does not compile, since copies, moves and undos would lose it. */
const everyColumn: Record<keyof SubscriberRow, true> = {
  id: true,
  mailing_list_id: true,
  email: true,
  email_key: true,
  alternate_key: true,
  status: true,
  confirmed: true,
  email_format: true,
  subscribe_time: true,
  subscribe_ip: true,
  remove_time: true,
  remove_ip: true,
  custom_fields: true,
  created_at: true,
  updated_at: true
}
const columns = Object.keys(everyColumn) as (keyof SubscriberRow)[]

/** Adds a subscriber, as often as it is called. @returns what answers whether it did: not where the list has one with its key, or its id is taken */
export function inserterOf({ sqlite }: CommandContext): (row: SubscriberRow) => boolean {
  const insert = sqlite.prepare(
    `INSERT INTO subscribers (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT DO NOTHING`
  )
  return (row) => insert.run(columns.map((column) => row[column])).changes === 1
}

/**
 * Returns a function that overwrites a subscriber's columns. It returns false if the list has another
 * subscriber with the same key.
 */
export function overwriterOf({ sqlite }: CommandContext): (row: SubscriberRow) => boolean {
  const changed = columns.filter((column) => column !== 'id')
  const update = sqlite.prepare(
    `UPDATE OR IGNORE subscribers SET ${changed.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`
  )
  return (row) => update.run([...changed.map((column) => row[column]), row.id]).changes === 1
}
