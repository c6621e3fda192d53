import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { subscriberStatuses } from '../../src-main/api/subscribers/schema.ts'
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

  /** Questions so far: of answers that overtake each other, the last question's counts. */
  let asked = 0
  /** Loads of the lists under way; whatever changes meanwhile is counted after them. */
  let loads = 0
  let isOutdated = false

  async function reload(): Promise<void> {
    const question = ++asked
    loads++
    try {
      const [all, counts] = await Promise.all([fetchMailingLists(), fetchSubscriberCounts()])
      if (question === asked) {
        const countsOf = new Map(counts.mailing_lists.map((entry) => [entry.mailing_list.id, entry.counts]))
        lists.value = all.map((list) => {
          const own = countsOf.get(list.id) ?? noCounts
          return { ...list, counts: own, total: totalOf(own) }
        })
        totals.value = counts.counts
        failure.value = null
      }
    } catch (error) {
      if (question === asked) failure.value = error
    }
    loads--
    loaded.value = true
    if (isOutdated) await recount()
  }

  /** Counts change all the time: each list stays the object that it is, so that only what shows a count is drawn again. */
  async function recount(): Promise<void> {
    isOutdated = loads > 0
    if (isOutdated) return
    // Without the lists there is nothing to count.
    if (failure.value !== null) return reload()
    const question = ++asked
    try {
      const counts = await fetchSubscriberCounts()
      if (question !== asked) return
      for (const { mailing_list, counts: own } of counts.mailing_lists) {
        const list = byId.value.get(mailing_list.id)
        if (!list || sameCounts(list.counts, own)) continue
        list.counts = own
        list.total = totalOf(own)
      }
      if (!sameCounts(totals.value, counts.counts)) totals.value = counts.counts
    } catch (error) {
      if (question === asked) failure.value = error
    }
  }

  const { reloadOn } = useLiveEvents()
  reloadOn(['mailing_list'], () => null, reload)
  reloadOn(['subscriber'], () => null, recount)
  void reload()

  const byId = computed(() => new Map(lists.value.map((list) => [list.id, list])))
  return { lists, byId, totals, failure, loaded, reload }
})

function sameCounts(a: StatusCounts, b: StatusCounts): boolean {
  return subscriberStatuses.every((status) => a[status] === b[status])
}

export function totalOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
