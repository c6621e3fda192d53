import { describe, expect, it, vi } from 'vitest'
import { nextTick, reactive } from 'vue'
import { fetchDraft, storeDraft } from '../../src-renderer/api/drafts.ts'
import { useDraft } from '../../src-renderer/composables/useDraft.ts'
import { sharedApplication } from '../support/application.ts'
import { mountComposable, openWindow, waitUntil } from './support/window.ts'

const started = sharedApplication()
let forms = 0

async function openForm(
  saved: { name: string; note: string },
  name: string,
  options: { asksFirst?: boolean } = {}
) {
  const state = reactive({ ...saved })
  const { result, unmount } = await mountComposable(() =>
    useDraft({
      name: () => name,
      title: () => 'A form',
      state: () => state,
      restore: (restored: typeof saved) => void Object.assign(state, restored),
      ...options
    })
  )
  return { state, draft: result, unmount }
}

/** The state of a stored draft; undefined = there is none. */
async function storedState(name: string): Promise<unknown> {
  const draft = await fetchDraft(name)
  return draft ? (JSON.parse(draft.state) as unknown) : undefined
}

const nameOfForm = (): string => `form ${++forms}`

describe('useDraft', () => {
  const saved = { name: 'Saved', note: '' }

  it('stores what is typed, and restores it when the page is opened again', async () => {
    await openWindow(started)
    const name = nameOfForm()
    const first = await openForm(saved, name)
    first.state.name = 'Typed'
    await waitUntil(() => fetchDraft(name))
    first.unmount()

    const second = await openForm(saved, name)

    await waitUntil(() => second.state.name === 'Typed')
    expect(second.draft.notice.value).toMatchObject({ is: 'back', isOutdated: false })
  })

  it('offers a draft if something else was saved since, and merges it on request', async () => {
    await openWindow(started)
    const name = nameOfForm()
    const base = JSON.stringify(saved)
    await storeDraft(name, { title: '', path: '/', base, state: JSON.stringify({ ...saved, name: 'Typed' }) })

    const { state, draft } = await openForm({ ...saved, note: 'Of another user' }, name)
    await waitUntil(() => draft.notice.value)
    expect(draft.notice.value).toMatchObject({ is: 'offered', isOutdated: true })
    expect(state.name).toBe('Saved')
    await draft.bringBack()

    expect(state).toEqual({ name: 'Typed', note: 'Of another user' })
  })

  it('offers a draft of a form that always starts anew', async () => {
    await openWindow(started)
    const name = nameOfForm()
    await storeDraft(name, {
      title: '',
      path: '/',
      base: '',
      state: JSON.stringify({ name: 'Typed', note: '' })
    })

    const { state, draft } = await openForm({ name: '', note: '' }, name, { asksFirst: true })
    await waitUntil(() => draft.notice.value)

    expect(draft.notice.value?.is).toBe('offered')
    expect(state.name).toBe('')
  })

  it('deletes the draft once the record is saved', async () => {
    await openWindow(started)
    const name = nameOfForm()
    await storeDraft(name, {
      title: '',
      path: '/',
      base: JSON.stringify(saved),
      state: JSON.stringify({ ...saved, name: 'Typed' })
    })
    const { state, draft } = await openForm(saved, name)
    await waitUntil(() => state.name === 'Typed')

    draft.markSaved()

    await waitUntil(async () => (await fetchDraft(name)) === null)
  })

  it('keeps an offered draft under another name while something else is typed', async () => {
    await openWindow(started)
    const name = nameOfForm()
    await storeDraft(name, {
      title: '',
      path: '/',
      base: '',
      state: JSON.stringify({ name: 'Earlier', note: '' })
    })
    const { state, draft, unmount } = await openForm({ name: '', note: '' }, name, { asksFirst: true })
    await waitUntil(() => draft.notice.value)

    state.name = 'Later'
    await nextTick()
    unmount()

    await waitUntil(async () => (await fetchDraft(name))?.state.includes('Later'))
    expect(await storedState(name)).toMatchObject({ name: 'Later' })
    expect(await storedState(`${name} (earlier)`)).toMatchObject({ name: 'Earlier' })
  })

  it('says why a draft cannot be stored', async () => {
    await openWindow(started)
    const { state, draft, unmount } = await openForm(saved, nameOfForm())
    await nextTick()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))

    state.name = 'Typed'
    await nextTick()
    unmount()

    await waitUntil(() => draft.fault.value)
    expect(draft.fault.value).toBe('Listwright does not answer. Is it still running?')
  })
})
