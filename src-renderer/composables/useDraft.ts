import { type Ref, onMounted, onScopeDispose, ref, watch } from 'vue'
import { useRoute } from 'vue-router'
import { messageOf } from '../../src-main/base/errors.ts'
import { type Draft, discardDraft, fetchDraft, storeDraft } from '../api/drafts.ts'
import { mergeEdits, withValue } from '../model/merge-edits.ts'
import { isLeftForGood } from '../stores/leaving.ts'
import { type UnsavedGuard, useUnsavedGuard } from './useUnsavedGuard.ts'

/** Something that is written in the window, and that outlives the window before it is saved. */
export interface DraftOf {
  /** Such as "campaign 5"; null = not stored. A user has one draft per name. */
  name: () => string | null
  title: () => string
  /** The page where it goes on; this one, unless it says otherwise. */
  path?: (() => string) | undefined
  /** The edited state; null = nothing. */
  state: () => unknown
  /** Restores a state that was stored as JSON. Returns false if it cannot. */
  restore: (state: never) => unknown
  /** True = offer the draft instead of restoring it, for forms that always start anew. */
  asksFirst?: boolean
}

export interface DraftNotice {
  /** As in the API. */
  writtenAt: string
  /** "back" if it was restored, "offered" if the user has to decide. */
  is: 'back' | 'offered'
  /** True if something else was saved since. */
  isOutdated: boolean
}

export interface KeptDraft extends Omit<UnsavedGuard, 'isUnsaved' | 'saved'> {
  notice: Readonly<Ref<DraftNotice | null>>
  /** Why the draft cannot be stored, as a sentence; '' = no fault. */
  fault: Readonly<Ref<string>>
  /** Restores the offered draft. */
  bringBack: () => Promise<void>
  /** Discards the earlier draft and shows what is saved. */
  discardNotice: () => Promise<void>
  /** Discards the earlier draft without changing the page. */
  forget: () => Promise<void>
  /** Leaves the page and keeps the draft. */
  leaveKept: () => void
  /** @returns the stored state on which an earlier draft is based, in the form of the state */
  base: () => unknown
}

function earlierName(name: string): string {
  return name + earlierSuffix
}
const earlierSuffix = ' (earlier)'

/** True if the draft of this name waits beside one that was written later. */
export function isEarlierDraft(name: string): boolean {
  return name.endsWith(earlierSuffix)
}

/** Delay after the last change before storing, in milliseconds. */
const pause = 800

/**
 * Guards leaving like useUnsavedGuard(), and stores unsaved changes. When the page is opened again they are
 * restored, or offered if something else was saved since. Call it in setup.
 */
