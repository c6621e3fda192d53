import { computed, ref, type Ref, shallowRef, watch } from 'vue'
import { maxTicked } from '../../src-main/workbench/bulk-actions/endpoints.ts'

/** The selected subscribers: some, or all found ones except some. */
export interface Ticked {
  count: Ref<number>
  /** True if all are selected without exception. */
  isAll: Ref<boolean>
  has: (id: number) => boolean
  /** @returns whether it did: not where that would be more than can be named one by one */
  set: (ids: readonly number[], isTicked: boolean) => boolean
  setAll: (isTicked: boolean) => void
  /** The selection as the API takes it. */
  asked: Ref<{ only: number[] | null; except: number[] }>
}

/** @param total how many are found */
export function useTicked(total: Ref<number>): Ticked {
  const isInverted = ref(false)
  const named = shallowRef<ReadonlySet<number>>(new Set())
  const count = computed(() =>
    isInverted.value ? Math.max(0, total.value - named.value.size) : named.value.size
  )
  function setAll(isTicked: boolean): void {
    isInverted.value = isTicked
    named.value = new Set()
  }
  // After "select all" on an empty result, subscribers added later must not be selected.
  watch(total, (found) => {
    if (found === 0) setAll(false)
  })
  return {
    count,
    isAll: computed(() => isInverted.value && named.value.size === 0 && total.value > 0),
    asked: computed(() => {
      const ids = [...named.value]
      return isInverted.value ? { only: null, except: ids } : { only: ids, except: [] }
    }),
    has: (id) => named.value.has(id) !== isInverted.value,
    set(ids, isTicked) {
      const after = new Set(named.value)
      for (const id of ids) {
        if (isTicked === isInverted.value) after.delete(id)
        else after.add(id)
      }
      if (after.size > maxTicked) return false
      named.value = after
      return true
    },
    setAll
  }
}
