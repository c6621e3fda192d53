import { computed, onScopeDispose, ref, type Ref, shallowRef, watch } from 'vue'

/**
 * Tallest scrolled element, in pixels. Browsers draw nothing beyond 17 to 33 million, which a million rows exceed, and
 * virtual-list libraries stop there.
 */
const maxPixels = 8_000_000

export interface RowWindow {
  /** The height of the scrolled content, in pixels. */
  height: Ref<number>
  /** The rows that can be seen, and where they stand in the viewport, in pixels. */
  rows: Ref<{ index: number; top: number }[]>
  scrollTo: (index: number) => void
  /** Scrolls as little as needed for the row to be seen whole. */
  reveal: (index: number) => void
}

/**
 * Returns the visible rows of a table of any length. If all rows together exceed the maximal height of an
 * element, the scroll bar maps to them proportionally, while wheel and keys still scroll by pixels.
 * @param headHeight height of the fixed header in pixels
 */
export function useRowWindow(
  viewport: Ref<HTMLElement | null>,
  count: Ref<number>,
  rowHeight: Ref<number>,
  headHeight: Ref<number>
): RowWindow {
  const viewHeight = ref(0)
  /** Pixels of rows above the viewport, as if nothing limited the height. */
  const position = ref(0)
  const rowsHeight = computed(() => count.value * rowHeight.value)
  const visibleHeight = computed(() => Math.max(0, viewHeight.value - headHeight.value))
  const height = computed(() => Math.min(rowsHeight.value, maxPixels))
  const last = computed(() => Math.max(0, rowsHeight.value - visibleHeight.value))
  const ratio = computed(() => last.value / Math.max(1, height.value - visibleHeight.value))
  /** The scrollTop set here: its event is not a scroll by the user. */
  let ownScrollTop = -1

  const observer = new ResizeObserver(([entry]) => {
    if (entry) viewHeight.value = entry.contentRect.height
  })
  const listening = shallowRef<AbortController>()
  watch(viewport, (element) => {
    listening.value?.abort()
    observer.disconnect()
    if (!element) return
    observer.observe(element)
    const { signal } = (listening.value = new AbortController())
    element.addEventListener('scroll', onScroll, { signal, passive: true })
    element.addEventListener('wheel', onWheel, { signal, passive: false })
  })
  onScopeDispose(() => {
    listening.value?.abort()
    observer.disconnect()
  })
  // If rows disappear, the table scrolls up; if the row height changes, the first visible row stays.
  watch(last, (most) => {
    if (position.value > most) moveTo(most)
  })
  watch(rowHeight, (now, before) => moveTo((position.value / before) * now))

  function onScroll(): void {
    const top = viewport.value?.scrollTop ?? 0
    if (Math.abs(top - ownScrollTop) < 1) return
    ownScrollTop = -1
    position.value = clamp(top * ratio.value)
  }

  function onWheel(event: WheelEvent): void {
    if (ratio.value <= 1 || event.deltaY === 0 || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? rowHeight.value : 1
    moveTo(position.value + event.deltaY * unit)
  }

  function moveTo(pixels: number): void {
    position.value = clamp(pixels)
    const element = viewport.value
    if (!element) return
    element.scrollTop = position.value / ratio.value
    ownScrollTop = element.scrollTop
  }

  function clamp(pixels: number): number {
    return Math.min(Math.max(0, pixels), last.value)
  }

  const rows = computed(() => {
    const first = Math.floor(position.value / rowHeight.value)
    const end = Math.min(count.value, Math.ceil((position.value + visibleHeight.value) / rowHeight.value) + 1)
    return Array.from({ length: Math.max(0, end - first) }, (_, offset) => ({
      index: first + offset,
      top: (first + offset) * rowHeight.value - position.value
    }))
  })

  return {
    height,
    rows,
    scrollTo: (index) => moveTo(index * rowHeight.value),
    reveal(index) {
      const top = index * rowHeight.value
      if (top < position.value) moveTo(top)
      else if (top + rowHeight.value > position.value + visibleHeight.value) {
        moveTo(top + rowHeight.value - visibleHeight.value)
      }
    }
  }
}
