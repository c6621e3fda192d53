import { onScopeDispose, ref, type Ref, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate } from 'vue-router'
import { flushEdits } from './usePendingEdits.ts'

/** Asks before work that was not saved is left behind. */
export interface UnsavedGuard {
  /** Whether it is being asked. Set to false, it stays. */
  asking: Ref<boolean>
  /** @returns whether it may be left: at once where nothing is unsaved, else when somebody has answered */
  mayLeave: () => Promise<boolean>
  /** The answer that it may be. */
  discard: () => void
  /** @returns whether something is not saved */
  isUnsaved: () => boolean
  /** @returns what was saved last, as JSON */
  saved: () => string
  /** Takes a state for saved: what there is now, or what was saved in its place. */
  markSaved: (state?: unknown) => void
}

/** Those of what is shown now. */
const guards = new Set<() => Promise<boolean>>()
/** Whether the window is left although something is unsaved: it cannot be saved any more, or somebody said so. */
let leavesForGood = false

/** Asks all guards, one after the other, before something that leaves the whole window behind. @returns whether it may be left */
export async function mayLeaveWindow(): Promise<boolean> {
  for (const mayLeave of guards) if (!(await mayLeave())) return false
  return true
}

/** @returns whether the window starts over, so that nothing more is to be done for what it shows */
export function isLeftForGood(): boolean {
  return leavesForGood
}

/** Stops asking from now on, because the window starts over. */
export function leaveForGood(): void {
  leavesForGood = true
}

/**
 * Guards leaving the page, and closing the window. Must be called in the setup of a page or of a component below one.
 * @param state what is edited, null where nothing is; as it is now, it is saved
 */
export function useUnsavedGuard(state: () => unknown): UnsavedGuard {
  const asking = ref(false)
  let saved = JSON.stringify(state())
  let answer: ((leaves: boolean) => void) | undefined

  /** With what editors hold back for a moment. */
  function current(): unknown {
    flushEdits()
    return state()
  }
  function isUnsaved(): boolean {
    const now = current()
    return !leavesForGood && now !== null && JSON.stringify(now) !== saved
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
  guards.add(mayLeave)
  window.addEventListener('beforeunload', onUnload)
  onScopeDispose(() => {
    guards.delete(mayLeave)
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
