import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import {
  fetchMailingLists,
  fetchSubscriberCounts,
  type MailingList,
  type StatusCounts
} from '../api/mailing-lists.ts'
import { useLiveEvents } from './live-events.ts'

export interface CountedList extends MailingList {
  counts: StatusCounts
  total: number
}

const noCounts: StatusCounts = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }

/** All lists with their counts, kept up to date. */
export const useMailingLists = defineStore('mailing-lists', () => {
  const lists = ref<CountedList[]>([])
  const totals = ref<StatusCounts>(noCounts)
  const failure = ref<unknown>(null)
  const loaded = ref(false)

  async function reload(): Promise<void> {
    try {
      const [all, counts] = await Promise.all([fetchMailingLists(), fetchSubscriberCounts()])
      const countsOf = new Map(counts.mailing_lists.map((entry) => [entry.mailing_list.id, entry.counts]))
      lists.value = all.map((list) => {
        const own = countsOf.get(list.id) ?? noCounts
        return { ...list, counts: own, total: totalOf(own) }
      })
      totals.value = counts.counts
      failure.value = null
    } catch (error) {
      failure.value = error
    }
    loaded.value = true
  }

  useLiveEvents().reloadOn(['mailing_list', 'subscriber'], () => null, reload)
  void reload()

  const byId = computed(() => new Map(lists.value.map((list) => [list.id, list])))
  return { lists, byId, totals, failure, loaded, reload }
})

export function totalOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
