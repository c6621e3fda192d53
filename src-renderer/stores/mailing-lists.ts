import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import {
  fetchMailingLists,
  type ListedList,
  type MailingList,
  type StatusCounts
} from '../api/mailing-lists.ts'
import { useLoaded } from './useLoaded.ts'
import { useLiveEvents } from './live-events.ts'

/** A list with the numbers of its subscribers, and without its settings. */
export interface NamedList extends ListedList {
  total: number
}

/** A list with its settings and the numbers of its subscribers. */
export interface CountedList extends MailingList {
  counts: StatusCounts
  total: number
}

const noCounts: StatusCounts = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }

/** All lists with their counts, kept up to date. */
export const useMailingLists = defineStore('mailing-lists', () => {
  const counts = shallowRef(new Map<number, StatusCounts>())
  /** Counts change all the time, and are read where they are shown: what shows none of them is not drawn again. */
  const lists = shallowRef<NamedList[]>([])
  const listed = useLoaded(async () => {
    const answer = await fetchMailingLists()
    counts.value = new Map(answer.map((list) => [list.id, list.counts]))
    if (!isSame(lists.value, answer)) lists.value = answer.map(namedList)
    return true
  })
  useLiveEvents().reloadOn(['mailing_list', 'subscriber'], () => null, listed.reload)

  function namedList({ id, name, is_remote_list }: ListedList): NamedList {
    return {
      id,
      name,
      is_remote_list,
      get counts() {
        return countsOf(id)
      },
      get total() {
        return totalOf(this.counts)
      }
    }
  }
  const countsOf = (id: number): StatusCounts => counts.value.get(id) ?? noCounts
  const totals = computed(() => {
    const sum = { ...noCounts }
    for (const each of counts.value.values())
      for (const status of Object.keys(sum) as (keyof StatusCounts)[]) sum[status] += each[status]
    return sum
  })
  const { failure, reload } = listed
  const loaded = computed(() => failure.value !== null || listed.value.value !== undefined)
  const byId = computed(() => new Map(lists.value.map((list) => [list.id, list])))

  return { lists, byId, countsOf, totals, failure, loaded, reload }
})

function isSame(before: readonly NamedList[], now: readonly ListedList[]): boolean {
  return (
    before.length === now.length &&
    now.every(({ id, name }, index) => before[index]?.id === id && before[index].name === name)
  )
}

export function totalOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
