import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { deleteList, importText, makeList } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('the layout, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('names some lists in the navigation, says how many more there are, and shows long names in full on request', async () => {
    const name = 'A list whose name is so long that it does not fit beside the pages of the window'
    for (const each of [name, ...Array.from({ length: 10 }, (_, number) => `List ${number}`)]) {
      await makeList(started.api, { name: each })
    }
    const window = await Window.open(browser, started.app, '/lists')
    const { page } = window
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await pages.getByRole('link', { name: '3 more lists' }).waitFor()
    const cut = pages.getByText(name)
    await cut.hover()
    expect(await cut.getAttribute('title')).toBe(name)
    const whole = pages.getByText('List 0')
    await whole.hover()
    expect(await whole.getAttribute('title')).toBeNull()
    await window.finish()
  })

  it('sorts lists again when their subscriber counts change', async () => {
    const { api } = started
    const [fewer, more] = [await makeList(api, { name: 'Fewer' }), await makeList(api, { name: 'More' })]
    await importText(api, more.id, 'email\na@example.com\n')
    const window = await Window.open(browser, started.app, '/lists')
    const { page } = window
    const header = page.getByRole('columnheader', { name: 'Subscribers' })
    const order = async () => {
      const rows = await page.getByRole('row', { name: /^(Fewer|More) / }).allInnerTexts()
      return rows.map((text) => text.split(/\s/)[0])
    }
    await header.getByRole('button').click()
    // The largest come first.
    await expect.poll(order).toEqual(['More', 'Fewer'])
    await importText(api, fewer.id, 'email\nb@example.com\nc@example.com\n')
    await expect.poll(order, { timeout: 10_000 }).toEqual(['Fewer', 'More'])
    await window.finish()
  })

  it('folds the pages into one button if there is no room for them', async () => {
    const window = await Window.open(browser, started.app, '/lists')
    const { page } = window
    await page.setViewportSize({ width: 900, height: 700 })
    await page.getByRole('button', { name: /sidebar/i }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Campaigns' }).click()
    await page.waitForURL('**/campaigns')
    await window.finish()
  })

  it('shows the results of an import, and that its list was deleted', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Gone' })
    const { id } = await importText(api, list.id, 'email\na@example.com\nnobody\n')
    await deleteList(api, list.id)
    const window = await Window.open(browser, started.app, `/imports/${id}`)
    const { page } = window
    await page.getByText('The list “Gone” was deleted').waitFor()
    expect(await page.locator('[data-outcome=failed]').innerText()).toBe('1')
    expect(await page.getByRole('button', { name: /Undo import|Open the list/ }).count()).toBe(0)
    await window.finish()
  })

  it.each([
    ['/lists/999', 'Go to the lists', '/lists'],
    ['/lists/999/campaigns/new', 'Go to the lists', '/lists'],
    ['/lists/999/import', 'Go to the lists', '/lists'],
    ['/lists/LIST/campaigns/999', 'Go to the list', '/lists/LIST/campaigns'],
    ['/lists/LIST/templates/999', 'Go to the list', '/lists/LIST/templates'],
    ['/lists/LIST/subscribers/999', 'Go to the list', '/lists/LIST'],
    ['/imports/999', 'Go to the imports', '/imports'],
    ['/suppression/999', 'Go to the suppression lists', '/suppression'],
    ['/nowhere', 'Go to the lists', '/lists']
  ])('has a page for %s, where nothing is, that leads on', async (path, link, leadsTo) => {
    const { id } = await makeList(started.api)
    const at = (template: string) => template.replace('LIST', String(id))
    const window = await Window.open(browser, started.app, at(path))
    await window.page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
    await window.page.waitForURL(`**${at(leadsTo)}`)
    await window.page.close()
  })
})
