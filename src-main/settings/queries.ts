import type { Kysely } from 'kysely'
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Schema } from '../database/schema.ts'
import { defaultSettings, type Settings } from './schema.ts'
import type { ClockState } from '../jobs/retention.ts'

/** Returns the directives; those never set have their default. */
export async function currentSettings(db: Kysely<Schema>): Promise<Settings> {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('name', 'in', Object.keys(defaultSettings))
    .execute()
  const stored = Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  return { ...defaultSettings, ...(stored as Partial<Settings>) }
}

/** The secret with which this installation signs what it hands out; made by ensureSigningSecret. */
export async function signingSecret(db: Kysely<Schema>): Promise<KeyObject> {
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'signing_secret')
    .executeTakeFirstOrThrow()
  return createSecretKey(Buffer.from(JSON.parse(value) as string, 'hex'))
}

/** null = never stored. */
export async function clockState(db: Kysely<Schema>): Promise<ClockState | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'clock').executeTakeFirst()
  return row ? (JSON.parse(row.value) as ClockState) : null
}
