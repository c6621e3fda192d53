import { randomBytes } from 'node:crypto'
import { type Command, evenIfDamaged, recordOne } from '../database/command.ts'
import { currentSettings } from './queries.ts'
import { defaultSettings, type SettingsChanges } from './schema.ts'
import type { ClockState } from '../jobs/retention.ts'

/**
 * Sets directives; unknown names, such as those of secrets, are ignored.
 * @param organizationId for the audit log
 */
const updateSettings: Command<SettingsChanges & { organizationId: number }, void> = async (
  context,
  { organizationId, ...changes }
) => {
  const before = await currentSettings(context.db)
  const changed: Partial<Record<keyof SettingsChanges, [before: unknown, now: unknown]>> = {}
  for (const name of Object.keys(defaultSettings) as (keyof SettingsChanges)[]) {
    const value = changes[name]
    if (value === undefined || value === before[name]) continue
    changed[name] = [shortened(before[name]), shortened(value)]
    await context.db
      .replaceInto('settings')
      .values({ name, value: JSON.stringify(value) })
      .execute()
  }
  if (Object.keys(changed).length === 0) return
  recordOne(context, 'settings', 'update', { organizationId }, 0, changed)
}

/** Characters of a text that the audit log contains. */
export const maxTold = 100

/** Terms and conditions are long: that they are others is enough to know. */
function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > maxTold ? `${value.slice(0, maxTold)}…` : value
}

/** Creates the installation's secret on the first start. */
export const ensureSigningSecret: Command<void, void> = async (context) => {
  await context.db
    .insertInto('settings')
    .values({ name: 'signing_secret', value: JSON.stringify(randomBytes(32).toString('hex')) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Remembers what the clock said. */
export const recordClock: Command<ClockState, void> = async (context, state) => {
  await context.db
    .replaceInto('settings')
    .values({ name: 'clock', value: JSON.stringify(state) })
    .execute()
}

export const settingCommands = {
  update: updateSettings,
  ensureSigningSecret: evenIfDamaged(ensureSigningSecret),
  recordClock
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    settings: typeof settingCommands
  }
}
