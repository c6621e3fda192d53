import { onScopeDispose, ref, type Ref, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router'
import { guardLeaving, isLeftForGood } from '../stores/leaving.ts'
import { flushEdits } from './usePendingEdits.ts'

/** Asks before unsaved work is lost. */
export interface UnsavedGuard {
  /** True while asking; setting it to false stays on the page. */
  asking: Ref<boolean>
  /** @returns true if the page may be left: at once without unsaved work, else after the user's answer */
  mayLeave: () => Promise<boolean>
  /** The answer that it may be. */
  discard: () => void
  /** @returns whether something is not saved */
  isUnsaved: () => boolean
  /** @returns the last saved state as JSON */
  saved: () => string
  markSaved: (state?: unknown) => void
}

/**
 * Guards leaving the page and closing the window. Call it in setup.
 * @param state the edited state, null = nothing; the initial state counts as saved
 */
export function useUnsavedGuard(state: () => unknown): UnsavedGuard {
  const asking = ref(false)
  let saved = JSON.stringify(state())
  let answer: ((leaves: boolean) => void) | undefined

  /** Returns the current state, after flushing edits that editors have not passed on yet. */
  function current(): unknown {
    flushEdits()
    return state()
  }
  function isUnsaved(): boolean {
    const now = current()
    return !isLeftForGood() && now !== null && JSON.stringify(now) !== saved
  }
  function settle(leaves: boolean): void {
    asking.value = false
    answer?.(leaves)
    answer = undefined
  }
  function mayLeave(): Promise<boolean> {
    if (!isUnsaved()) return Promise.resolve(true)
    settle(false)
    asking.value = true
    return new Promise((resolve) => (answer = resolve))
  }
  function onUnload(event: BeforeUnloadEvent): void {
    if (isUnsaved()) event.preventDefault()
  }

  watch(asking, (isAsking) => {
    if (!isAsking) settle(false)
  })
  onBeforeRouteLeave(mayLeave)
  onBeforeRouteUpdate(mayLeave)
  const release = guardLeaving(mayLeave)
  window.addEventListener('beforeunload', onUnload)
  onScopeDispose(() => {
    release()
    window.removeEventListener('beforeunload', onUnload)
  })
  return {
    asking,
    mayLeave,
    discard: () => settle(true),
    isUnsaved,
    saved: () => saved,
    markSaved: (state = current()) => {
      saved = JSON.stringify(state)
    }
  }
}
