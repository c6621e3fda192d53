import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importFile, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, menuIsGone, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('imports, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'listwright-test-'))
  })
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  it('have dates in the order that the file says, and guess none where it does not', async () => {
    const list = await makeList(started.api, { name: 'Members' })
    const window = await Window.open(browser, started.app, `/lists/${list.id}/import`)
    const { page } = window
    const path = join(directory, 'members.csv')
    const others = Array.from({ length: 8 }, (_, index) => `member${index}@example.com,05/06/2021,Graz\n`)
    await writeFile(
      path,
      `Mail,Joined,Town\nanna@example.com,01/02/2021,Wien\nben@example.com,31/02/2021,Linz\n${others.join('')}`
    )
    await page.locator('input[type=file]').setInputFiles(path)
    const joined = page.getByRole('combobox', { name: 'Type of the new field for “Joined”' })
    await joined.waitFor()
    expect(await joined.innerText()).toBe('Text')
    await joined.click()
    await page.getByRole('option', { name: 'Date', exact: true }).click()
    await menuIsGone(page)
    await page.getByText('9 dates can be read in two ways: 01/02/2021, 05/06/2021.').waitFor()
    await page.getByText('1 value does not fit the type Date: 31/02/2021').waitFor()
    await window.screenshot('wizard-dates-unclear')

    await page.getByRole('combobox', { name: 'How the dates in “Joined” are written' }).click()
    await page.getByRole('option', { name: 'Day/month/year' }).click()
    await menuIsGone(page)
    await page.getByRole('combobox', { name: 'What to do with values in “Joined” that do not fit' }).click()
    await page.getByRole('option', { name: 'Their rows fail' }).click()
    await menuIsGone(page)
    await page.getByTestId('preview').getByText('2021-02-01').waitFor()

    // What was chosen stays when the file is read in another character set.
    await page.getByRole('combobox', { name: 'Where “Town” goes' }).click()
    await page.getByRole('option', { name: 'Leave out' }).click()
    await menuIsGone(page)
    await page.getByRole('button', { name: 'Character set' }).click()
    await page.getByRole('option', { name: 'Windows-1250 (Central European)', exact: true }).click()
    await menuIsGone(page)
    await window.screenshot('wizard-dates')
    expect(await joined.innerText()).toBe('Date')
    expect(await page.getByRole('combobox', { name: 'Where “Town” goes' }).innerText()).toBe('Leave out')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.locator('[data-state=finished]').waitFor()
    await page.getByText('Joined must be a date such as 2014-01-31').first().waitFor()
    const [anna] = await allSubscribers(started.api, list.id)
    expect(anna?.custom_fields['Joined']?.value).toBe('2021-02-01')

    // The next file with this column is read as this one was.
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/import`)
    await writeFile(path, 'Mail,Joined\nanna@example.com,03/04/2021\n')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByTestId('preview').getByText('2021-04-03').waitFor()
    await window.finish()
  })

  it('are tried first, remembered, saved as a mapping, and undone', async () => {
    const list = await makeList(started.api, { name: 'Shop customers' })
    await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'anna@example.com', { custom_fields: { City: 'Graz' } })
    await makeSubscriber(started.api, list.id, 'ben@example.com', { custom_fields: { City: 'Linz' } })
    const path = join(directory, 'shop.csv')
    await writeFile(
      path,
      [
        'Mail,Town,Orders,Remarks',
        'anna@example.com,Wien,12,regular',
        'ben@example.com,Wien,3,',
        'clara@example.com,Oslo,1,new',
        'dario@example.com,Oslo,2,new',
        'no address,Oslo,2,',
        'CLARA@example.com,Praha,7,again',
        ''
      ].join('\n')
    )
    const window = await Window.open(browser, started.app)
    const { page } = window
    const openWizard = async (): Promise<void> => {
      await page.goto(`${started.app.baseUrl}/lists/${list.id}/import`)
      await page.locator('input[type=file]').setInputFiles(path)
      await page.getByText('Where each column goes').waitFor()
    }
    const choose = async (column: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name: `Where “${column}” goes` }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
      await menuIsGone(page)
    }
    await openWizard()
    await choose('Town', 'City')
    await choose('Remarks', 'Leave out')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('radio', { name: 'Update them' }).click()

    await page.getByText('Nothing was written to Shop customers.').waitFor()
    const outcomes = async (): Promise<string[]> =>
      Promise.all(
        ['added', 'updated', 'failed', 'skipped_duplicate'].map((outcome) =>
          page.locator(`[data-outcome=${outcome}]`).innerText()
        )
      )
    await expect.poll(outcomes).toEqual(['2', '2', '1', '1'])
    expect(await page.getByTestId('failed-rows').innerText()).toContain('6\tno address')
    await window.screenshot('wizard-dry-run')
    expect(await allSubscribers(started.api, list.id)).toHaveLength(2)

    await page.getByRole('button', { name: 'Change the columns' }).click()
    await page.getByRole('button', { name: 'Saved mappings' }).click()
    await page.getByText('No mappings saved for this list yet').waitFor()
    await page.getByRole('menuitem', { name: 'Save this mapping' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Export of the shop')
    await window.screenshot('wizard-save-mapping')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Export of the shop was saved.', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.locator('[data-state=finished]').waitFor()
    expect(await outcomes()).toEqual(['2', '2', '1', '1'])
    const importPage = page.url()

    // The next file with these headers goes where this one went.
    await openWizard()
    expect(await page.getByText('Same as the last import').count()).toBe(4)
    await window.screenshot('wizard-remembered')
    await choose('Town', 'Leave out')
    await page.getByRole('button', { name: 'Saved mappings' }).click()
    await page.getByRole('menuitem', { name: 'Export of the shop', exact: true }).click()
    await page.getByText('Export of the shop was applied to the columns.', { exact: true }).first().waitFor()
    expect(await page.getByRole('combobox', { name: 'Where “Town” goes' }).innerText()).toBe('City')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByRole('radio', { name: 'Update them' }).isChecked()).toBe(true)

    // One of the subscribers was changed since.
    await started.api.put(`/mailing_lists/${list.id}/subscribers/ben@example.com`, {
      subscriber: { custom_fields: { City: 'Bern' } }
    })
    await page.goto(importPage)
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByText('Undo this import?').waitFor()
    await window.screenshot('import-undo-confirm')
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
    await page.locator('[data-undo=finished]').waitFor()
    await page.getByText('Removed: 2. Restored: 1. Left as they are: 1.').waitFor()
    await page.getByRole('cell', { name: 'ben@example.com' }).waitFor()
    await page.getByRole('heading', { name: 'This import was undone' }).scrollIntoViewIfNeeded()
    await window.screenshot('import-undone')
    for (const listing of ['Imports', 'Jobs']) {
      await page.getByRole('navigation').getByRole('link', { name: listing, exact: true }).click()
      await page.locator('[data-state="undone"]').first().waitFor()
    }
    const left = await allSubscribers(started.api, list.id)
    expect(left.map(({ email, custom_fields }) => [email, custom_fields['City']?.value])).toEqual([
      ['anna@example.com', 'Graz'],
      ['ben@example.com', 'Bern']
    ])
    await window.finish()
  })

  it('begin with a file that the system opened, and ask for its list', async () => {
    const list = await makeList(started.api, { name: 'Visitors' })
    const path = join(directory, 'visitors.csv')
    await writeFile(path, 'Mail\nvera@example.com\n')
    const opened = await started.app.pageFor(path)
    const window = await Window.open(browser, started.app)
    const { page } = window
    // As the command line opens a window: by a file, which is another site to the browser.
    const file = join(directory, 'open.html')
    const address = started.app.interfaceUrl(opened).replaceAll('&', '&amp;')
    await writeFile(file, `<meta http-equiv="refresh" content="0;url=${address}">`)
    await page.goto(`file://${file}`)
    await page.getByText('Or into a list that is there already:').waitFor()
    expect(page.url()).toBe(`${started.app.baseUrl}${opened}`)
    await page.getByText('You have a list “Visitors” already').waitFor()
    await window.screenshot('import-file')
    await page.getByRole('link', { name: 'Visitors no subscribers' }).click()
    await page.getByTestId('preview').getByText('vera@example.com').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.locator('[data-state=finished]').waitFor()
    expect((await allSubscribers(started.api, list.id)).map(({ email }) => email)).toEqual([
      'vera@example.com'
    ])
    await window.finish()
  })

  it('can have faulty rows corrected in the wizard before they start', async () => {
    const list = await makeList(started.api, { name: 'Corrected' })
    const window = await Window.open(browser, started.app, `/lists/${list.id}/import`)
    const { page } = window
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'guests.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('email,Town\nanna@example.com,Wien\nbert@,Graz\nnobody,Ulm\n')
      })
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Fix these rows' }).click()
    await page.getByLabel('Email in line 3').fill('bert@example.com')
    await page.getByRole('button', { name: 'Use 1 corrected row' }).click()
    await page.getByText('1 row is imported as you corrected it.').waitFor()
    await page.getByRole('cell', { name: 'nobody' }).waitFor()
    await page.getByRole('cell', { name: 'bert@' }).waitFor({ state: 'detached' })
    await window.screenshot('import-corrected-before')
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.locator('[data-state=finished]').waitFor()

    expect((await allSubscribers(started.api, list.id)).map(({ email }) => email)).toEqual([
      'anna@example.com',
      'bert@example.com'
    ])
    await window.finish()
  })

  it('have a value of all failed rows replaced at once', async () => {
    const list = await makeList(started.api, { name: 'Statuses' })
    const rows = Array.from({ length: 70 }, (_, index) => `p${index}@example.com,abonniert`)
    const { id } = await importFile(started, list.id, `email,status\n${rows.join('\n')}\n`, {
      column_mapping: ['email', 'status']
    })
    const window = await Window.open(browser, started.app, `/imports/${id}`)
    const { page } = window
    await page.getByRole('button', { name: 'Fix these rows' }).click()
    await page.getByLabel('New value').fill('active')
    await page.getByRole('button', { name: 'In all rows' }).click()
    await page.getByRole('button', { name: 'Import 70 corrected rows' }).waitFor()
    await window.screenshot('import-replace-all')
    await page.getByLabel('Status in line 2', { exact: true }).press('Enter')
    await page.keyboard.type('unsubscribed')
    await page.getByRole('button', { name: 'Import 70 corrected rows' }).click()
    await page.waitForURL(`**/imports/${id + 1}`)
    await started.api.imported(id + 1)

    const added = await allSubscribers(started.api, list.id)
    expect(added.map(({ status }) => status)).toEqual(
      Array.from({ length: 70 }, (_, index) => (index === 1 ? 'unsubscribed' : 'active'))
    )
    await window.finish()
  })
})
