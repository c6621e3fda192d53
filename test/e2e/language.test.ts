import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { importText, makeList } from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('languages, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('German is chosen in the settings, with its numbers and dates, and stays until another is', async () => {
    const list = await makeList(started.api, { name: 'Club' })
    const people = Array.from({ length: 1200 }, (_, index) => `p${index}@example.com`).join('\n')
    await importText(started.api, list.id, people, { file_format: { csv_has_headers: false } })
    const window = await Window.open(browser, started.app, '/settings')
    const { page } = window
    await page.getByRole('combobox', { name: 'Language' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await window.screenshot('language-settings')

    await page.getByRole('link', { name: 'Startseite', exact: true }).click()
    await page.getByRole('region', { name: 'Abonnenten' }).getByText('1.200').first().waitFor()
    await window.screenshot('language-home')
    await page.goto(`${started.app.baseUrl}/lists/${list.id}`)
    await page.getByText('1.200 Abonnenten').waitFor()
    const today = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeZone: 'UTC' }).format()
    await page.getByText(today).first().waitFor()
    await window.screenshot('language-list')

    // Refusals of the server, in a form and of a file, are in German too.
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/settings`)
    await page.getByRole('textbox', { name: 'Absenderadresse' }).fill('nobody@nowhere')
    await page.getByRole('button', { name: 'Speichern', exact: true }).click()
    await page.getByText('Absenderadresse ist keine gültige E-Mail-Adresse: „nobody@nowhere“.').waitFor()
    await window.screenshot('language-refusal')
    const failed = await importText(started.api, list.id, 'ada@example.com\nnobody\n', {
      file_format: { csv_has_headers: false }
    })
    await page.goto(`${started.app.baseUrl}/imports/${failed.id}`)
    await page.getByTestId('failed-rows').getByText('nobody').waitFor()
    await page.getByText('ist keine gültige E-Mail-Adresse').waitFor()
    await window.screenshot('language-failed-rows')

    await page.getByRole('link', { name: 'Hilfe', exact: true }).click()
    await page.getByRole('heading', { name: 'Eine Datei importieren' }).waitFor()

    await page.goto(`${started.app.baseUrl}/settings`)
    await page.getByRole('combobox', { name: 'Sprache' }).click()
    await page.getByRole('option', { name: 'Sprache des Systems' }).click()
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    await menuIsGone(page)
    await window.finish()
  })
})
