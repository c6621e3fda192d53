import { type Ref, onMounted, onScopeDispose, ref, watch } from 'vue'
import { useRoute } from 'vue-router'
import { messageOf } from '../../src-main/base/errors.ts'
import { type Draft, dropDraft, fetchDraft, keepDraft } from '../api/drafts.ts'
import { mergeEdits, withValue } from '../components/records/merge-edits.ts'
import { isLeftForGood, type UnsavedGuard, useUnsavedGuard } from './useUnsavedGuard.ts'

/** Something that is written in the window, and that outlives the window before it is saved. */
export interface DraftOf {
  /** Which it is, such as "campaign 5"; null = nothing is kept of it. A person has one draft of each name. */
  name: () => string | null
  /** What it is called in lists of drafts. */
  title: () => string
  /** The page where it goes on; this one, unless it says otherwise. */
  path?: (() => string) | undefined
  /** What is edited, null where nothing is. */
  state: () => unknown
  /** Puts back what `state` was, out of JSON. Where that is false, it could not. */
  restore: (state: never) => unknown
  /** Whether it is only offered, never restored by itself, since it starts afresh each time. */
  asksFirst?: boolean
}

/** What is said of a draft of last time. */
export interface DraftNotice {
  /** When it was written, as the API has times. */
  writtenAt: string
  /** "back" where it was put back, "offered" where somebody has to say so. */
  is: 'back' | 'offered'
  /** Whether something else was saved since then. */
  isOutdated: boolean
}

export interface KeptDraft extends Omit<UnsavedGuard, 'isUnsaved' | 'saved'> {
  notice: Readonly<Ref<DraftNotice | null>>
  /** Why what is written cannot be kept, as a sentence; '' while it can. */
  fault: Readonly<Ref<string>>
  /** Puts back what is offered. */
  bringBack: () => Promise<void>
  /** Drops the draft of last time; what was saved is shown again. */
  dropNotice: () => Promise<void>
  /** Drops the draft of last time, and leaves what is shown as it is. */
  forget: () => Promise<void>
  /** The answer that the page may be left, and that what was written is to be there next time. */
  leaveKept: () => void
  /** @returns what was stored when the writing began, of which a draft of last time is a change; of the type of the state */
  base: () => unknown
}

/** Where an offered draft waits while something else is written in its place. */
function earlierName(name: string): string {
  return name + earlierSuffix
}
const earlierSuffix = ' (earlier)'

/** True if the draft of this name waits beside one that was written later. */
export function isEarlierDraft(name: string): boolean {
  return name.endsWith(earlierSuffix)
}

/** How long after the last change it is kept, in milliseconds. */
const pause = 800

/**
 * Guards leaving as useUnsavedGuard() does, and keeps what is not saved: when the page is opened again it is put back,
 * or offered where something else was saved since. Must be called in setup.
 */
export function useDraft({ name, title, path, state, restore, asksFirst = false }: DraftOf): KeptDraft {
  const route = useRoute()
  const guard = useUnsavedGuard(state)
  const notice = ref<DraftNotice | null>(null)
  const fault = ref('')
  /** The draft of last time, as long as it is neither back nor dropped, and the name that it has. */
  let offered: { name: string; state: string; base: string } | null = null
  /** What is written is a change of this, as JSON. */
  let base = guard.saved()
  /** Under which name that is kept which is written now; null = nothing is. */
  let keptName: string | null = null
  /** What has been looked for, and then what was found; undefined = nothing yet. Nothing is kept before. */
  let lookedFor: string | null | undefined
  let knownFor: string | null | undefined
  /** Whether the draft stays as it is, until something else is written. */
  let isFinal = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = Promise.resolve()

  /** Looks for a draft of last time, once for each name. */
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
    if (guard.isUnsaved()) keepSoon()
  }

  async function find(sought: string): Promise<(Draft & { name: string }) | null> {
    const draft = await attempt(() => fetchDraft(sought))
    return draft ? { ...draft, name: sought } : null
  }

  /** Puts a draft back, or offers it where that would take something else away. */
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
    // What was written since then takes its place.
    const written = guard.isUnsaved() ? current() : null
    const merged = withLaterChanges(former, formerBase)
    if ((await restore(merged.state as never)) === false) return
    base = merged.base
    offered = null
    keptName = wanted
    notice.value = { ...notice.value, is: 'back' }
    if (written) await inTurn(() => keepDraft(earlierName(wanted), written))
    else if (from !== wanted) await inTurn(() => dropDraft(from))
  }

  /**
   * Merges a draft with what was saved after it.
   * @returns the state to show, and what it is a change of: what is saved now, but where both changed a value what that was before
   */
  function withLaterChanges(former: string, formerBase: string): { state: unknown; base: string } {
    const state: unknown = JSON.parse(former)
    if (asksFirst || formerBase === '') return { state, base: guard.saved() }
    const saved: unknown = JSON.parse(guard.saved())
    const merged = mergeEdits(JSON.parse(formerBase) as unknown, state, saved)
    const now = merged.conflicts.reduce((to, { path, base: was }) => withValue(to, path, was), saved)
    return { state: merged.state, base: JSON.stringify(now) }
  }

  async function dropNotice(): Promise<void> {
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
    if (dropped !== undefined) await inTurn(() => dropDraft(dropped))
    else await drop()
  }

  /** Drops what is written now. */
  async function drop(): Promise<void> {
    clearTimeout(timer)
    const dropped = keptName
    keptName = null
    if (dropped !== null) await inTurn(() => dropDraft(dropped))
  }

  function current() {
    return {
      title: title().slice(0, 255),
      path: (path?.() ?? route.fullPath).slice(0, 255),
      base,
      state: JSON.stringify(state())
    }
  }

  /** Keeps what is not saved, or drops what was. An offer that waits for its answer makes room, and can still be accepted. */
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
      await inTurn(() => keepDraft(earlier, { ...draft, base: formerBase, state: former }))
    }
    await inTurn(() => keepDraft(wanted, draft))
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

  function keepSoon(): void {
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
      keepSoon()
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
    dropNotice,
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
