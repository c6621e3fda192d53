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
  const count = computed(() => Math.max(1, Math.ceil(rows().length / size)))
  watch(count, (now) => {
    page.value = Math.min(page.value, now)
  })
  return { page, shown: computed(() => rows().slice((page.value - 1) * size, page.value * size)) }
}
