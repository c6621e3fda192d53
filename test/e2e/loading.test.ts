import { expect, it } from 'vitest'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

// In a file of its own, since a page loads again what other tests changed shortly before.
onEachStage('a page that loads', ({ started, open }) => {
  it('loads few files, and none twice', async () => {
    const list = await makeList(started.api)
    const window = await open()
    const { page } = window
    // So that the first page makes no more requests.
    await page.goto('about:blank')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${started.app.baseUrl}/lists/${list.id}`)
    await page.getByText('No subscribers yet').waitFor()
    // Shown once live events are connected.
    await makeSubscriber(started.api, list.id, 'first@example.com')
    await page.getByText('first@example.com').waitFor()

    expect(asked.filter((path) => path.endsWith('.js')).length).toBeLessThan(10)
    // Only what the new list and subscriber changed may be requested again.
    const others = asked.filter((path) =>
      /\/(segments|custom_fields|table_views|remotes|integrity)$/.test(path)
    )
    expect(others.toSorted()).toEqual([...new Set(others)].toSorted())
    expect(new Set(others).size).toBe(5)
    await window.finish()
  })
})
