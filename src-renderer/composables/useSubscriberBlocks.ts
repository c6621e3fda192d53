import { onScopeDispose, ref, type Ref, shallowReactive, shallowRef, watch } from 'vue'
import {
  fetchSubscriberPage,
  fetchTablePage,
  type Subscriber,
  type TableQuestion
} from '../api/subscribers.ts'
import type { Page } from '../api/client.ts'

/** Subscribers that are fetched with one call. */
const blockSize = 100
/** Milliseconds after which an answer that is not up to date is asked for again. */
const staleFor = 3000
/** Blocks that are kept. */
const maxBlocks = 50

export interface SubscriberBlocks {
  total: Ref<number>
  /** True while another question is being answered than the shown one. */
  asking: Ref<boolean>
  /** The question of the shown rows. */
  answered: Ref<TableQuestion | null>
  failure: Ref<unknown>
  loaded: Ref<boolean>
  /** The subscriber at a position by id, once its block is there. */
  at: (index: number) => Subscriber | undefined
  /** The ids of the subscribers from one position to another, which are fetched where they are not there. */
  idsBetween: (first: number, last: number) => Promise<number[]>
  /** Sets the visible rows, whose blocks are loaded. */
  show: (first: number, last: number) => void
  /** Reloads the visible blocks; the shown rows stay until then. */
  reload: () => Promise<void>
}

/**
 * The subscribers of a list by position, loaded in blocks as they become visible. Rows stay until another
 * question is answered.
 * @param question filters and order; null = all by id
 */
export function useSubscriberBlocks(
  listId: Ref<number>,
  question: Ref<TableQuestion | null>
): SubscriberBlocks {
  const blocks = shallowReactive(new Map<number, Subscriber[]>())
  const total = ref(0)
  const failure = ref<unknown>(null)
  const loaded = ref(false)
  let wanted: number[] = [0]
  const asking = ref(false)
  const answered: Ref<TableQuestion | null> = shallowRef(null)
  let again: ReturnType<typeof setTimeout> | undefined
  let generation = 0
  let shown = 0
  let stop = new AbortController()
  let fetching = false

  /** Loads missing visible blocks one at a time, so that blocks which were scrolled past are skipped. */
  async function fetchWanted(): Promise<void> {
    if (fetching) return
    fetching = true
    for (let number = missing(); number !== undefined; number = missing()) await fetchBlock(number)
    fetching = false
  }

  function missing(): number | undefined {
    return failure.value ? undefined : wanted.find((number) => shown !== generation || !blocks.has(number))
  }

  async function fetchBlock(number: number): Promise<void> {
    const asked = generation
    try {
      const of = question.value
      const { isStale, ...page } = await fetchPage(number)
      if (asked !== generation) return
      if (shown !== generation) blocks.clear()
      shown = generation
      answered.value = of
      asking.value = false
      if (isStale) reloadLater()
      total.value = page.num_records
      blocks.delete(number)
      blocks.set(number, page.data)
      for (const oldest of blocks.keys()) {
        if (blocks.size <= maxBlocks) break
        blocks.delete(oldest)
      }
      failure.value = null
    } catch (error) {
      if (asked !== generation) return
      asking.value = false
      failure.value = error
    }
    loaded.value = true
  }

  async function fetchPage(number: number): Promise<Page<Subscriber> & { isStale: boolean }> {
    if (question.value === null) {
      return { ...(await fetchSubscriberPage(listId.value, number, blockSize)), isStale: false }
    }
    const page = await fetchTablePage(listId.value, question.value, number, blockSize, stop.signal)
    return { ...page, isStale: page.is_stale }
  }

  /** While a list changes all the time, answers may be from before the last change. */
  function reloadLater(): void {
    clearTimeout(again)
    again = setTimeout(() => void reload(), staleFor)
  }

  async function idsBetween(first: number, last: number): Promise<number[]> {
    const asked = generation
    const ids: number[] = []
    for (let number = Math.floor(first / blockSize); number <= Math.floor(last / blockSize); number++) {
      const block = (shown === generation && blocks.get(number)) || (await fetchPage(number)).data
      // The query changed, so these positions belong to other rows.
      if (asked !== generation) return []
      block.forEach(({ id }, index) => {
        const position = number * blockSize + index
        if (position >= first && position <= last) ids.push(id)
      })
    }
    return ids
  }

  async function reload(): Promise<void> {
    for (const number of blocks.keys()) if (!wanted.includes(number)) blocks.delete(number)
    failure.value = null
    for (const number of wanted) await fetchBlock(number)
  }

  onScopeDispose(() => {
    clearTimeout(again)
    stop.abort()
  })

  watch(
    [listId, () => JSON.stringify(question.value)],
    () => {
      generation++
      // The answer to the previous query is not needed any more.
      stop.abort()
      stop = new AbortController()
      wanted = [0]
      failure.value = null
      asking.value = true
      void fetchWanted()
    },
    { immediate: true }
  )

  return {
    total,
    asking,
    answered,
    failure,
    loaded,
    at: (index) => blocks.get(Math.floor(index / blockSize))?.[index % blockSize],
    show(first, last) {
      const from = Math.floor(first / blockSize)
      const to = Math.floor(Math.max(first, last) / blockSize)
      wanted = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
      void fetchWanted()
    },
    idsBetween,
    reload
  }
}
