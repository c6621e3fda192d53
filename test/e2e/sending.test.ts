import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect, describe, it } from 'vitest'
import { sharedApplication, startApplication } from '../support/application.ts'
import {
  allSubscribers,
  expectSuccess,
  makeAutoresponder,
  makeCampaign,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import { dnsServer, type Zone } from '../support/dns-server.ts'
import { messagesIn } from '../support/outbox.ts'
import { mailServer } from '../support/mail-server.ts'
import { listWith, routeTo, until } from '../support/smtp-route.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

/** The links of the confirmation messages in a form's outbox. */
async function confirmationsIn(dataDirectory: string, formId: number): Promise<string[]> {
  const messages = await messagesIn(join(dataDirectory, 'outbox', `confirmations-${formId}.mbox`))
  return messages.map(({ body }) => /http:\/\/\S+\/s\/[\w-]+/.exec(body)?.[0] ?? '')
}

const name = 'sending by SMTP, in a real Chromium'
describe.skipIf(skipsWithoutBrowser)(name, { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('is set up on the page Delivery, tested, and reported with each recipient', async () => {
    const user = { name: 'anna', password: 'a secret' }
    const server = await mailServer({
      user,
      treat: (to) =>
        to === 'p1@example.org'
          ? { refuse: 550, words: '5.1.1 Unknown user', at: 'rcpt' }
          : to === 'p2@example.org'
            ? { cut: 'after', keeps: true }
            : { accept: true }
    })
    const list = await listWith(started.api, ['p1@example.org', 'p2@example.org', 'p3@example.org'])
    const campaign = await makeCampaign(started.api, list.id, { name: 'Spring news' })
    const window = await Window.open(browser, started.app, '/delivery')
    const { page } = window

    await page.getByRole('button', { name: 'Set up a server' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('button', { name: 'Service' }).click()
    await page.getByRole('option', { name: 'Fastmail' }).click()
    await menuIsGone(page)
    expect(await form.getByRole('textbox', { name: /^Server/ }).inputValue()).toBe('smtp.fastmail.com')
    await form.getByRole('textbox', { name: /^Server/ }).fill('127.0.0.1')
    await form.getByLabel('Port').fill(String(server.port))
    await form.getByRole('combobox', { name: 'Security' }).click()
    await page.getByRole('option', { name: /^None/ }).click()
    await menuIsGone(page)
    await form.getByLabel('User name').fill(user.name)
    await form.getByLabel('Password').fill('wrong')
    await window.screenshot('smtp-server')
    await form.getByRole('button', { name: 'Save server' }).click()

    await page.getByText('Send your messages through “Fastmail”?').waitFor()
    await page.getByRole('button', { name: 'Send through it' }).click()
    await page.getByRole('button', { name: 'Test “Fastmail”' }).click()
    await page.getByLabel('Send to').fill('me@example.org')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByText('The message was not sent').waitFor()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('button', { name: /Fastmail 127/ }).click()
    await page.getByLabel('Password').fill(user.password)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Test “Fastmail”' }).click()
    await page.getByLabel('Send to').fill('me@example.org')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByText('The server accepted the message').waitFor()
    await page.getByText('RCPT TO:<me@example.org>').waitFor()
    await window.screenshot('smtp-test')

    await page.goto(`${started.app.baseUrl}/lists/${list.id}/campaigns/${campaign.id}`)
    await page.getByRole('button', { name: 'Send…' }).click()
    await window.screenshot('send-by-smtp')
    await page.getByRole('button', { name: 'Send now' }).click()
    const delivery = page.getByRole('region', { name: 'Delivery' })
    await delivery.getByRole('button', { name: 'Failed 1' }).click()
    await delivery.getByText('550 5.1.1 Unknown user').waitFor()
    await delivery.getByRole('button', { name: 'Uncertain 1' }).click()
    await delivery.getByText('p2@example.org').waitFor()
    await window.screenshot('delivery-journal')
    await delivery.getByRole('button', { name: /^Send again to the one recipient/ }).click()
    await page.getByText('They may get the message twice').waitFor()
  })

  it('shows a sequence as a timeline, in which messages change places, and who gets what next', async () => {
    const { api, app } = await startApplication()
    const list = await makeList(api, { d_from_email: 'news@example.com' })
    const welcome = {
      trigger: 'subscription',
      trigger_run_on_api: true,
      content_format: 'text',
      content_text: 'Hi'
    }
    await makeAutoresponder(api, list.id, 'Welcome', {
      ...welcome,
      ...{ delay: 'with_delay', delay_amount: 1, delay_unit: 'days', content_subject: 'Welcome!' }
    })
    await makeAutoresponder(api, list.id, 'Tips', {
      ...welcome,
      ...{ delay: 'with_delay', delay_amount: 3, delay_unit: 'days', content_subject: 'Three tips' }
    })
    await makeSubscriber(api, list.id, 'anna@example.org')
    const window = await Window.open(browser, app, `/lists/${list.id}/autoresponders`)
    const { page } = window

    await page.getByRole('button', { name: 'Timeline' }).click()
    await page.getByText('Day 1').waitFor()
    await page.getByText('1 message in the next 30 days').first().waitFor()
    await page.getByRole('button', { name: 'Who gets what next' }).click()
    await page.getByText('anna@example.org').first().waitFor()
    await window.screenshot('sequence')
    await page.getByRole('button', { name: 'Move “Tips” earlier' }).click()
    await page.getByRole('button', { name: 'Move “Tips” later' }).and(page.locator(':enabled')).waitFor()

    const [first] = await page.getByRole('listitem').filter({ hasText: 'Day 1' }).allInnerTexts()
    expect(first).toContain('Tips')
  })

  it('asks for a confirmation, whose page adds the subscriber at the press of a button', async () => {
    const { api, app } = await startApplication()
    const list = await makeList(api, { name: 'Garden news', d_from_email: 'news@example.com' })
    const window = await Window.open(browser, app, `/lists/${list.id}/forms`)
    const { page } = window

    await page.getByRole('button', { name: 'Create form' }).first().click()
    await page.getByLabel('Name').fill('Website')
    await page.getByRole('switch', { name: 'Write the message myself' }).click()
    await window.screenshot('confirmation-form')
    await page.getByRole('dialog').getByRole('button', { name: 'Create form' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const [form] = expectSuccess(await api.get<{ id: number }[]>(`/mailing_lists/${list.id}/web_forms`))
    await api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'anna@example.org', status: 'active', confirmation_form_id: form?.id }
    })
    await page.getByText('anna@example.org').waitFor()
    await page.getByText(/^Sent /).waitFor()
    await window.screenshot('forms')
    const [message] = await confirmationsIn(app.dataDirectory, form?.id ?? 0)
    await page.goto(message ?? '')
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor()
    await window.screenshot('confirm')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Your address is confirmed: you will get “Garden news”.').waitFor()

    const [subscriber] = await allSubscribers(api, list.id)
    expect(subscriber?.email).toBe('anna@example.org')
  })

  it('attaches files to a campaign that was not saved yet, and lists them before it is sent', async () => {
    const { api, app } = await startApplication()
    const list = await makeList(api, { name: 'Garden news', d_from_email: 'news@example.com' })
    await makeSubscriber(api, list.id, 'anna@example.org')
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns/new`)
    const { page } = window
    const attachments = page.getByRole('region', { name: 'Attachments' })
    const attach = async (name: string, size = 2_400_000): Promise<void> => {
      const chosen = page.waitForEvent('filechooser')
      await attachments.getByRole('button', { name: 'Attach files' }).click()
      const file = { name, mimeType: 'application/pdf', buffer: Buffer.alloc(size, name) }
      await (await chosen).setFiles([file])
    }

    await page.getByLabel('Name', { exact: true }).fill('Spring offer')
    await attach('Prices 2026.pdf')
    await attachments.getByText('Prices 2026.pdf').waitFor()
    await attach('setup.exe')
    await attachments.getByText('Mailbox providers refuse files that end in .exe').waitFor()
    await attach('Video.mp4', 11_000_000)
    await attachments.getByText('With Video.mp4 the attachments would have 11 MB').waitFor()
    await attach('Map.pdf', 90_000)
    await attachments.getByText('Map.pdf').waitFor()
    await attachments.scrollIntoViewIfNeeded()
    await window.screenshot('attachments')
    await attachments.getByRole('button', { name: 'Remove Map.pdf' }).click()
    await attachments.getByText('Map.pdf').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByRole('dialog').getByText('Prices 2026.pdf (2.4 MB)').waitFor()
    await window.screenshot('send-with-attachments')
  })

  it('sends a preview of an autoresponder, and lists earlier ones', async () => {
    const server = await mailServer({
      treat: (to) =>
        to === 'no@example.org' ? { refuse: 550, words: '5.1.1 Unknown user', at: 'rcpt' } : { accept: true }
    })
    const { api, app } = await startApplication()
    await routeTo(api, server.port)
    const list = await makeList(api, { d_from_email: 'news@example.com' })
    const { id } = await makeAutoresponder(api, list.id, 'Welcome', {
      ...{ content_subject: 'Welcome!', content_format: 'text', content_text: 'Hello' }
    })
    const window = await Window.open(browser, app, `/lists/${list.id}/autoresponders/${id}`)
    const { page } = window
    const dialog = page.getByRole('dialog')

    await page.getByRole('button', { name: 'Send a preview' }).click()
    await dialog.getByLabel('Addresses').fill('no@example.org me@example.org')
    await dialog.getByRole('button', { name: 'Send the preview' }).click()
    await dialog.getByText('Unknown user').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Send a preview' }).click()
    await dialog.getByText('Earlier previews').waitFor()
    await dialog.getByText('me@example.org').first().waitFor()
    await window.screenshot('earlier-previews')

    expect(server.received.map(({ to }) => to)).toEqual(['me@example.org'])
  })

  it('unsubscribes by the link of a message that a mail server took', async () => {
    const server = await mailServer()
    const { api, app } = await startApplication()
    await routeTo(api, server.port)
    expectSuccess(await api.post('/url_domains', { url_domain: { domain: 'links.example.com' } }))
    const list = await listWith(api, ['anna@example.org'])
    await makeCampaign(api, list.id, {
      contents: [{ subject: 'Hello', format: 'text', text: 'Leave: %%unsubscribe_link%%' }],
      dispatch_attributes: {
        from_email: 'news@example.com',
        url_domain_name: 'links.example.com',
        begins_at: Math.floor(Date.now() / 1000)
      }
    })
    await until(() => Promise.resolve(server.received.length === 1))
    const { text } = await PostalMime.parse(server.received[0]?.content ?? '')
    const link = /^Leave: http:\/\/links\.example\.com(\/u\/\S+)/.exec(text ?? '')?.[1] ?? ''
    const window = await Window.open(browser, app, '/')
    const { page } = window

    // The domain would be forwarded to this computer.
    await page.goto(app.baseUrl + link)
    expect((await allSubscribers(api, list.id))[0]?.status).toBe('active')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()

    expect((await allSubscribers(api, list.id))[0]?.status).toBe('unsubscribed')
  })

  it('shows the record of a DKIM key, and says what is left to do before a campaign is sent', async () => {
    const zone: Zone = { TXT: { 'example.com': ['v=spf1 -all'] }, MX: { 'example.com': ['mx.example.com'] } }
    const { address } = await dnsServer(zone)
    const { api, app } = await startApplication(undefined, { dnsServers: [address] })
    await routeTo(api, 2525, { messages_per_hour: 100 })
    const list = await listWith(api, ['p1@example.org'])
    const campaign = await makeCampaign(api, list.id, { name: 'Spring news' })
    const window = await Window.open(browser, app, '/delivery')
    const { page } = window

    await page.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByLabel('Domain of your sender').fill('example.com')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const record = page.getByRole('dialog', { name: 'example.com' })
    await record.getByRole('button', { name: 'Check the DNS' }).click()
    await record.getByText('The DNS has no TXT record').waitFor()
    const value = await record.getByRole('textbox', { name: 'Value' }).inputValue()
    zone.TXT = { ...zone.TXT, 'listwright._domainkey.example.com': [value] }
    await record.getByRole('button', { name: 'Check the DNS' }).click()
    await record.getByText('The key is published').waitFor()
    await window.screenshot('dkim-record')

    await page.goto(`${app.baseUrl}/lists/${list.id}/campaigns/${campaign.id}`)
    await page.getByRole('button', { name: 'Send…' }).click()
    const checks = page.getByRole('region', { name: 'Sender' })
    await page.getByRole('button', { name: 'Check every message' }).click()
    await page.getByText('One message, ').waitFor()
    await checks.getByText('The domain example.com has no DMARC record').waitFor()
    await checks.getByText('5 checks passed').waitFor()
    await page.getByText('1 minute').waitFor()
    await window.screenshot('send-preflight')
  })
})
