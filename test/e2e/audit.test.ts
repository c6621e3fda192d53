import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { makeUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { importFile, makeField, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('the audit log, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('shows who changed what, is narrowed, and is downloaded', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Club' })
    await makeField(api, list.id, 'City', 'text')
    const { id } = await makeSubscriber(api, list.id, 'anna@example.com')
    const subscriber = { status: 'unsubscribed', custom_fields: { City: 'Wien' } }
    await api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber })
    await importFile(started, list.id, 'email\nben@example.com\nclara@example.com\n')
    await makeUser(started, { full_name: 'Dario' })
    const segment = await makeSegment(api, list.id, { name: 'Regulars', other: list.id })
    await api.delete(`/segments/${segment.id}`)

    const window = await Window.open(browser, started.app)
    const { page } = window
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('Status: Active → Unsubscribed').waitFor()
    const row = (text: string) => page.getByRole('row').filter({ hasText: text })
    expect(await row('Regulars').innerText()).toMatch(/Segment · deleted.*System Administrator.*Club/s)
    expect(await row('2 subscribers').innerText()).toMatch(/Subscriber · created.*Import of file-\d+\.csv/s)
    expect(await row('Signed in when the app was opened').innerText()).toContain('In the app')
    await window.screenshot('audit')

    const choose = async (select: string, option: string): Promise<void> => {
      await page.getByLabel(new RegExp(`^${select}: `)).click()
      await page.getByRole('option', { name: option, exact: true }).click()
      await menuIsGone(page)
    }
    await choose('What', 'User')
    await page.getByRole('cell', { name: 'Dario' }).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    // The filter stands in the address.
    await page.reload()
    await page.getByRole('cell', { name: 'Dario' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click()
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/,created,user,\d+,1,Dario,/)

    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('No matches').waitFor()
    await window.screenshot('audit-none')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await api.delete(`/mailing_lists/${list.id}/subscribers/${id}`)
    await page.getByRole('button', { name: 'Restore anna@example.com' }).click()
    await page.getByText('“anna@example.com” was restored.', { exact: true }).first().waitFor()
    await window.screenshot('audit-restored')
    await page.getByRole('link', { name: 'anna@example.com' }).first().click()
    await page.getByRole('heading', { name: 'anna@example.com' }).waitFor()
    await window.finish()
  })

  it('is reached from a record, and goes back in time', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Long story' })
    const field = await makeField(api, list.id, 'Name 0', 'text')
    for (let index = 1; index <= 60; index++) {
      await api.put(`/custom_fields/${field.id}`, { custom_field: { name: `Name ${index}` } })
    }
    const window = await Window.open(browser, started.app, `/lists/${list.id}/fields`)
    const { page } = window
    await page.getByRole('button', { name: /Name 60/ }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'History' }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('button', { name: 'Show older events' }).click()
    await page.getByText('Custom field · created').waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(61)
    expect(await page.getByRole('button', { name: 'Show older events' }).count()).toBe(0)
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/settings`)
    await page.getByRole('link', { name: 'Show the audit log' }).click()
    await page.getByLabel('List: Long story').waitFor()
    await window.finish()
  })
})
