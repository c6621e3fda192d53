import { computed, type ComputedRef, type Ref, ref, watch } from 'vue'

export interface Pages<Row> {
  /** The page that is shown, from 1. */
  page: Ref<number>
  /** Its rows. */
  shown: ComputedRef<Row[]>
}

/** Rows in pages: to draw thousands at once would take seconds. */
export function usePages<Row>(rows: () => readonly Row[], size: number): Pages<Row> {
  const page = ref(1)
  stayWithin(page, () => Math.ceil(rows().length / size))
  return { page, shown: computed(() => rows().slice((page.value - 1) * size, page.value * size)) }
}

/**
 * Goes to the last page if the current one no longer exists.
 * @param count of pages; undefined = unknown
 */
export function stayWithin(page: Ref<number>, count: () => number | undefined): void {
  watch(count, (now) => {
    if (now !== undefined) page.value = Math.min(page.value, Math.max(1, now))
  })
}
