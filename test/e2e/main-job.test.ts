import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, menuIsGone, skipsWithoutBrowser } from './browser.ts'
import { onEachStage } from './stages.ts'

/** A file as a spreadsheet in Europe saves it: semicolons, days first, and a few faults. */
function springFile(rows: number): string {
  const cities = ['Berlin', 'Wien', 'Zürich', 'Milano', 'Paris', 'Oslo']
  const lines = ['E-Mail;First name;City;Last visit;Age;Member']
  for (let row = 0; row < rows; row++) {
    const email = row % 400 === 7 ? 'no address' : `anna.weber${row}@example.com`
    const city = cities[row % cities.length]
    const day = String((row % 28) + 1).padStart(2, '0')
    lines.push(`${email};Anna;${city};${day}/03/2024;${20 + (row % 60)};${row % 3 ? 'yes' : 'no'}`)
  }
  return `${lines.join('\n')}\n`
}

onEachStage('the window', ({ started, open }) => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'listwright-e2e-'))
  })
  afterAll(async () => {
    if (directory) await rm(directory, { recursive: true, force: true })
  })

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, content)
    return path
  }

  it('does the main job: a new list, a file, its mapping, its result, its failed rows, one subscriber edited', async () => {
    const window = await open('/lists')
    const { page } = window
    await page.getByText('Your first list').waitFor()
    await window.screenshot('lists-empty')

    await page.getByRole('button', { name: 'Create list' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Spring newsletter')
    await window.screenshot('list-create')
    await page.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
    await page.getByText('No subscribers yet').waitFor()
    await window.screenshot('list-empty')

    await page.getByRole('link', { name: 'Import a file' }).first().click()
    await page.getByText('Drop a contact file here').waitFor()
    await window.screenshot('wizard-file')
    await page.locator('input[type=file]').setInputFiles(await file('spring.csv', springFile(3000)))

    await page.getByText('Where each column goes').waitFor()
    expect(await page.getByText('Semicolon ;').isVisible()).toBe(true)
    expect(await page.getByText('Day/month/year').first().isVisible()).toBe(true)
    const targets = await page.getByRole('combobox', { name: /^Where “/ }).allInnerTexts()
    expect(targets).toEqual(['Email', ...Array<string>(5).fill('New custom field')])
    const types = await page.getByRole('combobox', { name: /^Type of the new field/ }).allInnerTexts()
    expect(types).toEqual(['Text', 'Text', 'Date', 'Number', 'Yes or no'])
    await page.getByRole('textbox', { name: 'Name of the new field for “City”' }).fill('Home town')
    await window.screenshot('wizard-columns')

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Subscribers already on the list').waitFor()
    await page.getByRole('radio', { name: 'Update them' }).click()
    await window.screenshot('wizard-options')
    await page.getByRole('button', { name: 'Start import' }).click()

    await page.locator('[data-state=finished]').waitFor()
    expect(await page.locator('[data-outcome=added]').innerText()).toBe('2,992')
    expect(await page.locator('[data-outcome=failed]').innerText()).toBe('8')
    await page.getByText('Email is not a valid email address, because it contains a space').waitFor()
    expect(await page.getByTestId('failed-rows').innerText()).toContain('9\tno address')
    await window.screenshot('import-finished')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the log: Failed' }).click()
    expect((await download).suggestedFilename()).toMatch(/^import-\d+-failed\.csv$/)

    await page.getByRole('link', { name: 'Open the list' }).click()
    await page.getByText('2,992 subscribers').waitFor()
    await page.getByText('Home town').waitFor()
    await window.screenshot('list-subscribers')

    await page.getByRole('searchbox').fill('ANNA.WEBER77')
    await page.getByText('11 of 2,992 subscribers').waitFor()
    await page.getByText('anna.weber77@example.com').click()
    await page.getByRole('textbox', { name: 'Home town' }).fill('Graz')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Unsubscribed' }).click()
    await menuIsGone(page)
    await window.screenshot('subscriber-edit')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('anna.weber77@example.com was saved.', { exact: true }).first().waitFor()
    const list = (await started.api.get<MailingList[]>('/mailing_lists')).data[0]
    const all = await allSubscribers(started.api, list?.id ?? 0)
    const edited = all.find(({ email }) => email === 'anna.weber77@example.com')
    expect(edited).toMatchObject({ status: 'unsubscribed' })
    expect(edited?.custom_fields['Home town']?.value).toBe('Graz')
    expect(edited?.custom_fields['Last visit']?.value).toBe('2024-03-22')
    await window.finish()
  })

  it('shows what another program changes, without a reload', async () => {
    const list = await makeList(started.api, { name: 'Shared' })
    await makeSubscriber(started.api, list.id, 'first@example.com')
    const window = await open(`/lists/${list.id}`)
    await window.page.getByText('first@example.com').waitFor()
    await makeSubscriber(started.api, list.id, 'second@example.com')
    await window.page.getByText('second@example.com').waitFor()
    await window.page.getByText('2 subscribers').waitFor()
    await window.finish()
  })

  it('explains a file that it cannot import, before anything happens', async () => {
    const list = await makeList(started.api, { name: 'Careful' })
    const window = await open('/lists')
    const { page } = window
    const wizard = `${started.app.baseUrl}/lists/${list.id}/import`
    await page.goto(wizard)
    await page
      .locator('input[type=file]')
      .setInputFiles(await file('book.xlsx.csv', Buffer.from('PK\x03\x04\0\0\0')))
    await page.getByText(/broken spreadsheet or zip archive/).waitFor()
    await window.screenshot('wizard-refused')
    await page.locator('input[type=file]').setInputFiles(await file('plain.csv', 'Town,Town\nWien,Graz\n'))
    await page.getByText('Choose the column that holds the email addresses.').waitFor()
    await page.getByText('Several columns are named “Town”: 1, 2.').waitFor()
    expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true)
    await window.screenshot('wizard-no-email')
    await window.finish()
  })

  it('shows every other page, in both themes, and keeps theme and density', async () => {
    const window = await open('/lists')
    const { page } = window
    await page.getByRole('link', { name: 'Spring newsletter' }).first().waitFor()
    await window.screenshot('lists')
    await page.goto(`${started.app.baseUrl}/imports`)
    await page.getByText('spring.csv').waitFor()
    await window.screenshot('imports')
    const [list] = (await started.api.get<MailingList[]>('/mailing_lists')).data
    await page.goto(`${started.app.baseUrl}/lists/${list?.id}/settings`)
    await page.getByLabel('Name', { exact: true }).waitFor()
    await window.screenshot('list-settings')
    await page.goto(`${started.app.baseUrl}/lists/${list?.id}/imports`)
    await page.getByText('spring.csv').waitFor()
    await window.screenshot('list-imports')
    await page.goto(`${started.app.baseUrl}/api-access`)
    await page.getByLabel('What is the key for?').fill('newsletter scripts')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Copy the key now').waitFor()
    await page.getByText(/created .*, never used/).waitFor()
    await window.screenshot('api-access')
    await page.getByRole('button', { name: 'Revoke newsletter scripts' }).scrollIntoViewIfNeeded()
    await window.screenshot('api-keys')
    await page.getByRole('button', { name: 'Revoke newsletter scripts' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke newsletter scripts' }).waitFor({ state: 'hidden' })
    await page.goto(`${started.app.baseUrl}/settings`)
    await page.getByRole('switch', { name: 'Prevent subscribers from being deleted' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The settings were saved.', { exact: true }).first().waitFor()
    await window.screenshot('settings')

    await page.goto(`${started.app.baseUrl}/lists`)
    await page.getByRole('button', { name: 'Switch to dark mode' }).click()
    await page.getByRole('button', { name: 'Compact rows' }).click()
    await page.reload()
    const classes = await page.locator('html').getAttribute('class')
    expect(classes).toContain('dark')
    expect(classes).toContain('compact')
    await window.finish()
  })

  it('follows a large import live, and scrolls its rows to the last one', async () => {
    const rows = 300_000
    const list = await makeList(started.api, { name: 'Everybody' })
    const lines = Array.from({ length: rows }, (_, row) => `p${row}@example.com,First${row % 100}`)
    const path = await file('everybody.csv', `email,first name\n${lines.join('\n')}\n`)
    const window = await open(`/lists/${list.id}/import`)
    const { page } = window
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()

    await page.locator('[data-state=importing]').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('[data-state=paused]').waitFor()
    await window.screenshot('import-paused')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Rows per second').waitFor()
    await page.locator('[data-state=importing]').waitFor()
    await window.screenshot('import-running')
    await page.locator('[data-state=finished]').waitFor({ timeout: 60_000 })
    expect(await page.locator('[data-outcome=added]').innerText()).toBe('300,000')

    await page.getByRole('link', { name: 'Open the list' }).click()
    await page.getByText('300,000 subscribers').waitFor()
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('End')
    await page.getByText(`p${rows - 1}@example.com`).waitFor()
    await page.getByLabel('Go to row').fill('150001')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    await page.getByText('p150000@example.com').waitFor()
    await grid.hover()
    const topRow = () => page.getByRole('row').nth(1).getAttribute('aria-rowindex')
    expect(await topRow()).toBe('150002')
    await page.mouse.wheel(0, 88)
    await expect.poll(topRow, { message: 'the wheel moves by rows, not by thousands of them' }).toBe('150004')
    await window.finish()
  })
})

describe.skipIf(skipsWithoutBrowser)('a browser without a session', () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('shows how to sign in', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(started.app.baseUrl)
    await page.getByText('Sign in to Listwright').waitFor()
    await context.close()
  })
})
