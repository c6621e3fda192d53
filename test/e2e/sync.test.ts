import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('sync, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const server = sharedApplication()
  const browser = sharedBrowser()

  it('adds a remote, runs, compares both sides, and resolves a conflict', async () => {
    const { api, app } = started
    const list = await makeList(api, { name: 'Newsletter' })
    await makeField(api, list.id, 'City', 'text')
    await makeSubscriber(api, list.id, 'ada@example.com', { custom_fields: { City: 'Oslo' } })
    await makeSubscriber(api, list.id, 'bob@example.com', { custom_fields: { City: 'Oslo' } })
    const window = await Window.open(browser, app)
    const { page } = window
    await page.getByRole('link', { name: 'Sync' }).click()
    await page.getByText('No server yet').waitFor()
    await window.screenshot('sync-empty')

    await page.getByRole('button', { name: 'Add server' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Address').fill('http://api.example.com')
    await form.getByLabel('Organization ID').fill('1')
    await form.getByLabel('API key').fill(await server.app.createApiKey('sync'))
    await form.getByRole('button', { name: 'Test and preview' }).click()
    await form.getByText(/so that nobody can intercept/).waitFor()
    await form.getByLabel('Address').fill(server.app.baseUrl)
    await form.getByText('Both ways').click()
    await form.getByLabel('If both sides change the same value').click()
    await page.getByRole('option', { name: 'Ask me' }).click()
    await form.getByRole('button', { name: 'Test and preview' }).click()
    await form.getByText('2 subscribers here, created on the server').waitFor()
    await window.screenshot('sync-add')
    await form.getByRole('button', { name: 'Add server' }).click()
    await page.getByText('Not synced yet').waitFor()

    await page.getByRole('button', { name: 'Sync now' }).click()
    await page.getByText('1 list, 1 custom field, 2 subscribers').waitFor()
    await page.getByText('Up to date').waitFor()
    await window.screenshot('sync-done')

    const { data: lists } = await server.api.get<MailingList[]>('/mailing_lists')
    const put = (client: typeof api, listId: number, City: string) =>
      client.put(`/mailing_lists/${listId}/subscribers/ada@example.com`, {
        subscriber: { custom_fields: { City } }
      })
    await put(api, list.id, 'Bergen')
    await put(server.api, lists[0]?.id ?? 0, 'Trondheim')
    await page.getByText('Changes to send').waitFor()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await page.getByText('1 value needs your decision.').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('1 difference').waitFor()
    await window.screenshot('sync-conflict')
    await page.getByRole('button', { name: 'Use the server’s value: City of ada@example.com' }).click()
    await page.getByText('Changed on both sides.').waitFor()
    const city = async () => {
      const path = `/mailing_lists/${list.id}/subscribers/ada@example.com`
      const { data } = await api.get<{ custom_fields: Record<string, { value: unknown }> }[]>(path)
      return data[0]?.custom_fields['City']?.value
    }
    await expect.poll(city, { timeout: 10_000 }).toBe('Trondheim')

    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('The server')
    await window.screenshot('sync-settings')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'The server' }).waitFor()
    await page.getByRole('button', { name: 'Remove server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove server' }).click()
    await page.getByText('No server yet').waitFor()
    await window.finish()
  })
})
