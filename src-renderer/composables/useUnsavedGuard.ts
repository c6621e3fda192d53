import { onScopeDispose, ref, type Ref, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router'

/** Asks before work that was not saved is left behind. */
export interface UnsavedGuard {
  /** Whether it is being asked. Set to false, it stays. */
  asking: Ref<boolean>
  /** @returns whether it may be left: at once where nothing is unsaved, else when somebody has answered */
  mayLeave: () => Promise<boolean>
  /** The answer that it may be. */
  discard: () => void
  /** Takes what there is now for saved. */
  markSaved: () => void
}

/**
 * Guards leaving the page, and closing the window. Must be called in the setup of a page or of a component below one.
 * @param state what is edited; as it is now, it is saved
 */
export function useUnsavedGuard(state: () => unknown): UnsavedGuard {
  const asking = ref(false)
  let saved = JSON.stringify(state())
  const isUnsaved = (): boolean => JSON.stringify(state()) !== saved
  let answer: ((leaves: boolean) => void) | undefined

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
  window.addEventListener('beforeunload', onUnload)
  onScopeDispose(() => window.removeEventListener('beforeunload', onUnload))
  return {
    asking,
    mayLeave,
    discard: () => settle(true),
    markSaved: () => (saved = JSON.stringify(state()))
  }
}
