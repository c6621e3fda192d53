import { describe, expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('events, in a real Chromium', { timeout: 120_000 }, () => {
  const browser = sharedBrowser()

  it('appear as they happen, and are sent to a webhook that is set up, tested and repeated in the window', async () => {
    const receiver = await webhookReceiver()
    const { api, app } = await startApplication()
    const list = await makeList(api, { name: 'News' })
    const window = await Window.open(browser, app, '/events')
    const { page } = window

    await page.getByText('Nothing has happened yet').waitFor()
    await window.screenshot('events-empty')
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('CRM')
    await form.getByLabel('Address', { exact: true }).fill(receiver.url)
    await form.getByRole('switch', { name: 'May be in a private network' }).click()
    await window.screenshot('webhook-form')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    const secret = page.getByRole('dialog', { name: 'The secret of this webhook' })
    expect(await secret.getByRole('textbox', { name: 'Secret' }).inputValue()).toMatch(/^whsec_/)
    await window.screenshot('webhook-secret')
    await secret.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Test “CRM”' }).click()
    await page
      .getByText(/^It works: status 200/)
      .first()
      .waitFor()
    const { id } = await makeSubscriber(api, list.id, 'anna@example.com')
    await api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber: { status: 'bounced' } })
    await page.getByText('Status: Active → Bounced').click()
    await page.getByText('"event_type": "studio_subscriber_updated"').waitFor()
    await window.screenshot('events')
    await page.getByRole('button', { name: /^CRM/ }).click()
    await page.getByRole('button', { name: 'Send again', exact: true }).first().click()
    await expect.poll(() => receiver.accepted.filter(({ event_id }) => event_id > 0).length).toBe(3)
    await window.screenshot('webhook')
    receiver.answer = () => 500
    await makeSubscriber(api, list.id, 'ben@example.com')
    await page.getByText('answered with status 500').waitFor()
    receiver.answer = () => 200
    await page.getByRole('button', { name: 'Try again now' }).click()
    await expect.poll(() => receiver.accepted.at(-1)?.email).toBe('ben@example.com')
    await window.screenshot('webhook-again')
  })
})
