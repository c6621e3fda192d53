import { describe, expect, it } from 'vitest'
import { useDismissed } from '../../src-renderer/stores/dismissed.ts'
import { guardLeaving, mayLeaveWindow } from '../../src-renderer/stores/leaving.ts'
import { useMailingLists } from '../../src-renderer/stores/mailing-lists.ts'
import { useSession } from '../../src-renderer/stores/session.ts'
import { sharedApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { mountComposable, openWindow, waitUntil } from './support/window.ts'

const started = sharedApplication()

describe('useSession', () => {
  it('offers nothing before it is loaded, and then what the user may do', async () => {
    await openWindow(started)
    const { result: session } = await mountComposable(useSession)

    expect(session.may('subscriber.import')).toBe(false)

    await waitUntil(() => session.session)
    expect([session.may('subscriber.import'), session.isSystemAdmin]).toEqual([true, true])
  })
})

describe('useMailingLists', () => {
  it('has each list with its counts, and the totals', async () => {
    const list = await makeList(started.api, { name: 'Readers' })
    await makeSubscriber(started.api, list.id, 'anna@example.com')
    await openWindow(started)
    const { result: store } = await mountComposable(useMailingLists)

    await waitUntil(() => store.loaded)

    expect(store.byId.get(list.id)).toMatchObject({ name: 'Readers', total: 1 })
    expect(store.totals.active).toBe(1)
  })

  it('keeps the same lists when only their counts change', async () => {
    const list = await makeList(started.api)
    await openWindow(started)
    const { result: store } = await mountComposable(useMailingLists)
    await waitUntil(() => store.loaded)
    const before = store.lists

    await makeSubscriber(started.api, list.id, 'ben@example.com')
    await store.reload()

    expect(store.lists).toBe(before)
    expect(store.countsOf(list.id).active).toBe(1)
  })

  it('shows a list that another program creates', async () => {
    await openWindow(started)
    const { result: store } = await mountComposable(useMailingLists)
    await waitUntil(() => store.loaded)

    const list = await makeList(started.api, { name: 'From a program' })

    await waitUntil(() => store.byId.has(list.id))
  })
})

async function openDismissed() {
  const { result } = await mountComposable(useDismissed)
  await waitUntil(() => useSession().session)
  return result
}

describe('useDismissed', () => {
  it('hides a line until it says something else', async () => {
    await openWindow(started)
    const lines = await openDismissed()

    lines.dismiss('job 7', 'failed at noon')

    expect(lines.isDismissed('job 7', 'failed at noon')).toBe(true)
    expect(lines.isDismissed('job 7', 'failed at one')).toBe(false)
  })

  it('remembers the 500 lines that were dismissed last', async () => {
    await openWindow(started)
    const lines = await openDismissed()

    for (let line = 0; line <= 500; line++) lines.dismiss(`line ${line}`, 'says')

    expect([lines.isDismissed('line 0', 'says'), lines.isDismissed('line 1', 'says')]).toEqual([false, true])
  })

  it('starts empty if the stored text is not JSON', async () => {
    await openWindow(started)
    await openDismissed()
    const { organization, user } = useSession().session ?? {}
    localStorage.setItem(`listwright.dismissed.${organization?.id}.${user?.id}`, 'no JSON')
    useDismissed().$dispose()

    const lines = await openDismissed()

    expect(lines.isDismissed('job 7', 'failed')).toBe(false)
  })
})

describe('leaving the window', () => {
  it('is allowed once every guard agrees, and asks no more after the first that does not', async () => {
    const asked: string[] = []
    const guard = (name: string, answer: boolean) =>
      guardLeaving(() => {
        asked.push(name)
        return Promise.resolve(answer)
      })
    const ends = [guard('draft', true), guard('import', false), guard('form', true)]

    expect(await mayLeaveWindow()).toBe(false)
    expect(asked).toEqual(['draft', 'import'])

    for (const end of ends) end()
    expect(await mayLeaveWindow()).toBe(true)
  })
})
