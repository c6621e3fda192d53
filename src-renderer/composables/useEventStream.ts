import { onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { type Event, type EventType, fetchEvents, followEvents } from '../api/events.ts'

/** Most events that are kept: more are not looked through. */
const maxShown = 200
/** Pause after a failed request, in milliseconds. */
const retryTime = 3000

/** The newest events, which come as they happen until the component goes away. @param type undefined = all */
export function useEventStream(type: Ref<EventType | undefined>) {
  const events = shallowRef<Event[]>()
  const failure = ref<unknown>()
  let current = 0

  async function follow(): Promise<void> {
    const own = ++current
    const isCurrent = (): boolean => own === current
    events.value = undefined
    let last: number | undefined
    while (isCurrent()) {
      try {
        if (last === undefined) {
          // Followed first: what happens between the two requests comes with the next one.
          const begun = await followEvents(type.value, undefined)
          const shown = await fetchEvents(type.value)
          if (isCurrent()) events.value = shown
          last = begun.last
        }
        const next = await followEvents(type.value, last)
        last = next.last
        if (isCurrent()) events.value = merged(next.events, events.value ?? [])
        failure.value = undefined
      } catch (error) {
        if (!isCurrent()) return
        failure.value = error
        await new Promise((resolve) => setTimeout(resolve, retryTime))
      }
    }
  }

  watch(type, () => void follow(), { immediate: true })
  onScopeDispose(() => current++)
  return { events, failure, retry: () => void follow() }
}

/** @param news oldest first @param shown newest first */
function merged(news: readonly Event[], shown: readonly Event[]): Event[] {
  const newest = shown[0]?.event_id ?? 0
  const added = news.filter(({ event_id }) => event_id > newest).reverse()
  return [...added, ...shown].slice(0, maxShown)
}
