import type { Change, CommandContext } from '../../database/command.ts'
import type { SubscriberStatus } from './schema.ts'

export type StatusChange = [before: SubscriberStatus, now: SubscriberStatus]

/** Above so many runs of consecutive ids, one entry that names the ids is less to write than an entry for each run. */
const maxRuns = 4

/**
 * Records changes of subscribers in the change log: consecutive ids as one entry, scattered ones together.
 * @param statuses of those whose status changed, for their history
 */
export function recordSubscribers(
  context: CommandContext,
  list: { organization_id: number; mailing_list_id: number },
  action: Change['action'],
  ids: readonly number[],
  statuses?: ReadonlyMap<number, StatusChange>
): void {
  const sorted = ids.toSorted((a, b) => a - b)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return
  const owner = {
    entity: 'subscriber' as const,
    action,
    organizationId: list.organization_id,
    mailingListId: list.mailing_list_id
  }
  const only = sorted.length === 1 ? statuses?.get(first) : undefined
  if (only) return context.record({ ...owner, firstId: first, lastId: first, details: { status: only } })
  const runs = runsOf(sorted)
  if (runs.length <= maxRuns && !statuses?.size) {
    for (const [firstId, lastId] of runs) context.record({ ...owner, firstId, lastId })
    return
  }
  context.record({
    ...owner,
    firstId: first,
    lastId: last,
    members: {
      ids: sorted,
      ...(statuses?.size && { statuses: sorted.map((id) => statuses.get(id) ?? null) })
    }
  })
}

function runsOf(sorted: readonly number[]): [first: number, last: number][] {
  const runs: [first: number, last: number][] = []
  for (const id of sorted) {
    const run = runs.at(-1)
    if (run && run[1] === id - 1) run[1] = id
    else runs.push([id, id])
  }
  return runs
}
