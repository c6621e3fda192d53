import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { type ClockState, lookAtClock } from '../jobs/retention.ts'
import { clockState } from './queries.ts'

/** Looks at the clock and remembers it. @returns whether anything may be removed by its age at `now` (UNIX milliseconds) */
export async function isClockBelieved(reader: Kysely<Schema>, writer: Writer, now: number): Promise<boolean> {
  const { isBelieved, ...state } = lookAtClock((await clockState(reader)) ?? (await lastChange(reader)), now)
  await writer.run('settings.noteClock', state)
  return isBelieved
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
