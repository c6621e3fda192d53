import type { Change, CommandContext } from '../../database/command.ts'

/** Notes changes of subscribers of a list, consecutive ids as one. */
export function recordSubscribers(
  context: CommandContext,
  list: { organization_id: number; mailing_list_id: number },
  action: Change['action'],
  ids: readonly number[]
): void {
  const runs: [first: number, last: number][] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && last[1] === id - 1) last[1] = id
    else runs.push([id, id])
  }
  for (const [firstId, lastId] of runs) {
    context.record({
      entity: 'subscriber',
      action,
      organizationId: list.organization_id,
      mailingListId: list.mailing_list_id,
      firstId,
      lastId
    })
  }
}
