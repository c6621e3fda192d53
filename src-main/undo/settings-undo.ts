import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import type { CommandContext } from '../database/command.ts'
import { maxTold, settingCommands } from '../settings/commands.ts'
import { currentSettings } from '../settings/queries.ts'
import type { SettingsChanges } from '../settings/schema.ts'

type SettingName = keyof SettingsChanges

/**
 * Reverts a change of settings.
 * @param details from the change log: the value of each setting before and after
 * @throws ApiError validation_failed with a sentence if one has changed since, or its former value is not
 * stored completely
 */
export async function revertSettings(
  context: CommandContext,
  organizationId: number,
  details: string | null
): Promise<void> {
  const changes = Object.entries(
    JSON.parse(details ?? '{}') as Partial<Record<SettingName, [unknown, unknown]>>
  )
  const now = await currentSettings(context.db)
  for (const [name, [before, after]] of changes) {
    // Of long texts only the beginning is stored.
    if ([before, after].some((value) => typeof value === 'string' && value.length > maxTold))
      throw validationFailed(refusal('change_unknown'))
    if (now[name as SettingName] !== after) throw validationFailed(refusal('changed_again'))
  }
  const former = Object.fromEntries(changes.map(([name, [before]]) => [name, before])) as SettingsChanges
  await settingCommands.update(context, { ...former, organizationId })
}
