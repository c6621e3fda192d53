import { onBeforeUnmount } from 'vue'

const pending = new Set<() => void>()

/** Applies all edits that editors delay. */
export function flushEdits(): void {
  for (const flush of pending) flush()
}

let listensForSubmits = false

/** Enter in a field submits a form without leaving the field. */
function listenForSubmits(): void {
  if (listensForSubmits) return
  listensForSubmits = true
  document.addEventListener('submit', flushEdits, { capture: true })
}

/** Registers an editor that applies typing with a delay, so that it is applied before saving or leaving. */
export function usePendingEdits(flush: () => void): void {
  listenForSubmits()
  pending.add(flush)
  onBeforeUnmount(() => {
    flush()
    pending.delete(flush)
  })
}
