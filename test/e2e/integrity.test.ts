import SQLite from 'better-sqlite3'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('damaged data, in a real Chromium', () => {
  const browser = sharedBrowser()

  it('is announced in a banner, and the user can recover it or use it unchanged', async () => {
    const first = await startApplication()
    const list = await makeList(first.api, { name: 'Readers' })
    await makeSubscriber(first.api, list.id, 'a@example.com')
    await first.app.close()
    const other = new SQLite(join(first.dataDirectory, 'listwright.db'))
    other.exec("UPDATE subscribers SET email = 'b@example.com'")
    other.close()

    const { app } = await startApplication(first.dataDirectory)
    const window = await Window.open(browser, app, '/')
    const { page } = window
    await page.getByText('Your data is damaged').waitFor()
    await window.screenshot('damage-banner')
    await page.getByRole('link', { name: 'See what to do' }).click()
    await page.getByText('not what Listwright wrote last').waitFor()
    await window.screenshot('damage-decision')
    await page.getByRole('button', { name: 'Recover what can be read' }).click()
    await page
      .getByText('A backup of everything that could be read has been added to the list below.')
      .waitFor()
    await page.getByText('Recovered from damaged data').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the list of losses' }).click()
    ])
    expect(await readFile(await download.path(), 'utf8')).toContain('b@example.com')
    await window.screenshot('damage-recovered')
    await page.getByRole('button', { name: 'Use the data as it is' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use the data as it is' }).click()
    await page.getByText('Your data is damaged').waitFor({ state: 'detached' })
    await window.finish()
  })
})
