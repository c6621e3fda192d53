import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { importsWithOldLogs } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { logDirectory } from './logs.ts'
import { clockState } from '../settings/queries.ts'
import { type ClockState, lookAtClock } from '../jobs/retention.ts'

/** Logs are kept for 7 days after the import finished (spec, "Limits"). */
const keptFor = 7 * 24 * 60 * 60 * 1000

/** Removes the logs of imports that ended more than 7 days before `now` (UNIX milliseconds), while the clock can be believed. */
export async function purgeOldLogs(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  now: number
): Promise<void> {
  const clock = lookAtClock((await clockState(reader)) ?? (await lastChange(reader)), now)
  await writer.run('settings.noteClock', { seenAt: clock.seenAt, jumpedAt: clock.jumpedAt })
  if (!clock.isBelieved) return
  for (const { id } of await importsWithOldLogs(reader, now - keptFor)) {
    await rm(logDirectory(dataDirectory, id), { recursive: true, force: true })
    await writer.run('subscriberImports.notePurgedLogs', { id })
  }
}

/** Before the clock was ever noted, the last change tells when it was looked at. */
async function lastChange(reader: Kysely<Schema>): Promise<ClockState | null> {
  const row = await reader
    .selectFrom('change_log')
    .select('at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? { seenAt: row.at, jumpedAt: null } : null
}
