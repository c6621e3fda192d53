import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { CampaignDetail, CampaignSummary } from '../../src-main/api/campaigns/schema.ts'
import type { CampaignProgress } from '../../src-main/workbench/campaigns/endpoints.ts'
import { sharedApplication } from '../support/application.ts'
import {
  expectSuccess,
  importText,
  makeCampaign,
  makeList,
  makeRemoteList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import { outboxOf } from '../support/outbox.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window, writeHtml } from './browser.ts'

const html =
  '<h1>News</h1><p><a href="https://example.com/offer">The offer</a></p><p><a href="%%unsubscribe_link%%">Unsubscribe</a></p>'

describe.skipIf(skipsWithoutBrowser)('campaigns, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  async function listOf(count: number, name: string): Promise<{ id: number }> {
    const list = await makeList(started.api, { name, d_from_name: 'Anna', d_from_email: 'anna@example.com' })
    const emails = Array.from({ length: count }, (_, number) => `p${number}@example.com`)
    await importText(started.api, list.id, `email\n${emails.join('\n')}`)
    return list
  }

  it('are written, previewed, scheduled, sent at once and reported', async () => {
    const { api, app, dataDirectory } = started
    const list = await listOf(3, 'Newsletter')
    const vip = await makeList(api, { name: 'VIP' })
    await makeSubscriber(api, vip.id, 'p0@example.com')
    await makeSegment(api, list.id, { name: 'Very important', other: vip.id })
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns`)
    const { page } = window
    await page.getByText('No campaigns yet').waitFor()
    await window.screenshot('campaigns-empty')
    await page.getByRole('link', { name: 'Create campaign' }).click()
    await page.getByText('3 active subscribers now').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Spring news')
    await page.getByRole('button', { name: 'To', exact: true }).click()
    await page.getByRole('option', { name: 'Very important' }).click()
    await menuIsGone(page)
    await page.getByText('1 active subscriber now').waitFor()
    const version = page.getByRole('region', { name: 'Version A' })
    await version.getByLabel('Subject').fill('Spring is here')
    await writeHtml(version, html)
    await version.getByLabel('Plain text').fill('Spring: https://example.com/offer')
    expect(await page.getByLabel('From email').inputValue()).toBe('anna@example.com')
    await window.screenshot('campaign-editor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The campaign was saved').first().waitFor()
    const [saved] = (await api.get<CampaignSummary[]>(`/mailing_lists/${list.id}/campaigns`)).data
    expect(saved).toMatchObject({
      name: 'Spring news',
      state: 'idle',
      dispatch: { from_email: 'anna@example.com' }
    })
    const id = saved?.id ?? 0

    await page.getByRole('button', { name: 'Write a preview' }).click()
    await page.getByLabel('Addresses').fill('boss@example.com, nobody')
    await window.screenshot('campaign-preview')
    await page.getByRole('button', { name: 'Write the preview' }).click()
    await page.getByText(/Address \(2\)/).waitFor()
    await page.getByLabel('Addresses').fill('boss@example.com')
    await page.getByRole('button', { name: 'Write the preview' }).click()
    await page.getByText('The preview is in the outbox').first().waitFor()
    const previews = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download all previews' }).click()
    expect((await previews).suggestedFilename()).toBe('previews.mbox')

    await version.getByLabel('Subject').fill('Spring is here, %%first name%%')
    await page.getByRole('button', { name: 'Save' }).click()
    await version.getByLabel('Plain text').fill('')
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByText('It cannot be written like this').waitFor()
    await page.getByText('“Version A” has no plain text.').waitFor()
    await page.getByText('1 person: “Very important” of “Newsletter”').waitFor()
    expect(await page.getByRole('button', { name: 'Write to the outbox', exact: true }).isDisabled()).toBe(
      true
    )
    await page.getByText('The plain text has no unsubscribe link').waitFor()
    await window.screenshot('campaign-blocked')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await version.getByLabel('Plain text').fill('Spring: https://example.com/offer')
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByText('These codes are unknown and will be sent as they are').waitFor()
    await page.getByRole('dialog').getByText('%%first name%%').last().waitFor()
    await page.getByText('Links in this message work on this computer only').waitFor()
    await window.screenshot('campaign-warnings')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await version.getByLabel('Subject').fill('Spring is here')

    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByRole('radio', { name: /Later/ }).click()
    expect(await page.getByText('These codes mean nothing').count()).toBe(0)
    await window.screenshot('campaign-schedule')
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByText(/It will be written to the outbox at/).waitFor()
    await window.screenshot('campaign-scheduled')
    expect((await api.get<CampaignDetail>(`/campaigns/${id}`)).data.dispatch?.state).toBe('scheduled')
    await page.getByRole('button', { name: 'Unschedule' }).click()
    await page.getByText(/It will be written to the outbox at/).waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByRole('button', { name: 'Write to the outbox', exact: true }).click()
    await page.getByText(/messages to “Newsletter” are in the outbox/).waitFor()
    const [message] = await outboxOf(dataDirectory, id)
    expect(message?.headers.get('to')).toBe('p0@example.com')
    await page.getByText('No opens, clicks, unsubscribes or bounces yet.').waitFor()
    const offer = /href="(http:\/\/127[^"]+\/c\/[^"]+)"/.exec(message?.body ?? '')?.[1] ?? ''
    await fetch(offer, { redirect: 'manual' })
    await page.getByRole('cell', { name: 'https://example.com/offer' }).waitFor()
    await page.locator('tr', { hasText: 'https://example.com/offer' }).getByText('1').first().waitFor()
    await page.frameLocator('iframe').getByRole('heading', { name: 'News' }).waitFor()
    await window.screenshot('campaign-report')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: /Download the messages/ }).click()
    expect((await download).suggestedFilename()).toBe(`campaign-${id}.mbox`)
    await page.getByRole('link', { name: '1: Show who clicked' }).click()
    await page.getByText('p0@example.com').first().waitFor()
    await page.getByRole('button', { name: 'Save as a segment' }).waitFor()
    expect(await page.getByText('p1@example.com').count()).toBe(0)
    await window.screenshot('campaign-who-clicked')
    await page.goBack()

    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'Copy of Spring news' }).waitFor()
    expect(await version.getByLabel('Subject').inputValue()).toBe('Spring is here')
    await page.getByText('1 active subscriber now').waitFor()
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
    await page.getByRole('cell', { name: 'Newsletter' }).first().waitFor()
    await window.screenshot('campaigns')
    await window.finish()
  })

  it('that begin with a template are for everyone on the list by default', async () => {
    const { api, app } = started
    const list = await listOf(2, 'Templated')
    const content = { name: 'A', subject: 'News', format: 'both', html, text: 'News %%unsubscribe_link%%' }
    expectSuccess(
      await api.post(`/mailing_lists/${list.id}/templates`, {
        campaign: { name: 'Monthly', contents: [content] }
      })
    )
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns`)
    const { page } = window
    await page.getByRole('button', { name: 'From a template' }).click()
    await page.getByRole('menuitem', { name: 'Monthly' }).click()
    await page.waitForURL(/campaigns\/\d+$/)
    const id = Number(page.url().split('/').at(-1))
    await page.getByRole('button', { name: 'Write to the outbox' }).click()

    await page.getByRole('dialog').getByRole('button', { name: 'Write to the outbox' }).click()

    expect((await api.sent(id, 15_000)).stat_summary?.messages_sent).toBe(2)
    await window.finish()
  })

  it('go to the archive and come back, as templates do', async () => {
    const { api, app } = started
    const list = await makeList(api, { name: 'Old news' })
    const { id } = await makeCampaign(api, list.id, { name: 'News of last year' })
    expectSuccess(
      await api.post(`/mailing_lists/${list.id}/templates`, {
        campaign: { name: 'Last layout', contents: [] }
      })
    )
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns/${id}`)
    const { page } = window
    const archive = page.getByRole('button', { name: 'Archive' })
    await archive.click()
    await page.getByText('The campaign is in the archive').first().waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByText('No campaigns yet').waitFor()
    await page.getByRole('switch', { name: 'Archived' }).click()
    await page.getByRole('link', { name: 'News of last year' }).waitFor()
    await window.screenshot('campaigns-archived')
    await page.getByRole('link', { name: 'News of last year' }).click()
    await page.getByRole('button', { name: 'Move out of the archive' }).click()
    await page.getByText('The campaign is out of the archive').first().waitFor()
    await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
    await page.getByRole('link', { name: 'News of last year' }).waitFor()

    await page.goto(`${app.baseUrl}/lists/${list.id}/templates`)
    await page.getByRole('link', { name: 'Last layout' }).click()
    await archive.click()
    await page.getByText('The template is in the archive').first().waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByText('No templates yet').waitFor()
    await page.getByRole('switch', { name: 'Archived' }).click()
    await page.getByRole('link', { name: 'Last layout' }).waitFor()
    await window.screenshot('templates-archived')
    await window.finish()
  })

  it('trigger autoresponders when they are opened', async () => {
    const { api, app } = started
    const list = await listOf(1, 'Followed up')
    const { id } = await makeCampaign(api, list.id, { name: 'Invitation' })
    const window = await Window.open(browser, app, `/lists/${list.id}/autoresponders`)
    const { page } = window
    await page.getByRole('link', { name: 'Create autoresponder' }).click()
    const form = page.locator('#autoresponder-form')
    await form.getByLabel('Name').fill('Thanks for reading')
    await form.getByLabel('Sent', { exact: true }).click()
    await page.getByRole('option', { name: 'When a campaign is opened' }).click()
    await menuIsGone(page)
    await form.getByRole('button', { name: /^Campaign(:|$)/ }).click()
    await page.getByRole('option', { name: 'Invitation' }).click()
    await menuIsGone(page)
    await form.getByLabel('Subject').fill('Thank you')
    await writeHtml(form, '<p>Thank you</p>')
    await form.getByLabel('Plain text').fill('Thank you')
    await window.screenshot('autoresponder-campaign')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Thanks for reading' }).waitFor()
    const { data } = await api.get<Autoresponder[]>(`/mailing_lists/${list.id}/autoresponders`)
    expect(data).toMatchObject([{ trigger: 'campaign_open', trigger_campaign_to_open_id: id }])
    await window.finish()
  })

  it('of a Remote List ask for a query, and say why they were not sent', async () => {
    const { api, app } = started
    const list = await makeRemoteList(api, { name: 'Remote', d_from_email: 'anna@example.com' })
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns/new`)
    const { page } = window
    await page.getByLabel('Name', { exact: true }).fill('Remote news')
    await page.getByLabel('Query in SQL').fill('SELECT email FROM people')
    const version = page.getByRole('region', { name: 'Version A' })
    await version.getByLabel('Subject').fill('Hello')
    await writeHtml(version, '<p>Hello</p>')
    await version.getByLabel('Plain text').fill('Hello')
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByRole('button', { name: 'Write to the outbox', exact: true }).click()
    await page
      .getByText(/has a name only/)
      .first()
      .waitFor()
    await window.screenshot('campaign-failed')
    await window.finish()
  })

  it('show their progress, are paused and resumed, and compare their versions', async () => {
    const { api, app, dataDirectory } = started
    const list = await listOf(60, 'Customers')
    const contents = ['Short', 'Long'].map((name) => ({ name, subject: name, format: 'html', html }))
    const { id } = await makeCampaign(api, list.id, {
      name: 'Split test',
      contents,
      dispatch_attributes: {
        from_email: 'anna@example.com',
        begins_at: Math.floor(Date.now() / 1000),
        speed: 36_000,
        autowinner_enabled: true,
        autowinner_percentage: '50',
        autowinner_delay_amount: 0,
        autowinner_delay_unit: 'minutes',
        autowinner_metric: 'opens_unique'
      }
    })
    const window = await Window.open(browser, app)
    const { page } = window
    const recipients = async (): Promise<number | null> =>
      (await api.workbench<CampaignProgress>('GET', `/campaigns/${id}/progress`)).data.recipients
    // Paused any earlier, it would not tell how many there are.
    await expect.poll(recipients, { timeout: 15_000 }).toBe(60)
    await page.goto(`${app.baseUrl}/lists/${list.id}/campaigns/${id}`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('[data-state="paused"]').waitFor()
    await window.screenshot('campaign-paused')
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('cell', { name: /^\d+ of 60/ }).waitFor()
    await window.screenshot('campaigns-sending')
    await page.getByRole('link', { name: 'Split test' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/messages to “Customers” are in the outbox/).waitFor({ timeout: 30_000 })
    for (const { body } of (await outboxOf(dataDirectory, id)).slice(0, 20)) {
      await fetch(/src="([^"]+\/o\/[^"]+)"/.exec(body)?.[1] ?? '')
      await fetch(/href="([^"]+\/c\/[^"]+)"/.exec(body)?.[1] ?? '', { redirect: 'manual' })
    }
    await page.getByText('Winner', { exact: true }).waitFor()
    await page.getByRole('definition').filter({ hasText: /^20\s/ }).first().waitFor()
    await window.screenshot('campaign-report')
    await page.getByText('Details').scrollIntoViewIfNeeded()
    await window.screenshot('campaign-report-below')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete campaign' }).click()
    await page.getByText('No campaigns yet').waitFor()
    await window.finish()
  })
})
