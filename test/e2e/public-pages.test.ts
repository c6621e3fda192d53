import { readFileSync } from 'node:fs'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { PendingSubscription } from '../../src-main/api/web-forms/schema.ts'
import { startApplication } from '../support/application.ts'
import {
  allSubscribers,
  expectSuccess,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import { addGate, fetchNow, openGate } from '../support/gate.ts'
import { messagesIn, outboxOf } from '../support/outbox.ts'
import { until } from '../support/smtp-route.ts'
import { type SharedBrowser, sharedBrowser, skipsWithoutBrowser } from './browser.ts'

// What visitors see: at the width of a phone, and without JavaScript.

const axeSource = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

const texts = {
  'en-US': {
    ask: 'Unsubscribe',
    press: 'Unsubscribe',
    done: 'You are unsubscribed',
    undo: 'Undo',
    undone: 'You are subscribed again',
    confirm: 'Confirm',
    confirmed: 'Thank you',
    instead: 'Choose what you get instead',
    want: 'I want it',
    save: 'Save',
    saved: 'Saved',
    email: 'Email address',
    subscribe: 'Subscribe',
    look: 'Please look into your mailbox'
  },
  'de-DE': {
    ask: 'Abmelden',
    press: 'Abmelden',
    done: 'Sie sind abgemeldet',
    undo: 'Rückgängig machen',
    undone: 'Sie sind wieder angemeldet',
    confirm: 'Bestätigen',
    confirmed: 'Danke',
    instead: 'Lieber auswählen, was Sie erhalten',
    want: 'Ich möchte es',
    save: 'Speichern',
    saved: 'Gespeichert',
    email: 'E-Mail-Adresse',
    subscribe: 'Abonnieren',
    look: 'Bitte sehen Sie in Ihr Postfach'
  }
} as const
type Locale = keyof typeof texts

/** A list with a message to one person, and a confirmation message to another; their links lead to the application or to a gate. */
async function sentMessages(by: 'the application' | 'a gate', language: string) {
  const { api, dataDirectory } = await startApplication()
  const gate = by === 'a gate' ? await openGate() : null
  const url_domain_id = gate ? await addGate(api, gate) : null
  const list = await makeList(api, {
    ...{ name: 'News & offers', d_from_name: 'The “Bakery”', d_from_email: 'news@example.com' },
    ...(gate && { d_url_domain: new URL(gate.address).host })
  })
  await makeSubscriber(api, list.id, 'reader@example.com')
  const offers = await makeList(api, { name: 'Offers' })
  const public_pages = { is_public: true, description: 'Once a month', color: '#8a1c7c' }
  expectSuccess(await api.put(`/mailing_lists/${offers.id}/public_pages`, { public_pages }))
  const field = await makeField(api, list.id, 'City', 'select_single_radio', {
    options: [{ name: 'Bern' }, { name: 'Basel' }]
  })
  const html =
    '<p>Fresh bread</p> <a href="%%unsubscribe_link%%">U</a> <a href="%%link_to_web_version%%">W</a>'
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: { url_domain_id, begins_at: Math.floor(Date.now() / 1000) }
  })
  await api.sent(id)
  const [message] = await outboxOf(dataDirectory, id)
  const [unsubscribe = '', webVersion = ''] = [...(message?.body ?? '').matchAll(/href="([^"]+)"/g)].map(
    ([, url = '']) => url
  )
  const form = await makeWebForm(api, list.id, {
    ...{ requires_confirmation: true, language, has_page: true, consent_text: 'OK' },
    ...{ custom_field_ids: [field.id], page_intro: 'Fresh bread, every week.' }
  })
  const subscriber = { email: 'new@example.com', status: 'active', confirmation_form_id: form.id }
  expectSuccess(await api.post(`/mailing_lists/${list.id}/subscribers`, { subscriber }))
  const pending = async (): Promise<PendingSubscription[]> =>
    expectSuccess(await api.get(`/mailing_lists/${list.id}/pending_subscriptions`))
  await until(async () => (await pending()).every(({ sent_at }) => sent_at !== null))
  const [asking] = await messagesIn(`${dataDirectory}/outbox/confirmations-${form.id}.mbox`)
  const text = (asking?.body ?? '').replaceAll('=\n', '')
  const confirm = /https?:\/\/[\w.:]+\/s\/[\w/-]+/.exec(text)?.[0] ?? ''
  const fetched = async (): Promise<void> => {
    if (url_domain_id !== null) await fetchNow(api, url_domain_id)
  }
  const emails = async (): Promise<string[]> =>
    (await allSubscribers(api, list.id)).filter(({ status }) => status === 'active').map(({ email }) => email)
  const emailsOfOffers = async (): Promise<string[]> =>
    (await allSubscribers(api, offers.id)).map(({ email }) => email)
  const waiting = async (): Promise<string[]> => (await pending()).map(({ email }) => email)
  const signUp = form.page_url ?? ''
  return { unsubscribe, webVersion, confirm, signUp, fetched, emails, emailsOfOffers, waiting }
}

