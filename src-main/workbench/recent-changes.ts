import type { Change } from '../database/command.ts'

/** What the window is told: something of this kind changed, on this list. */
export interface LiveEvent {
  entity: Change['entity']
  mailing_list_id: number | null
}

/** How long a change is kept, in milliseconds: a window that takes longer to load loads everything again. */
const keptFor = 60_000

/** The latest change of each kind on each list, for windows that were still loading when it happened. */
export class RecentChanges {
  /** By what they tell of; the latest is last. */
  readonly #changes = new Map<string, { at: number; organizationId: number; event: LiveEvent }>()

  note({ organizationId, entity, mailingListId }: Change): void {
    const now = performance.now()
    for (const [key, { at }] of this.#changes) {
      if (now - at <= keptFor) break
      this.#changes.delete(key)
    }
    const key = `${organizationId} ${entity} ${mailingListId}`
    this.#changes.delete(key)
    this.#changes.set(key, { at: now, organizationId, event: { entity, mailing_list_id: mailingListId } })
  }

  /**
   * What changed in an organization in the last `time` milliseconds, since the application started; null = so far back
   * that changes were forgotten.
   */
  within(time: number, organizationId: number): LiveEvent[] | null {
    if (time > keptFor) return null
    const since = performance.now() - time
    return [...this.#changes.values()]
      .filter((change) => change.at >= since && change.organizationId === organizationId)
      .map(({ event }) => event)
  }
}
