import { expect, it } from 'vitest'
import { importFile, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { act, select } from '../support/bulk-actions.ts'
import { onEachStage } from './stages.ts'

onEachStage('the page of a subscriber', ({ started, open }) => {
  it('shows all data of the subscriber, and events with their causes', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Newsletter' })
    const other = await makeList(api, { name: 'Customers' })
    await makeField(api, list.id, 'City', 'text')
    const column_mapping = ['email', 'City']
    await importFile(started, list.id, 'email,City\nanna@example.com,Wien\nben@example.com,Graz\n', {
      column_mapping
    })
    await makeSubscriber(api, other.id, 'anna@example.com', { status: 'bounced' })
    await act(api, await select(api, list.id), { kind: 'set_status', status: 'deactivated' })

    const window = await open(`/lists/${list.id}`)
    const { page } = window
    await page.getByText('anna@example.com').click()
    await page.getByRole('dialog').getByRole('link', { name: 'History and activity' }).click()
    await page.waitForURL(/\/subscribers\/\d+$/)
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Status changed from Active to Deactivated').waitFor()
    await history.getByRole('link', { name: /^in a bulk action by / }).waitFor()
    await history.getByText('Added to the list').waitFor()
    await page.getByRole('region', { name: 'About the subscriber' }).getByText('Wien').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    const editor = page.getByRole('dialog')
    await editor.getByRole('textbox', { name: 'City' }).fill('Linz')
    await editor.getByRole('button', { name: 'Save' }).click()
    await history.getByText('Wien → Linz').waitFor()
    await history.getByText(/by .*, in the app$/).waitFor()
    await window.screenshot('subscriber-page')
    await history.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByText('The change was undone.', { exact: true }).first().waitFor()
    await history.getByText('Linz → Wien').waitFor()
    await page.getByRole('region', { name: 'About the subscriber' }).getByText('Wien').waitFor()

    await history.getByRole('link', { name: /^by the import of / }).click()
    await page.getByText('Finished').first().waitFor()
    await page.goBack()
    await page.getByRole('main').getByRole('link', { name: 'Customers', exact: true }).click()
    await page.getByText('on Customers').waitFor()
    expect(await page.getByRole('heading', { name: 'anna@example.com' }).count()).toBe(1)
    await window.finish()
  })

  it('returns to the list when the subscriber is deleted, and reports a missing one', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'gone@example.com')
    const window = await open(`/lists/${list.id}/subscribers/${id}`)
    const { page } = window
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete subscriber' }).click()
    await page.waitForURL(`**/lists/${list.id}`)
    // A subscriber that was deleted by mistake is restored with one click.
    await window.screenshot('subscriber-deleted')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 subscriber', { exact: true }).waitFor()
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/subscribers/${id}`)
    await page.getByRole('heading', { name: 'gone@example.com' }).waitFor()
    await started.api.delete(`/mailing_lists/${list.id}/subscribers/${id}`)
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/subscribers/${id}`)
    await page.getByText('Not found', { exact: true }).waitFor()
    await window.screenshot('subscriber-page-gone')
    await window.finish()
  })
})
