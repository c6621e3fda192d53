import { randomBytes } from 'node:crypto'
import type { Command } from '../database/command.ts'
import { defaultSettings, type SettingsChanges } from './schema.ts'
import type { ClockState } from '../jobs/retention.ts'

/** Sets the directives that are named and keeps the rest; other names, such as those of secrets, are ignored. */
const updateSettings: Command<SettingsChanges, void> = async (context, changes) => {
  for (const name of Object.keys(defaultSettings) as (keyof SettingsChanges)[]) {
    const value = changes[name]
    if (value === undefined) continue
    await context.db
      .replaceInto('settings')
      .values({ name, value: JSON.stringify(value) })
      .execute()
  }
}

/** On the first start: a secret of this installation. Later: nothing. */
export const ensureSigningSecret: Command<void, void> = async (context) => {
  await context.db
    .insertInto('settings')
    .values({ name: 'signing_secret', value: JSON.stringify(randomBytes(32).toString('hex')) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Remembers what the clock said. */
export const noteClock: Command<ClockState, void> = async (context, state) => {
  await context.db
    .replaceInto('settings')
    .values({ name: 'clock', value: JSON.stringify(state) })
    .execute()
}

export const settingCommands = {
  update: updateSettings,
  ensureSigningSecret,
  noteClock
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    settings: typeof settingCommands
  }
}
