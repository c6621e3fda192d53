import { conflictCommands } from './commands/conflicts.ts'
import { linkCommands } from './commands/links.ts'
import { listCommands } from './commands/lists.ts'
import { refusalCommands } from './commands/refusals.ts'
import { remoteCommands } from './commands/remotes.ts'
import { runCommands } from './commands/runs.ts'
import { subscriberCommands } from './commands/subscribers.ts'

export const syncCommands = {
  ...remoteCommands,
  ...runCommands,
  ...linkCommands,
  ...listCommands,
  ...subscriberCommands,
  ...refusalCommands,
  ...conflictCommands
}

declare module '../database/command.ts' {
  interface CommandRegistry {
    syncs: typeof syncCommands
  }
}
