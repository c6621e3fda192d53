import { defineStore } from 'pinia'
import { computed } from 'vue'
import {
  fetchMailingLists,
  fetchSubscriberCounts,
  type MailingList,
  type StatusCounts
} from '../api/mailing-lists.ts'
import { useLoaded } from '../composables/useLoaded.ts'
import { useLiveEvents } from './live-events.ts'

export interface CountedList extends MailingList {
  counts: StatusCounts
  total: number
}

const noCounts: StatusCounts = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }

/** All lists with their counts, kept up to date. */
export const useMailingLists = defineStore('mailing-lists', () => {
  const details = useLoaded(fetchMailingLists)
  const counted = useLoaded(fetchSubscriberCounts)
  const { reloadOn } = useLiveEvents()
  reloadOn(['mailing_list'], () => null, details.reload)
  reloadOn(['mailing_list', 'subscriber'], () => null, counted.reload)

  const isCounted = computed(() => counted.value.value !== undefined)
  const countsOf = computed(
    () => new Map(counted.value.value?.mailing_lists.map((entry) => [entry.mailing_list.id, entry.counts]))
  )
  /** Counts change all the time, and are read where they are shown: what shows none of them is not drawn again. */
  const lists = computed(() => {
    if (!isCounted.value) return []
    return (details.value.value ?? []).map((list): CountedList => ({
      ...list,
      get counts() {
        return countsOf.value.get(list.id) ?? noCounts
      },
      get total() {
        return totalOf(this.counts)
      }
    }))
  })
  const totals = computed(() => counted.value.value?.counts ?? noCounts)
  const failure = computed(() => details.failure.value ?? counted.failure.value)
  const loaded = computed(
    () => failure.value !== null || (isCounted.value && details.value.value !== undefined)
  )
  const byId = computed(() => new Map(lists.value.map((list) => [list.id, list])))

  async function reload(): Promise<void> {
    await Promise.all([details.reload(), counted.reload()])
  }

  return { lists, byId, totals, failure, loaded, reload }
})

export function totalOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
