import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { type ClockState, lookAtClock } from '../jobs/retention.ts'
import { clockState } from './queries.ts'

/** Tells whether the clock can be believed, by what it said before and how long the application has run since. */
export class Clock {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  /** By performance.now(), which no change of the clock moves; null before the first look. */
  #lookedAt: number | null = null

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  /** Looks at the clock and remembers it. @returns whether anything may be removed by its age at `now` (UNIX milliseconds) */
  async isBelieved(now: number): Promise<boolean> {
    const at = performance.now()
    const lived = this.#lookedAt === null ? 0 : at - this.#lookedAt
    this.#lookedAt = at
    const before = (await clockState(this.#reader)) ?? (await lastChange(this.#reader))
    const { isBelieved, ...state } = lookAtClock(before, now, lived)
    await this.#writer.run('settings.noteClock', state)
    return isBelieved
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
  return row ? { seenAt: row.at, livedSinceJump: null } : null
}