/** A phone without JavaScript. */
async function phone(browser: SharedBrowser, locale: Locale, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({
    ...{ viewport: { width: 360, height: 640 }, javaScriptEnabled: false, locale, colorScheme }
  })
  return context.newPage()
}

/** Examines what a page shows in another one, since axe needs JavaScript. */
async function expectAccessible(
  browser: SharedBrowser,
  page: Page,
  colorScheme: 'light' | 'dark'
): Promise<void> {
  const html = await page.content()
  const context = await browser.newContext({ viewport: { width: 360, height: 640 }, colorScheme })
  const examined = await context.newPage()
  await examined.setContent(html)
  await examined.evaluate(axeSource)
  const violations = await examined.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe
    return (await run.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
  expect(violations).toEqual([])
  expect(await examined.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await context.close()
}

describe.skipIf(skipsWithoutBrowser)('public pages, in a real Chromium', { timeout: 60_000 }, () => {
  const browser = sharedBrowser()

  it.each([
    { by: 'the application', locale: 'en-US', theme: 'light' },
    { by: 'the application', locale: 'de-DE', theme: 'dark' },
    { by: 'a gate', locale: 'en-US', theme: 'dark' },
    { by: 'a gate', locale: 'de-DE', theme: 'light' }
  ] as const)('of $by work on a phone without JavaScript, in $locale', async ({ by, locale, theme }) => {
    const words = texts[locale]
    const messages = await sentMessages(by, locale.slice(0, 2))
    const page = await phone(browser, locale, theme)

    await page.goto(messages.unsubscribe)
    await page.getByRole('heading', { name: words.ask }).waitFor()
    expect(await page.getByText('The “Bakery”').count()).toBe(1)
    expect(await page.getByText('News & offers').count()).toBe(1)
    await expectAccessible(browser, page, theme)
    await page.getByRole('button', { name: words.press }).click()
    await page.getByRole('heading', { name: words.done }).waitFor()
    await expectAccessible(browser, page, theme)
    await messages.fetched()
    await until(async () => (await messages.emails()).length === 0)
    await page.getByRole('button', { name: words.undo }).click()
    await page.getByRole('heading', { name: words.undone }).waitFor()
    await messages.fetched()
    await until(async () => (await messages.emails()).includes('reader@example.com'))

    await page.goto(messages.webVersion)
    await page.getByText('Fresh bread').waitFor()

    await page.goto(messages.confirm)
    await expectAccessible(browser, page, theme)
    await page.getByRole('button', { name: words.confirm }).click()
    await page.getByRole('heading', { name: words.confirmed }).waitFor()
    await messages.fetched()
    await until(async () => (await messages.emails()).includes('new@example.com'))
  })

  it.each([
    { by: 'the application', locale: 'en-US', theme: 'dark' },
    { by: 'the application', locale: 'de-DE', theme: 'light' },
    { by: 'a gate', locale: 'en-US', theme: 'light' },
    { by: 'a gate', locale: 'de-DE', theme: 'dark' }
  ] as const)(
    'of $by take preferences and sign-ups on a phone without JavaScript, in $locale',
    async ({ by, locale, theme }) => {
      const words = texts[locale]
      const messages = await sentMessages(by, locale.slice(0, 2))
      const page = await phone(browser, locale, theme)

      await page.goto(messages.unsubscribe)
      await page.getByRole('link', { name: words.instead }).click()
      await page.getByLabel('Offers', { exact: true }).selectOption({ label: words.want })
      await expectAccessible(browser, page, theme)
      await page.getByRole('button', { name: words.save }).click()
      await page.getByRole('heading', { name: words.saved }).waitFor()
      await messages.fetched()
      await until(async () => (await messages.emailsOfOffers()).includes('reader@example.com'))

      await until(async () => (await fetch(messages.signUp)).ok)
      await page.goto(messages.signUp)
      await page.getByText('Fresh bread, every week.').waitFor()
      await expectAccessible(browser, page, theme)
      await page.getByRole('textbox', { name: words.email }).fill('visitor@example.com')
      await page.getByLabel('Basel').check()
      await page.getByRole('button', { name: words.subscribe }).click()
      expect(await page.getByRole('heading', { name: words.look }).count()).toBe(0)
      await page.getByLabel('OK').check()
      await page.getByRole('button', { name: words.subscribe }).click()
      await page.getByRole('heading', { name: words.look }).waitFor()
      await expectAccessible(browser, page, theme)
      await messages.fetched()
      await until(async () => (await messages.waiting()).includes('visitor@example.com'))
    }
  )
})
