import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BackupsAnswer } from '../../src-main/backups/endpoints.ts'
import { sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { importText, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('backups, in a real Chromium', () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('are made, checked, gone back to and deleted', async () => {
    const list = await makeList(started.api, { name: 'Readers' })
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const window = await Window.open(browser, started.app, '/')
    const { page } = window
    await page.getByRole('link', { name: 'Backups', exact: true }).click()
    await page.getByText('There are no backups yet.').waitFor()
    await window.screenshot('backups-none')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Manual', { exact: true }).waitFor()
    const actions = page.getByRole('button', { name: /^Actions for the backup from/ })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Check' }).click()
    await page.getByText('This backup is intact: 1 subscriber.', { exact: true }).first().waitFor()
    await window.screenshot('backups')
    await actions.click()
    await page.getByRole('menuitem', { name: 'Restore this backup' }).click()
    await window.screenshot('backup-restore')
    await page.getByRole('dialog').getByRole('button', { name: 'Restore this backup' }).click()
    await page.getByText('Close Listwright and start it again').waitFor()
    await window.screenshot('backup-restoring')
    await page.getByRole('button', { name: 'Keep the current data' }).click()
    await page.getByText('Close Listwright and start it again').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Automatic backups' }).click()
    await page.getByRole('option', { name: 'Every hour' }).click()
    await expect
      .poll(async () => (await started.api.workbench<object>('GET', '/settings')).data)
      .toMatchObject({ service_backups: 'hourly' })
    await actions.click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV and JSON' }).click()
    ])
    expect(download.suggestedFilename()).toMatch(/^listwright-backup-.*\.zip$/)
    const archive = await download.path()
    await page.getByTestId('backup-file').setInputFiles({
      name: 'archive.zip',
      mimeType: 'application/zip',
      buffer: readFileSync(archive)
    })
    await page.getByText('Imported', { exact: true }).waitFor()
    await page.getByText('The backup was imported.', { exact: true }).first().waitFor()
    await window.screenshot('backup-imported')
    await page
      .getByTestId('backup-file')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('email\n') })
    await page.getByText('it is not a ZIP file, or is damaged').waitFor()
    await actions.first().click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Imported', { exact: true }).waitFor({ state: 'detached' })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There are no backups yet.').waitFor()
    await window.finish()
  })

  it('show what is paused after a restore', async () => {
    const first = await startApplication()
    const list = await makeList(first.api, { name: 'Readers' })
    const dispatch = { from_email: 'sender@example.com', begins_at: '2040-01-01T00:00:00Z' }
    await makeCampaign(first.api, list.id, { name: 'Spring sale', dispatch_attributes: dispatch })
    const { data } = await first.api.workbench<{ name: string }>('POST', '/backups')
    await first.api.workbench('POST', `/backups/${data.name}/restore`)
    await first.app.close()
    const { app } = await startApplication(first.dataDirectory)
    const window = await Window.open(browser, app, '/backups')
    const { page } = window
    await page.getByText('The backup has been restored.').waitFor()
    await page.getByText('A campaign that was scheduled or being sent is paused').waitFor()
    await window.screenshot('backup-restored')
    await page.getByRole('link', { name: 'Go to the campaigns' }).click()
    await page.getByRole('link', { name: 'Spring sale' }).waitFor()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Spring sale' }).click()
    await page
      .getByText('A backup was restored, and this campaign may have been sent after the backup')
      .waitFor()
    await window.screenshot('campaign-paused-by-restore')
    await window.finish()
  })

  it('are mentioned on the home page if something is wrong with them, or with the place of the data', async () => {
    const { app } = await startApplication(join(await temporaryDirectory(), 'Dropbox/Listwright'))
    const window = await Window.open(browser, app, '/')
    const { page } = window
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText(/^Dropbox copies .* while it changes/).waitFor()
    await window.screenshot('home-unsafe-place')
    await attention.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Backups', exact: true }).waitFor()
    await window.finish()
  })

  it('are exported with a passphrase, imported again, and copied to another folder', async () => {
    const list = await makeList(started.api, { name: 'Customers' })
    await makeSubscriber(started.api, list.id, 'b@example.com')
    const folder = await temporaryDirectory()
    const window = await Window.open(browser, started.app, '/backups')
    const { page } = window
    const dialog = page.getByRole('dialog')
    const enter = async (first: string, second = first): Promise<void> => {
      await dialog.getByLabel('Passphrase', { exact: true }).fill(first)
      await dialog.getByLabel('Repeat the passphrase').fill(second)
    }
    await page.getByRole('button', { name: 'Back up now' }).click()
    const actions = page.getByRole('button', { name: /^Actions for the backup from/ })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Export with a passphrase' }).click()
    const encrypts = dialog.getByRole('button', { name: 'Encrypt and download' })
    await enter('elevenchars', 'another one')
    await dialog.getByText('Use at least 12 characters.').waitFor()
    await dialog.getByText('The two passphrases are not the same.').waitFor()
    await window.screenshot('backup-encrypt')
    expect(await encrypts.isDisabled()).toBe(true)
    await enter('correct horse battery')
    const [download] = await Promise.all([page.waitForEvent('download'), encrypts.click()])
    expect(download.suggestedFilename()).toMatch(/^listwright-backup-.*\.db\.age$/)
    await dialog.waitFor({ state: 'detached' })

    await page.getByTestId('backup-file').setInputFiles({
      name: 'backup.db.age',
      mimeType: 'application/octet-stream',
      buffer: readFileSync(await download.path())
    })
    await dialog.getByText('backup.db.age is encrypted.').waitFor()
    await dialog.getByLabel('Passphrase').fill('wrong horse battery')
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText('The passphrase is wrong.').waitFor()
    await window.screenshot('backup-decrypt')
    await dialog.getByLabel('Passphrase').fill('correct horse battery')
    await dialog.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Imported', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Set up copies' }).click()
    await dialog.getByLabel('Folder').fill(join(folder, 'none'))
    await enter('correct horse battery')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/^Folder must exist; there is no folder /).waitFor()
    await window.screenshot('backup-copies-edit')
    await dialog.getByLabel('Folder').fill(folder)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('No copy has been made yet.').waitFor()
    await window.screenshot('backup-copies')
    await page.getByRole('button', { name: 'Stop copying' }).click()
    await page.getByRole('button', { name: 'Set up copies' }).waitFor()
    await window.finish()
  })
  it('are made before many people are changed or a list is deleted, unless that is switched off', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Many' })
    await importText(api, list.id, Array.from({ length: 10_000 }, (_, n) => `p${n}@example.com\n`).join(''), {
      file_format: { csv_has_headers: false }
    })
    const made = async (): Promise<number> => {
      const { backups } = (await api.workbench<BackupsAnswer>('GET', '/backups')).data
      return backups.filter(({ kind }) => kind === 'before_change').length
    }
    const window = await Window.open(browser, started.app, `/lists/${list.id}`)
    const { page } = window
    const dialog = page.getByRole('dialog')
    const act = async (): Promise<void> => {
      await page.getByRole('checkbox', { name: 'Select everyone found' }).click()
      const bar = page.getByRole('region', { name: 'Actions for the selected subscribers' })
      await bar.getByRole('button', { name: 'Set status' }).click()
      await dialog.getByText('10,000 subscribers', { exact: true }).waitFor()
      await dialog.getByLabel('Status').click()
      await page.getByRole('option', { name: 'Deactivated', exact: true }).click()
      await menuIsGone(page)
    }
    await act()
    await dialog.getByRole('switch', { name: 'Back up first' }).waitFor()
    await window.screenshot('bulk-back-up-first')
    await dialog.getByRole('button', { name: /^Set the status of 10,000/ }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await made()).toBe(1)
    await page
      .getByRole('region', { name: 'The last bulk action' })
      .getByText(/10,000/)
      .first()
      .waitFor()

    await page.goto(`${started.app.baseUrl}/lists`)
    await page.getByRole('button', { name: 'Actions for Many' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('switch', { name: 'Back up first' }).click()
    await dialog.getByRole('textbox').fill('Many')
    await dialog.getByRole('button', { name: 'Delete list' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await made()).toBe(1)
    await window.finish()
  })
})
