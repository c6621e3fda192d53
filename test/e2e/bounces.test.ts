import { describe, expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { bounceReport, tokenOf } from '../support/bounce-report.ts'
import { allSubscribers, expectSuccess, makeCampaign } from '../support/builders.ts'
import { dovecot, hasDovecot } from '../support/dovecot.ts'
import { mailServer } from '../support/mail-server.ts'
import { listWith, routeTo, untilState } from '../support/smtp-route.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

const skips = skipsWithoutBrowser || (!hasDovecot && process.env['CI'] !== 'true')
describe.skipIf(skips)('bounces, in a real Chromium', { timeout: 120_000 }, () => {
  const browser = sharedBrowser()

  it('are read from a mailbox that is set up in the window, or added by hand, listed, and judged again', async () => {
    const [taker, imap] = [await mailServer(), await dovecot()]
    const { api, app } = await startApplication()
    await routeTo(api, taker.port)
    const list = await listWith(api, ['anna@example.org', 'ben@example.org'])
    const { id } = await makeCampaign(api, list.id, {
      name: 'Spring news',
      dispatch_attributes: { from_email: 'news@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await untilState(api, id, 'finished')
    const tokenFor = (email: string): string =>
      tokenOf(taker.received.find(({ to }) => to === email)?.content)
    const full = { status: '5.2.2', words: '552 5.2.2 Mailbox full' }
    await imap.deliver('bounces', [bounceReport('anna@example.org', tokenFor('anna@example.org'))])
    const window = await Window.open(browser, app, '/bounces')
    const { page } = window

    await page.getByText('Nothing has come back').waitFor()
    await window.screenshot('bounces-empty')
    await page.getByRole('button', { name: 'Add a mailbox' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name', { exact: true }).fill('Return address')
    await form.getByRole('textbox', { name: /^Server/ }).fill('127.0.0.1')
    await form.getByRole('spinbutton', { name: 'Port' }).fill(String(imap.port))
    await form.getByRole('combobox', { name: 'Security' }).click()
    await page.getByRole('option', { name: /^None/ }).click()
    await menuIsGone(page)
    await form.getByLabel('User name').fill('bounces')
    await form.getByLabel('Password').fill(imap.password)
    await window.screenshot('mailbox')
    await form.getByRole('button', { name: 'Add mailbox' }).click()
    await page.getByText('Hard bounce · address does not exist').waitFor()
    await page.getByText(/^Read /).waitFor()
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add reports' }).first().click()
    const files = [
      bounceReport('ben@example.org', tokenFor('ben@example.org'), full),
      bounceReport('x@example.net', 'x')
    ]
    await (
      await chosen
    ).setFiles(
      files.map((text, index) => ({
        name: `${index}.eml`,
        mimeType: 'message/rfc822',
        buffer: Buffer.from(text)
      }))
    )
    await page.getByText('Soft bounce · mailbox full').waitFor()
    await page.getByText('About no message that was sent from here').waitFor()
    await window.screenshot('bounces')
    await page.getByRole('button', { name: 'Test “Return address”' }).click()
    await page.getByText('It works. The folder has 1 message.').first().waitFor()

    const statuses = async () => (await allSubscribers(api, list.id)).map(({ status }) => status)
    expect(await statuses()).toEqual(['bounced', 'active'])

    expectSuccess(await api.put('/delivery_options', { delivery_options: { soft_bounces: 1 } }))
    await page.getByRole('button', { name: 'Judge past bounces again' }).click()
    const judged = page.getByRole('dialog')
    await judged.getByText('1 subscriber would become Bounced.').waitFor()
    await judged.getByText('ben@example.org').waitFor()
    await window.screenshot('judge-again')
    await judged.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('1 subscriber was changed', { exact: true }).first().waitFor()
    expect(await statuses()).toEqual(['bounced', 'bounced'])
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('It is as it was before', { exact: true }).first().waitFor()
    expect(await statuses()).toEqual(['bounced', 'active'])
  })
})
