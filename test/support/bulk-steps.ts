import type { BulkActionInput } from '../../src-main/api/bulk-actions/schema.ts'
import { packIds } from '../../src-main/api/bulk-actions/selected-ids.ts'
import type { CommandInput } from '../../src-main/database/command.ts'
import type { CommandBench } from './commands.ts'

// Bulk actions whose steps are taken one by one.

const owner = { organizationId: 1, userId: 1 }

/** Adds an active subscriber. @returns their id */
export async function addPerson(
  bench: CommandBench,
  mailingListId: number,
  email: string,
  more: Partial<CommandInput<'subscribers.create'>['subscriber']> = {},
  timeZone = 'UTC'
): Promise<number> {
  const subscriber = {
    email,
    status: 'active' as const,
    apply_custom_field_defaults: false,
    skip_autoresponders: true,
    autoresponder_exclude_reacted: false,
    ...more
  }
  const input = { organizationId: 1, mailingListId, timeZone, subscriber }
  const id = await bench.run('subscribers.create', input)
  if (id === null) throw new Error(`${email} is to confirm first`)
  return id
}

/**
 * Starts a bulk action on some subscribers.
 * @returns the action's id
 */
export async function beginAction(
  bench: CommandBench,
  mailingListId: number,
  ids: readonly number[],
  action: Pick<BulkActionInput, 'kind'> & Partial<BulkActionInput>
): Promise<number> {
  const selectionId = await bench.run('bulkActions.storeSelection', {
    ...owner,
    mailingListId,
    description: 'everybody',
    subscribers: ids.length,
    parts: packIds(Float64Array.from(ids))
  })
  return bench.run('bulkActions.create', {
    ...owner,
    selectionId,
    action: { revives: false, mode: 'set', ...action }
  })
}
