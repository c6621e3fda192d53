import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  importFile,
  makeAutoresponder,
  makeField,
  makeList,
  makeRemoteList,
  makeSubscriber
} from '../support/builders.ts'
import { serveFiles } from '../support/file-server.ts'
import { reactionsOf } from '../support/reactions.ts'
import { sharedBrowser, menuIsGone, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('what lists send with, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  const open = (path: string): Promise<Window> => Window.open(browser, started.app, path)

  it('is defined on the page Delivery, and chosen in the settings of a list', async () => {
    const list = await makeList(started.api, { name: 'Spring newsletter' })
    await makeField(started.api, list.id, 'First name', 'text')
    const window = await open('/delivery')
    const { page } = window
    await page.getByRole('button', { name: 'Create seed list' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Our own addresses')
    await page.getByRole('textbox', { name: 'Addresses' }).fill('anna@example.com\nben@example.com')
    await page.getByText('2 addresses').waitFor()
    await window.screenshot('seed-list')
    await page.getByRole('dialog').getByRole('button', { name: 'Create seed list' }).click()
    await page.getByRole('button', { name: 'Our own addresses' }).waitFor()
    const define = async (region: string, label: string, text: string): Promise<void> => {
      const card = page.getByRole('region', { name: region })
      await card.getByLabel(label).fill(text)
      await card.getByRole('button', { name: 'Add', exact: true }).click()
      await card.getByRole('listitem').filter({ hasText: text }).waitFor()
    }
    await define('Return addresses', 'New return address', 'bounce@example.com')
    await define('Link addresses', 'New link address', 'links.example.com')
    await define('Sending routes', 'Name of a new sending route', 'Fast lane')
    const wrong = page.getByRole('region', { name: 'Link addresses' })
    await wrong.getByLabel('New link address').fill('no domain')
    await wrong.getByRole('button', { name: 'Add', exact: true }).click()
    await wrong.getByText('Domain must be a domain such as mail.example.com').waitFor()
    await window.screenshot('delivery')

    await page.goto(`${started.app.baseUrl}/lists/${list.id}/settings`)
    const choose = async (name: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name }).click()
      await page.getByRole('option', { name: option }).click()
      await menuIsGone(page)
    }
    await page.getByLabel('From email').fill('hello@example.com')
    await choose('Sending route', 'Fast lane')
    await choose('Link address', 'links.example.com')
    await choose('Return address', 'bounce@example.com')
    await page.getByLabel('Seed lists').click()
    await page.getByRole('option', { name: 'Our own addresses' }).click()
    await page.keyboard.press('Escape')
    await menuIsGone(page)
    await page.getByRole('switch', { name: 'Choose the winner' }).click()
    await page.getByLabel('Test group, in percent').fill('12.345')
    await page.getByLabel('Decided after').first().fill('4')
    await page.getByRole('switch', { name: 'Add headers to every message' }).click()
    await page.getByRole('textbox', { name: 'Headers' }).fill('List-ID: <spring.example.com>')
    await page.getByLabel('First name').fill('Anna')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Test group, in percent must be between 0 and 100').waitFor()
    await page.getByLabel('Test group, in percent').fill('12.5')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The list was saved.', { exact: true }).first().waitFor()
    await window.screenshot('list-settings')
    await page.getByRole('heading', { name: 'Preview data' }).scrollIntoViewIfNeeded()
    await window.screenshot('list-settings-end')
    const { data } = await started.api.get<MailingList>(`/mailing_lists/${list.id}`)
    expect(data).toMatchObject({
      d_from_email: 'hello@example.com',
      d_virtual_mta: 'Fast lane',
      d_url_domain: 'links.example.com',
      d_bounce_email: 'bounce@example.com',
      d_seed_lists: [{ name: 'Our own addresses' }],
      d_autowinner_enabled: true,
      d_autowinner_percentage: '12.5',
      d_autowinner_delay_amount: 4,
      custom_headers: 'List-ID: <spring.example.com>',
      preview_custom_field_data: { 'First name': { value: 'Anna' } }
    })

    await page.goto(`${started.app.baseUrl}/delivery`)
    await page.getByRole('button', { name: 'Delete Fast lane' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText(`Fast lane cannot be deleted: it is used by mailing list ${list.id} (Spring newsletter).`)
      .waitFor()
    await window.screenshot('delivery-in-use')
    await window.finish()
  })

  it('an autoresponder is made, runs for a new subscriber, and is sent again by hand', async () => {
    const list = await makeList(started.api, { name: 'Readers' })
    const window = await open(`/lists/${list.id}/autoresponders`)
    const { page } = window
    await page.getByText('No autoresponders yet').waitFor()
    await window.screenshot('autoresponders-empty')
    await page.getByRole('link', { name: 'Create autoresponder' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Welcome')
    await page.getByRole('radio', { name: 'Later' }).click()
    await page.getByLabel('Delay', { exact: true }).fill('2')
    await page.getByLabel('Subject').fill('Good to have you here')
    await window.screenshot('autoresponder')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The autoresponder was saved').first().waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByText('2 hours').waitFor()
    await makeAutoresponder(started.api, list.id, 'Thanks', { paused: true })
    await page.getByText('Thanks').waitFor()
    await window.screenshot('autoresponders')
    const { data } = await started.api.get<Autoresponder[]>(`/mailing_lists/${list.id}/autoresponders`)
    expect(data[0]).toMatchObject({
      trigger: 'subscription',
      trigger_run_on_api: true,
      delay: 'with_delay',
      delay_amount: 2,
      delay_unit: 'hours',
      content_subject: 'Good to have you here'
    })

    await page.getByRole('link', { name: 'Subscribers', exact: true }).click()
    await page.getByRole('button', { name: 'Add subscriber' }).first().click()
    await page.getByLabel('Email', { exact: true }).fill('carla@example.com')
    await window.screenshot('subscriber-add')
    await page.getByRole('dialog').getByRole('button', { name: 'Add subscriber' }).click()
    await page.getByText('carla@example.com was added.', { exact: true }).first().waitFor()
    expect(reactionsOf(started, list.id).map((each) => each.autoresponder)).toEqual(['Welcome'])
    await page.getByText('carla@example.com', { exact: true }).click()
    await page.getByRole('button', { name: 'Send an autoresponder' }).click()
    await window.screenshot('subscriber-trigger')
    await page.getByRole('menuitem', { name: 'Thanks' }).click()
    await page.getByText('“Thanks” was queued for carla@example.com.', { exact: true }).first().waitFor()
    expect(reactionsOf(started, list.id).map((each) => each.autoresponder)).toEqual(['Welcome', 'Thanks'])
    await window.finish()
  })

  it('with a form that requires confirmation a subscriber waits until they are confirmed', async () => {
    const list = await makeList(started.api, { name: 'Members' })
    const window = await open(`/lists/${list.id}/forms`)
    const { page } = window
    await page.getByText('No sign-up forms yet').waitFor()
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Footer of the website')
    await page.getByRole('dialog').getByRole('button', { name: 'Create form' }).click()
    await page.getByText('Footer of the website').waitFor()
    await page.getByRole('link', { name: 'Subscribers', exact: true }).click()
    await page.getByRole('button', { name: 'Add subscriber' }).first().click()
    await page.getByLabel('Email', { exact: true }).fill('dora@example.com')
    await page.getByRole('combobox', { name: 'Confirmation' }).click()
    await page.getByRole('option', { name: 'Footer of the website' }).click()
    await menuIsGone(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Add subscriber' }).click()
    await page.getByText('dora@example.com will be added once they confirm').first().waitFor()
    await page.getByRole('link', { name: 'Forms', exact: true }).click()
    await page.getByText('Waiting for confirmation').waitFor()
    await window.screenshot('forms')
    expect(await allSubscribers(started.api, list.id)).toEqual([])
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Waiting for confirmation').waitFor({ state: 'detached' })
    expect(await allSubscribers(started.api, list.id)).toMatchObject([{ email: 'dora@example.com' }])
    await window.finish()
  })

  it('a Remote List says where its recipients are, and shows what it has', async () => {
    const list = await makeRemoteList(started.api, { name: 'Customers of the shop' })
    const window = await open(`/lists/${list.id}`)
    const { page } = window
    await page.getByText('This is a Remote List').waitFor()
    expect(await page.getByRole('link', { name: 'Import a file' }).count()).toBe(0)
    await window.screenshot('remote-list')
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/settings`)
    await page.getByLabel('Database connection').waitFor()
    await window.finish()
  })

  it('a Remote List is created with its connection', async () => {
    await makeSubscriber(started.api, (await makeList(started.api)).id, 'x@example.com')
    const window = await open('/lists')
    const { page } = window
    await page.getByRole('button', { name: 'Create list' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Remote customers')
    await page.getByRole('switch', { name: 'Remote List' }).click()
    await page.getByRole('combobox', { name: 'Database connection' }).click()
    await page.getByRole('option').first().click()
    await menuIsGone(page)
    await window.screenshot('remote-list-create')
    await page.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
    await page.getByText('The recipients of this list come from the database').waitFor()
    await window.finish()
  })

  it('rows that failed are fixed, page by page and by reason, and only those are imported again', async () => {
    const list = await makeList(started.api, { name: 'To fix' })
    await makeField(started.api, list.id, 'Age', 'number')
    const lines = Array.from({ length: 60 }, (_, index) => `broken${index},${index}`)
    const file = ['email,Age', 'a@example.com,1', ...lines, 'b@example.com,"no, number"', ''].join('\n')
    const { id, file_source: source } = await importFile(started, list.id, file, {
      column_mapping: ['email', 'Age']
    })
    const window = await open(`/imports/${id}`)
    const { page } = window
    const table = page.getByTestId('failed-rows')
    await table.getByText('broken49', { exact: true }).waitFor()
    expect(await table.locator('[data-faulty]').first().innerText()).toBe('broken0')
    await page.getByRole('button', { name: 'Fix these rows' }).click()
    const importThem = (count: string) => page.getByRole('button', { name: `Import ${count}` })
    expect(await importThem('corrected rows').isDisabled()).toBe(true)
    await page.getByLabel('Email in line 3', { exact: true }).fill('fixed@example.com')
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await page.getByLabel('Email in line 62', { exact: true }).fill('still broken')
    await page.getByLabel(/^Why/).click()
    await page.getByRole('option', { name: 'Age must be a whole number, and … is not one (1)' }).click()
    await menuIsGone(page)
    await page.getByLabel('Age in line 63', { exact: true }).fill('63')
    await window.screenshot('import-fix')
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await importThem('3 corrected rows').click()

    await page.waitForURL(`**/imports/${id + 1}`)
    await started.api.imported(id + 1)
    await page.getByRole('heading', { name: source.filename ?? '' }).waitFor()
    await table.getByText('still broken', { exact: true }).waitFor()
    expect(await table.getByRole('row').nth(1).innerText()).toMatch(/^62\t/)
    await window.screenshot('import-correction')
    await page.getByText('Corrected rows of').getByRole('link').click()
    await page.getByRole('link', { name: '3 rows corrected' }).waitFor()
    await page.getByText('Added: 2 · Failed: 1').waitFor()
    expect(await table.getByText('broken0', { exact: true }).count()).toBe(0)
    await window.screenshot('import-corrected')
    await page.getByRole('link', { name: 'Imports', exact: true }).click()
    await page.getByRole('row').filter({ hasText: '58 failed' }).waitFor()
    await page.getByRole('row').filter({ hasText: '1 failed' }).getByText('Corrected rows').waitFor()
    await window.screenshot('imports-failed')
    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      { email: 'a@example.com' },
      { email: 'fixed@example.com' },
      { email: 'b@example.com', custom_fields: { Age: { value: 63 } } }
    ])
    await window.finish()
  })

  it('subscribers are exported, and the file is downloaded', async () => {
    const list = await makeList(started.api, { name: 'To export' })
    await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Bern' } })
    await makeSubscriber(started.api, list.id, 'b@example.com', { status: 'bounced' })
    const window = await open(`/lists/${list.id}/exports`)
    const { page } = window
    await page.getByText('No exports yet').waitFor()
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('checkbox', { name: 'Bounced (1)' }).click()
    await page.getByText('1 subscriber', { exact: true }).waitFor()
    await window.screenshot('export-create')
    await page.getByRole('button', { name: 'Start export' }).click()
    await page.locator('[data-export-state=finished]').waitFor()
    await page.getByText('Email, Status, Opt-in time,').waitFor()
    await window.screenshot('exports')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const path = await (await download).path()
    const text = await readFile(path, 'utf8')
    expect(text.split('\n')).toHaveLength(3)
    expect(text).toMatch(/^email,status,.*,City\na@example\.com,active,.*,Bern\n$/)
    await window.finish()
  })

  it('a file is imported from its web address, once the page Settings allows this computer', async () => {
    const list = await makeList(started.api, { name: 'From the web' })
    const server = await serveFiles((_request, response) => void response.end('email\nweb@example.com\n'))
    const window = await open(`/lists/${list.id}/import`)
    const { page } = window
    const download = async (): Promise<void> => {
      await page.getByLabel('Web address of a file').fill(server.url)
      await page.getByRole('button', { name: 'Download' }).click()
    }
    await download()
    await page.getByText('is an address of this computer or of a private network').waitFor()
    await window.screenshot('wizard-url-refused')
    await page.goto(`${started.app.baseUrl}/settings`)
    await page.getByRole('switch', { name: 'Allow imports from this computer' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The settings were saved.', { exact: true }).first().waitFor()
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/import`)
    await download()
    await page.getByText('Where each column goes').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.locator('[data-state=finished]').waitFor()
    expect(await allSubscribers(started.api, list.id)).toMatchObject([{ email: 'web@example.com' }])
    await window.finish()
  })

  it('confirmed opt-in is enforced on the page Settings', async () => {
    const window = await open('/settings')
    const { page } = window
    const list = await makeList(started.api)
    const enforce = page.getByRole('switch', { name: 'Enforce confirmed opt-in' })
    const save = async (): Promise<void> => {
      await enforce.click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The settings were saved.', { exact: true }).first().waitFor()
    }
    await save()
    await window.screenshot('settings')
    const subscriber = { email: 'a@example.com', status: 'active' }
    const path = `/mailing_lists/${list.id}/subscribers`
    expect(await started.api.post(path, { subscriber })).toMatchObject({ success: false })
    await page.reload()
    await save()
    expect(await started.api.post(path, { subscriber })).toMatchObject({ success: true })
    await window.finish()
  })
})
