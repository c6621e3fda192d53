import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { type ClockState, checkClock } from '../jobs/retention.ts'
import { clockState } from './queries.ts'

/** Decides whether the clock is plausible, from its last value and the run time since. */
export class Clock {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  /** By performance.now(), which changes of the clock do not affect; null before the first read. */
  #lookedAt: number | null = null

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    this.#writer = writer
  }

  /**
   * Reads and stores the clock.
   * @returns true if data may be deleted by age at `now` (UNIX milliseconds)
   */
  async isBelieved(now: number): Promise<boolean> {
    const at = performance.now()
    const lived = this.#lookedAt === null ? 0 : at - this.#lookedAt
    this.#lookedAt = at
    const before = (await clockState(this.#reader)) ?? (await lastChange(this.#reader))
    const { isBelieved, ...state } = checkClock(before, now, lived)
    await this.#writer.run('settings.recordClock', state)
    return isBelieved
  }
}

/** Without a stored clock, the last change gives its last value. */
async function lastChange(reader: Kysely<Schema>): Promise<ClockState | null> {
  const row = await reader
    .selectFrom('change_log')
    .select('at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? { seenAt: row.at, livedSinceJump: null } : null
}
