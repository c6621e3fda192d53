import type { Change } from '../../database/command.ts'
import type { LiveEvent } from './schema.ts'

export function liveEventOf({ entity, mailingListId }: Change): LiveEvent {
  return { entity, mailing_list_id: mailingListId }
}

/** Time for which changes are kept, in milliseconds. A window that takes longer to load reloads everything. */
const keptFor = 60_000

/** The latest change of each kind on each list, kept for windows that were still loading when it happened. */
export class RecentChanges {
  readonly #changes = new Map<string, { at: number; organizationId: number; event: LiveEvent }>()

  note(change: Change): void {
    const now = performance.now()
    for (const [key, { at }] of this.#changes) {
      if (now - at <= keptFor) break
      this.#changes.delete(key)
    }
    const { organizationId, entity, mailingListId } = change
    const key = `${organizationId} ${entity} ${mailingListId}`
    this.#changes.delete(key)
    this.#changes.set(key, { at: now, organizationId, event: liveEventOf(change) })
  }

  /**
   * Returns the changes of an organization in the last `time` milliseconds; null if they are not kept that
   * long.
   */
  within(time: number, organizationId: number): LiveEvent[] | null {
    if (time > keptFor) return null
    const since = performance.now() - time
    return [...this.#changes.values()]
      .filter((change) => change.at >= since && change.organizationId === organizationId)
      .map(({ event }) => event)
  }
}
