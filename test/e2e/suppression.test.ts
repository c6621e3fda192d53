import { expect, it } from 'vitest'
import type { SuppressedAddress, SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { makeList } from '../support/builders.ts'
import { menuIsGone } from './browser.ts'
import { onEachStage } from './stages.ts'

onEachStage('suppression lists', ({ started, open }) => {
  it('are made, filled from a text, looked through and changed', async () => {
    const { api } = started
    await makeList(api, { name: 'Newsletter' })
    const window = await open()
    const { page } = window
    await page.getByRole('link', { name: 'Suppression' }).click()
    await page.getByText('No suppression lists yet').waitFor()
    await window.screenshot('suppression-empty')
    await page.getByRole('button', { name: 'Create suppression list' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('Never again')
    await form.getByRole('button', { name: 'For' }).click()
    await page.getByRole('option', { name: 'Newsletter' }).click()
    await menuIsGone(page)
    await form.getByRole('button', { name: 'Create suppression list' }).click()
    await page.getByText('No addresses yet').waitFor()
    const [list] = (await api.get<SuppressionList[]>('/suppression_lists')).data
    expect(list).toMatchObject({ name: 'Never again', mailing_list_id: expect.any(Number) as number })

    await page.getByRole('button', { name: 'Add addresses' }).first().click()
    const addresses = Array.from({ length: 150 }, (_, number) => `p${number}@example.com`)
    await page.getByLabel(/One per line/).fill(`nobody\n@example.org\n${addresses.join('\n')}`)
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.getByText(/is no email address, @domain or MD5 sum: "nobody"/).waitFor()
    await page.getByLabel(/One per line/).fill(`@example.org\n${addresses.join('\n')}`)
    await page.getByText('151 addresses').waitFor()
    await window.screenshot('suppression-add')
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.getByText('@example.org').waitFor()
    await window.screenshot('suppression-list')
    await page.getByRole('button', { name: 'Allow messages to @example.org again' }).click()
    await page.getByText('150 addresses').waitFor()
    await page.getByRole('button', { name: 'Page 2' }).click()
    await page.getByText('p149@example.com').waitFor()
    const { data } = await api.get<SuppressedAddress[]>(`/suppression_lists/${list?.id}/suppressed_addresses`)
    expect(data).toHaveLength(100)

    await page.getByRole('button', { name: 'Add addresses' }).first().click()
    const file = Array.from({ length: 3000 }, (_, number) => `Person ${number};q${number}@example.com`)
    await page.getByLabel('Or from a file').setInputFiles({
      name: 'complaints.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Name;Email\n${file.join('\n')}`)
    })
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    await page.getByText(/Finished · 3,000 added, 0 already there, 1 without an address/).waitFor()
    await page.getByText('3,150 addresses').waitFor()
    await window.screenshot('suppression-files')
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Addresses to suppress').waitFor()
    await page.getByRole('link', { name: 'complaints.csv' }).click()

    await page.getByRole('button', { name: 'Edit name and lists' }).click()
    await page.getByLabel('Name').fill('Not again')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Not again' }).waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('link', { name: /Not again/ }).waitFor()
    await window.screenshot('suppression-lists')
    await window.finish()
  })
})
