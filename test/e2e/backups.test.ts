import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

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
    await page.getByTestId('archive').setInputFiles({
      name: 'archive.zip',
      mimeType: 'application/zip',
      buffer: readFileSync(archive)
    })
    await page.getByText('Imported from an archive').waitFor()
    await page.getByText('The archive was imported.', { exact: true }).first().waitFor()
    await window.screenshot('backup-imported')
    await page
      .getByTestId('archive')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('email\n') })
    await page.getByText('it is not a ZIP file, or is damaged').waitFor()
    await actions.first().click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Imported from an archive').waitFor({ state: 'detached' })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There are no backups yet.').waitFor()
    await window.finish()
  })
})
