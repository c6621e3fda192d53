import { computed, type ComputedRef, nextTick, type Ref, ref, type ShallowRef, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { type Condition, type GroupCondition, sortColumns } from '../../src-main/api/segments/conditions.ts'
import type { TableQuestion } from '../api/subscribers.ts'
import { clauseOf, isClause, rootOf } from '../model/conditions.ts'
import type { TableSort } from '../model/table-columns.ts'
import { useSettled } from './useSettled.ts'

/** Milliseconds without another key before a search or a filter is asked. */
const typingPause = 200

export interface AskedTable {
  /** 0 = all subscribers. */
  segmentId: Ref<number>
  /** The filter as it is being edited. */
  filter: ShallowRef<GroupCondition>
  isFiltering: Ref<boolean>
  /** The filter as it is asked. */
  clause: Readonly<Ref<Condition[]>>
  searchText: Ref<string>
  sort: ShallowRef<TableSort | null>
  isNarrowed: ComputedRef<boolean>
  /** null = all subscribers in the order of the list. */
  question: ComputedRef<TableQuestion | null>
  /** Asks for other subscribers at once. */
  ask: (segmentId: number | null, clause: readonly Condition[]) => void
  clearFilter: () => void
}

/** The search, filter, segment and order of a list's table. They are part of the address, so that a reload or a link shows the same rows. */
export function useTableQuestion(): AskedTable {
  const route = useRoute()
  const changeAddress = useAddressChanges()

  const segmentId = computed({
    get: () => Number(route.query['segment'] ?? 0),
    set: (id) => changeAddress({ segment: id === 0 ? undefined : String(id) })
  })

  const filter = shallowRef<GroupCondition>(rootOf(readFilter(route.query['filter'])))
  const isFiltering = ref(filter.value.conditions.length > 0)
  // Closing the filter panel keeps the filter. Only the separate button next to it clears the filter.
  const clause = useSettled(() => clauseOf(filter.value), typingPause)
  watch(clause, (now) => changeAddress({ filter: writtenFilter(now) }))
  // A link to this list with another filter was opened.
  watch(
    () => route.query['filter'],
    (written) => {
      const wanted = readFilter(written)
      if (JSON.stringify(wanted) === JSON.stringify(clause.value)) return
      filter.value = rootOf(wanted)
      isFiltering.value = wanted.length > 0
    }
  )

  const searchText = ref(String(route.query['search'] ?? ''))
  const search = useSettled(() => searchText.value.trim(), typingPause)
  watch(search, (now) => changeAddress({ search: now === '' ? undefined : now }))
  const sort = shallowRef<TableSort | null>(readSort(route.query['sort']))
  watch(sort, (now) => changeAddress({ sort: writtenSort(now) }))
  watch(
    () => [route.query['search'], route.query['sort']],
    ([writtenSearch, order]) => {
      const wanted = String(writtenSearch ?? '')
      if (wanted !== search.value) searchText.value = wanted
      if (order !== writtenSort(sort.value)) sort.value = readSort(order)
    }
  )

  const isNarrowed = computed(() => search.value !== '' || clause.value.length > 0 || segmentId.value !== 0)
  const question = computed((): TableQuestion | null => {
    if (!isNarrowed.value && !sort.value) return null
    return {
      search: search.value,
      segment_id: segmentId.value || null,
      clause: clause.value,
      sort: sort.value
    }
  })

  function ask(segment: number | null, asked: readonly Condition[]): void {
    changeAddress({ segment: segment === null ? undefined : String(segment), filter: writtenFilter(asked) })
  }

  function clearFilter(): void {
    filter.value = rootOf([])
    isFiltering.value = false
  }

  return {
    segmentId,
    filter,
    isFiltering,
    clause,
    searchText,
    sort,
    isNarrowed,
    question,
    ask,
    clearFilter
  }
}

type AddressChange = Record<string, string | undefined>

/** Changes of the address are made one after another: two at once would each start from the same address. */
function useAddressChanges(): (change: AddressChange) => void {
  const route = useRoute()
  const router = useRouter()
  let pending: AddressChange = {}
  let isChanging = false

  async function writeAddress(): Promise<void> {
    isChanging = true
    // Changes in the same tick become one.
    await nextTick()
    while (Object.keys(pending).length > 0) {
      const change = pending
      pending = {}
      await router.replace({ query: { ...route.query, ...change } })
    }
    isChanging = false
  }

  return (change) => {
    Object.assign(pending, change)
    if (!isChanging) void writeAddress()
  }
}

function readFilter(written: unknown): Condition[] {
  try {
    const given: unknown = JSON.parse(typeof written === 'string' ? written : '[]')
    return isClause(given) ? given : []
  } catch (error) {
    // The address is incomplete, so the list is shown without a filter.
    if (error instanceof SyntaxError) return []
    throw error
  }
}

function writtenFilter(clause: readonly Condition[]): string | undefined {
  return clause.length > 0 ? JSON.stringify(clause) : undefined
}

/** Reads an order such as email, -email or -17, which is a custom field by its id. */
function readSort(written: unknown): TableSort | null {
  const [, minus, by = ''] = /^(-?)(\w+)$/.exec(typeof written === 'string' ? written : '') ?? []
  const column = sortColumns.find((each) => each === by) ?? (/^\d+$/.test(by) ? Number(by) : undefined)
  return column === undefined ? null : { by: column, descending: minus === '-' }
}

function writtenSort(order: TableSort | null): string | undefined {
  return order === null ? undefined : `${order.descending ? '-' : ''}${order.by}`
}
