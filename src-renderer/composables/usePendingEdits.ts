import { onBeforeUnmount } from 'vue'

/** Those of what is shown now. */
const pending = new Set<() => void>()

/** Has everything that editors hold back for a moment written into what the page edits. */
export function flushEdits(): void {
  for (const flush of pending) flush()
}

// Enter in a field submits a form without leaving the field.
document.addEventListener('submit', flushEdits, { capture: true })

/** For an editor that writes what is typed a little later: before anything is saved, kept or left, it does so at once. */
export function usePendingEdits(flush: () => void): void {
  pending.add(flush)
  onBeforeUnmount(() => {
    flush()
    pending.delete(flush)
  })
}
