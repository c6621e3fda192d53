import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { expectSuccess, makeList } from '../support/builders.ts'
import { outboxOf } from '../support/outbox.ts'
import { remoteListOn, sendQuery, sqliteFile } from '../support/remote-lists.ts'
import { campaignOf, shortSchedule, until, untilState } from '../support/smtp-route.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window, writeHtml } from './browser.ts'

const contacts = `INSERT INTO contacts VALUES (7, 'anna@example.org', 'Anna'), (8, 'ben@example.org', 'Ben'),
  (9, 'no address', 'Carl')`

describe.skipIf(skipsWithoutBrowser)('Remote Lists, in a real Chromium', { timeout: 120_000 }, () => {
  const browser = sharedBrowser()

  it('a database is added and tested in the window', async () => {
    const { app } = await startApplication()
    const { database } = await sqliteFile(contacts)
    const window = await Window.open(browser, app, '/delivery')
    const { page } = window

    await page.getByRole('button', { name: 'Add a database' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name', { exact: true }).fill('CRM')
    await window.screenshot('database-form')
    await form.getByRole('combobox', { name: 'Kind of database' }).click()
    await page.getByRole('option', { name: 'SQLite file' }).click()
    await menuIsGone(page)
    await form.getByLabel('Path of the file').fill(database)
    await form.getByRole('button', { name: 'Add database' }).click()
    await page.getByText(`SQLite file · ${database}`).waitFor()
    await page.getByRole('button', { name: 'Test “CRM”' }).click()
    await page.getByText(/^SQLite 3\./).waitFor()
    await page.getByText('Refuses to write while it is read').waitFor()
    await window.screenshot('database-test')
  })

  it('rows of a database are imported, and again every day', async () => {
    const { api, app } = await startApplication()
    const { database } = await sqliteFile(contacts)
    const database_connection = { name: 'CRM', engine: 'sqlite', database }
    expectSuccess(await api.post('/database_connections', { database_connection }))
    const list = await makeList(api, { name: 'Customers' })
    const window = await Window.open(browser, app, `/lists/${list.id}/import`)
    const { page } = window

    await page.getByRole('button', { name: 'From a database' }).click()
    await page.getByLabel('Query in SQL').fill('SELECT email, name FROM contacts WHERE id < 9')
    await window.screenshot('import-database')
    await page.getByRole('button', { name: 'Read the rows' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('combobox', { name: 'Import again' }).click()
    await page.getByRole('option', { name: 'Every day' }).click()
    await menuIsGone(page)
    await window.screenshot('import-repeat')
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.waitForURL(/imports\/\d+/)
    await page.goto(`${new URL(page.url()).origin}/lists/${list.id}/imports`)
    await page.getByText('Every day from CRM').waitFor()
    await window.screenshot('import-schedules')

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Query in SQL').fill('SELECT email FROM contacts')
    await dialog.getByRole('combobox', { name: 'Import again' }).click()
    await page.getByRole('option', { name: 'Every hour' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/now returns other columns/).waitFor()
    await window.screenshot('import-schedule-edit')
    await dialog.getByLabel('Query in SQL').fill('SELECT email, name FROM contacts')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Every hour from CRM').waitFor()
  })

  it('a query is written, tried and sent, with its columns as merge fields', async () => {
    const { api, app, dataDirectory } = await startApplication()
    const target = await sqliteFile(contacts)
    const list = await remoteListOn(api, target, {
      name: 'Customers',
      d_from_email: 'news@example.com'
    })
    const window = await Window.open(browser, app, `/lists/${list.id}/query`)
    const { page } = window

    await page
      .getByLabel('Query in SQL')
      .fill('SELECT email, id AS distinct_id, name AS first_name FROM contact')
    await page.getByRole('button', { name: 'Show rows' }).click()
    await page.getByText(/refuses the query: “no such table: contact”/).waitFor()
    await page
      .getByLabel('Query in SQL')
      .fill('SELECT email, id AS distinct_id, name AS first_name FROM contacts')
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('row 3 has no valid email: no address').waitFor()
    await page.getByLabel('Query in SQL').press('Control+Enter')
    await page.getByText('%%first_name%%').waitFor()
    await page.getByText('row 3 has no valid email: no address').waitFor()
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('2 recipients').waitFor()
    await window.screenshot('query')
    await page.getByRole('switch', { name: 'Write back' }).click()
    await page.getByText('The table could not be tried.').waitFor()
    const statement = await page.getByText('CREATE TABLE "listwright_removals"').innerText()
    await window.screenshot('write-back-without-table')
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.getByRole('row', { name: 'Customers in its database –' }).waitFor()
    await window.screenshot('lists-with-remote')
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByText('Write-back of “Customers” fails').waitFor()
    await window.screenshot('home-database-fault')
    await page.getByText('Write-back of “Customers” fails').click()
    const file = new Database(target.database)
    file.exec(statement)
    file.close()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByText('The table was found ready').waitFor()
    await page.getByText('SQL that creates the table').click()
    await page.getByText('CREATE TABLE "listwright_removals"').scrollIntoViewIfNeeded()
    await window.screenshot('write-back')

    await page.getByRole('button', { name: 'Use in a campaign' }).click()
    await page.getByRole('menuitem', { name: 'New campaign' }).click()
    await page.getByLabel('Subject').fill('Hello ')
    await page.getByRole('button', { name: 'Insert a field' }).first().click()
    await page.getByRole('menuitem', { name: 'first_name' }).click()
    await menuIsGone(page)
    await window.screenshot('remote-campaign')
    expect(await page.getByLabel('Subject').inputValue()).toBe('Hello %%first_name%%')
    const version = page.getByRole('region', { name: 'Version A' })
    await writeHtml(version, '<p>Hello %%first_name%%</p>')
    await version.getByLabel('Plain text').fill('Hello')
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The HTML has no unsubscribe link').waitFor()
    expect(await dialog.getByText('%%first_name%%').allTextContents()).toEqual(['Hello %%first_name%%'])
    await window.screenshot('remote-send')
    await dialog.getByRole('button', { name: 'Write to the outbox', exact: true }).click()

    const id = Number(/campaigns\/(\d+)/.exec(page.url())?.[1])
    await untilState(api, id, 'finished')
    const subjects = (await outboxOf(dataDirectory, id)).map(({ headers }) => headers.get('subject'))
    expect(subjects).toEqual(['Hello Anna', 'Hello Ben'])
    await window.screenshot('remote-sent')
  })

  it('a campaign is not sent without a query, and its query is tried before', async () => {
    const { api, app } = await startApplication()
    const list = await remoteListOn(api, await sqliteFile(contacts), {
      name: 'Customers',
      d_from_email: 'news@example.com'
    })
    const campaign = {
      name: 'Spring',
      contents: [{ subject: 'Hello %%frist_name%%', format: 'text', text: 'Hello' }]
    }
    const { id } = expectSuccess(
      await api.post<{ id: number }>(`/mailing_lists/${list.id}/campaigns`, { campaign })
    )
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns/${id}`)
    const { page } = window
    const send = page.getByRole('button', { name: 'Write to the outbox…' })
    const dialog = page.getByRole('dialog')

    await send.click()
    await dialog.getByText('The campaign has no query.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Query in SQL').fill('SELECT email, name AS first_name FROM contacts WHERE id < 9')
    await send.click()
    await dialog.getByText('%%frist_name%%', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Query in SQL').fill('SELECT email FROM contact')
    await send.click()
    await dialog.getByText('The query could not be tried', { exact: false }).waitFor()
    await window.screenshot('remote-untried')
  })

  it('the query of a campaign that could not be read is corrected, and the campaign goes on', async () => {
    const { api, app } = await startApplication(undefined, { retrySchedule: shortSchedule })
    const list = await remoteListOn(api, await sqliteFile(contacts))
    const { id } = await sendQuery(api, list.id, 'SELECT email FROM contact WHERE id < 9')
    await until(async () => (await campaignOf(api, id)).dispatch?.paused === true)
    const window = await Window.open(browser, app, `/lists/${list.id}/campaigns/${id}`)
    const { page } = window

    await page.getByRole('heading', { name: 'Correct the query' }).waitFor()
    await page.getByLabel('Query in SQL').fill('SELECT email FROM contacts WHERE id < 9')
    await page.getByRole('button', { name: 'Show rows' }).click()
    await page.getByText('ben@example.org').waitFor()
    await window.screenshot('remote-correct')
    await page.getByRole('button', { name: 'Continue' }).click()

    expect((await untilState(api, id, 'finished')).stat_summary?.messages_sent).toBe(2)
    await page.getByRole('heading', { name: 'Correct the query' }).waitFor({ state: 'detached' })
  })
})
