import { randomBytes } from 'node:crypto'
import type { Command } from '../database/command.ts'
import type { SettingsChanges } from './schema.ts'

/** Sets the directives that are named and keeps the rest. They were checked against their schema. */
export const updateSettings: Command<SettingsChanges, void> = async (context, changes) => {
  for (const [name, value] of Object.entries(changes)) {
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