export function useDraft({ name, title, path, state, restore, asksFirst = false }: DraftOf): KeptDraft {
  const route = useRoute()
  const guard = useUnsavedGuard(state)
  const notice = ref<DraftNotice | null>(null)
  const fault = ref('')
  let offered: { name: string; state: string; base: string } | null = null
  let base = guard.saved()
  /** Under which name that is kept which is written now; null = nothing is. */
  let keptName: string | null = null
  /** The name that was looked up, then what was found; undefined = nothing yet. Nothing is stored before. */
  let lookedFor: string | null | undefined
  let knownFor: string | null | undefined
  /** True if the draft stays until something else is written. */
  let isFinal = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Promise.resolve()

  /** Looks for an earlier draft, once per name. */
  async function look(): Promise<void> {
    const wanted = name()
    if (lookedFor === wanted) return
    lookedFor = wanted
    isFinal = false
    notice.value = null
    offered = null
    keptName = null
    if (wanted !== null) {
      const found = (await find(wanted)) ?? (await find(earlierName(wanted)))
      if (wanted !== name()) return
      if (found) await offer(found)
    }
    knownFor = wanted
    if (guard.isUnsaved()) storeSoon()
  }

  async function find(sought: string): Promise<(Draft & { name: string }) | null> {
    const draft = await attempt(() => fetchDraft(sought))
    return draft ? { ...draft, name: sought } : null
  }

  async function offer(found: Draft & { name: string }): Promise<void> {
    const isOutdated = !asksFirst && found.base !== guard.saved()
    offered = found
    notice.value = { writtenAt: found.updated_at, is: 'offered', isOutdated }
    if (!asksFirst && !isOutdated && !guard.isUnsaved()) await bringBack()
  }

  async function bringBack(): Promise<void> {
    const wanted = name()
    if (!notice.value || !offered || wanted === null) return
    const { name: from, state: former, base: formerBase } = offered
    // What the user wrote since then becomes the new draft.
    const written = guard.isUnsaved() ? current() : null
    const merged = withLaterChanges(former, formerBase)
    if ((await restore(merged.state as never)) === false) return
    base = merged.base
    offered = null
    keptName = wanted
    notice.value = { ...notice.value, is: 'back' }
    if (written) await inTurn(() => storeDraft(earlierName(wanted), written))
    else if (from !== wanted) await inTurn(() => discardDraft(from))
  }

  /**
   * Merges a draft with what was saved after it.
   * @returns the merged state, and its base: the saved state, but the old value where both changed one
   */
  function withLaterChanges(former: string, formerBase: string): { state: unknown; base: string } {
    const state: unknown = JSON.parse(former)
    if (asksFirst || formerBase === '') return { state, base: guard.saved() }
    const saved: unknown = JSON.parse(guard.saved())
    const merged = mergeEdits(JSON.parse(formerBase) as unknown, state, saved)
    const now = merged.conflicts.reduce((to, { path, base: was }) => withValue(to, path, was), saved)
    return { state: merged.state, base: JSON.stringify(now) }
  }

  async function discardNotice(): Promise<void> {
    if (notice.value?.is === 'back') {
      await restore(JSON.parse(guard.saved()) as never)
      base = guard.saved()
    }
    await forget()
  }

  async function forget(): Promise<void> {
    notice.value = null
    const dropped = offered?.name
    offered = null
    if (dropped !== undefined) await inTurn(() => discardDraft(dropped))
    else await drop()
  }

  async function drop(): Promise<void> {
    clearTimeout(timer)
    const dropped = keptName
    keptName = null
    if (dropped !== null) await inTurn(() => discardDraft(dropped))
  }

  function current() {
    return {
      title: title().slice(0, 255),
      path: (path?.() ?? route.fullPath).slice(0, 255),
      base,
      state: JSON.stringify(state())
    }
  }

  /**
   * Stores unsaved changes, or deletes the draft if there are none. An offered draft moves aside and can
   * still be accepted.
   */
  async function keep(): Promise<void> {
    clearTimeout(timer)
    const wanted = name()
    if (isFinal || isLeftForGood() || wanted === null || knownFor !== wanted) return
    if (!guard.isUnsaved()) {
      if (notice.value?.is === 'back') notice.value = null
      return drop()
    }
    const draft = current()
    keptName = wanted
    if (offered?.name === wanted) {
      const { state: former, base: formerBase } = offered
      const earlier = earlierName(wanted)
      offered = { name: earlier, state: former, base: formerBase }
      await inTurn(() => storeDraft(earlier, { ...draft, base: formerBase, state: former }))
    }
    await inTurn(() => storeDraft(wanted, draft))
  }

  /** Calls about a draft reach the application in their order. */
  function inTurn(work: () => Promise<unknown>): Promise<unknown> {
    const next = last.then(() => attempt(work))
    last = next.then(() => undefined)
    return next
  }

  async function attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await work()
      fault.value = ''
      return value
    } catch (error) {
      fault.value = messageOf(error)
      return undefined
    }
  }

  function storeSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => void keep(), pause)
  }
  /** A new record has another name once it is saved. */
  async function onSaved(): Promise<void> {
    if (!isFinal) await drop()
    await look()
    await keep()
  }
  const onUnload = (): void => void keep()

  watch(
    state,
    () => {
      isFinal = false
      storeSoon()
    },
    { deep: true }
  )
  onMounted(look)
  window.addEventListener('beforeunload', onUnload)
  onScopeDispose(() => {
    void keep()
    window.removeEventListener('beforeunload', onUnload)
  })

  return {
    asking: guard.asking,
    mayLeave: guard.mayLeave,
    notice,
    fault,
    bringBack,
    discardNotice,
    forget,
    discard: () => {
      void drop()
      isFinal = true
      guard.discard()
    },
    leaveKept: () => {
      void keep()
      isFinal = true
      guard.discard()
    },
    markSaved: (state) => {
      guard.markSaved(state)
      base = guard.saved()
      void onSaved()
    },
    base: () => JSON.parse(base) as unknown
  }
}
