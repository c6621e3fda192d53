import { computed, type ComputedRef } from 'vue'
import { fetchMailingList } from '../api/mailing-lists.ts'
import { useLiveEvents } from '../stores/live-events.ts'
import { type CountedList, totalOf, useMailingLists } from '../stores/mailing-lists.ts'
import { type Loaded, useLoaded } from '../stores/useLoaded.ts'

/** A list with settings and counts, kept up to date; undefined while loading. */
export function useMailingList(
  listId: () => number
): { list: ComputedRef<CountedList | undefined> } & Pick<Loaded<unknown>, 'failure' | 'reload'> {
  const { countsOf } = useMailingLists()
  const { value, failure, reload } = useLoaded(() => fetchMailingList(listId()), [listId])
  useLiveEvents().reloadOn(['mailing_list'], listId, reload)
  const list = computed((): CountedList | undefined => {
    const details = value.value
    // While the next list is loading, the value is still that of the previous one.
    if (details?.id !== listId()) return undefined
    return {
      ...details,
      get counts() {
        return countsOf(details.id)
      },
      get total() {
        return totalOf(this.counts)
      }
    }
  })
  return { list, failure, reload }
}
