import { createPinia, disposePinia, setActivePinia } from 'pinia'
import { type App, createRenderer, h } from 'vue'
import { createMemoryHistory, createRouter, RouterView } from 'vue-router'
import { onTestFinished, vi } from 'vitest'
import { i18n } from '../../../src-renderer/i18n.ts'
import { storeSession } from '../../../src-renderer/api/client.ts'
import type { StartedApplication } from '../../support/application.ts'

/** Storage of a window, which Node does not have. */
class MemoryStorage {
  readonly #values = new Map<string, string>()

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.#values.set(key, value)
  }

  removeItem(key: string): void {
    this.#values.delete(key)
  }
}

/**
 * Gives the code of the window what a browser provides: storage, a window for its events, and calls that go to
 * the application, signed in as its administrator.
 */
export async function openWindow(started?: StartedApplication): Promise<void> {
  vi.stubGlobal('localStorage', new MemoryStorage())
  vi.stubGlobal('window', new EventTarget())
  const pinia = createPinia()
  setActivePinia(pinia)
  onTestFinished(() => {
    disposePinia(pinia)
    vi.unstubAllGlobals()
  })
  if (!started) return
  const { baseUrl } = started.app
  const call = globalThis.fetch
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => call(new URL(path, baseUrl), init))
  const token = new URL(started.app.interfaceUrl()).searchParams.get('sign_in')
  const answer = await call(`${baseUrl}/app/v1/session/link`, {
    method: 'POST',
    body: JSON.stringify({ token })
  })
  storeSession(((await answer.json()) as { data: { session: string } }).data.session)
}

/** Draws nothing: composables need a component, and not what it shows. */
const node = (): object => ({ getRootNode: () => null })
const { createApp } = createRenderer<object, object>({
  createElement: node,
  createText: node,
  createComment: node,
  insert: () => undefined,
  remove: () => undefined,
  parentNode: () => null,
  nextSibling: () => null,
  patchProp: () => undefined,
  setElementText: () => undefined,
  setText: () => undefined
})

export interface Mounted<Result> {
  result: Result
  unmount: () => void
}

/** Runs a composable in the setup of a page, with router, texts and stores. */
export async function mountComposable<Result>(composable: () => Result): Promise<Mounted<Result>> {
  let result: Result | undefined
  const page = {
    setup() {
      result = composable()
      return () => null
    }
  }
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: page }] })
  await router.push('/')
  const app: App = createApp({ render: () => h(RouterView) })
  app.use(router).use(i18n)
  app.mount(node())
  let isMounted = true
  const unmount = (): void => {
    if (isMounted) app.unmount()
    isMounted = false
  }
  onTestFinished(unmount)
  // Mounting ran the setup.
  return { result: result as Result, unmount }
}

/** Waits until a condition holds, also on a busy machine. */
export function waitUntil(condition: () => unknown): Promise<unknown> {
  return vi.waitUntil(condition, { timeout: 15_000 })
}
