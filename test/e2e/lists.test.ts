import { expect, it } from 'vitest'
import { allSubscribers, makeField, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { menuIsGone } from './browser.ts'
import { onEachStage } from './stages.ts'

onEachStage('the pages of lists', ({ started, open }) => {
  it('asks before unsaved input is left, and sorts by any column', async () => {
    const lists = [
      await makeList(started.api, { name: 'Zebra' }),
      await makeList(started.api, { name: 'Asked later' })
    ]
    const window = await open(`/lists/${lists[0]?.id}/fields`)
    const { page } = window
    await page.getByRole('button', { name: 'Create field' }).click()
    const editor = page.getByRole('dialog', { name: 'Create field' })
    const name = editor.getByRole('textbox', { name: 'Name' })
    // Nothing was written yet.
    await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Create field' }).click()
    await name.fill('Half a na')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await window.screenshot('unsaved')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await name.inputValue()).toBe('Half a na')
    await editor.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await editor.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Create field' }).click()
    await name.fill('Length')
    await editor.getByLabel('Minimum length').fill('10')
    await editor.getByLabel('Maximum length').fill('5')
    await editor.getByRole('button', { name: 'Create field' }).click()
    await editor.getByText(/^This must not be greater than/).waitFor()
    await editor.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()

    await page.goto(`${started.app.baseUrl}/lists/${lists[0]?.id}/templates/new`)
    await page.getByRole('textbox', { name: 'Name' }).first().fill('A template')
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(page.url()).toContain('/templates/new')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The template was saved').first().waitFor()
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.waitForURL('**/lists')

    const names = page.locator('tbody tr td:first-child')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    const ascending = await names.allInnerTexts()
    expect(ascending).toEqual(ascending.toSorted((a, b) => a.localeCompare(b)))
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    expect(await names.allInnerTexts()).toEqual(ascending.toReversed())
    expect(await page.locator('th').first().getAttribute('aria-sort')).toBe('descending')
  })

  it('marks the field that a refusal is about, whatever its values contain', async () => {
    const list = await makeList(started.api, { name: 'Refusals' })
    const options = [{ name: 'Red, name is Blue' }, { name: 'Green' }]
    await makeField(started.api, list.id, 'City', 'text')
    const color = await makeField(started.api, list.id, 'Color', 'select_single_dropdown', { options })
    const window = await open(`/lists/${list.id}/fields`)
    const { page } = window

    await page.getByRole('button', { name: 'Create field' }).click()
    const editor = page.getByRole('dialog')
    await editor.getByRole('textbox', { name: 'Name' }).fill('city')
    await editor.getByRole('button', { name: 'Create field' }).click()
    await editor.getByText('"city" is already taken by another custom field.').waitFor()
    expect(await editor.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).toBe('true')
    await window.screenshot('field-name-taken')
    await editor.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()

    await page.goto(`${started.app.baseUrl}/lists/${list.id}`)
    await page.getByRole('button', { name: 'Add subscriber' }).first().click()
    await editor.getByRole('textbox', { name: 'Email' }).fill('ann@example.com')
    await editor.getByLabel('Color').click()
    await page.getByRole('option', { name: 'Green' }).click()
    await menuIsGone(page)
    await started.api.put(`/custom_fields/${color.id}`, {
      custom_field: { options: [{ name: 'Red, name is Blue' }] }
    })
    await editor.getByRole('button', { name: 'Add subscriber' }).click()
    await editor.getByText('This must be one of Red, name is Blue, and "Green" is not one.').waitFor()
    await window.screenshot('option-gone')
  })

  it('edits fields of all nine types', async () => {
    const list = await makeList(started.api, { name: 'All types', has_confirmed: true, has_format: true })
    const options = [{ name: 'Red' }, { name: 'Blue' }]
    for (const [name, type] of [
      ['Text', 'text'],
      ['Notes', 'text_multiline'],
      ['Number', 'number'],
      ['Date', 'date'],
      ['Birthday', 'day_of_year'],
      ['Truth', 'boolean']
    ] as const) {
      await makeField(started.api, list.id, name, type)
    }
    for (const [name, type] of [
      ['Dropdown', 'select_single_dropdown'],
      ['Radio', 'select_single_radio'],
      ['Boxes', 'select_multiple_checkboxes']
    ] as const) {
      await makeField(started.api, list.id, name, type, { options })
    }
    const window = await open(`/lists/${list.id}`)
    const { page } = window
    await page.getByRole('button', { name: 'Add subscriber' }).first().click()
    const editor = page.getByRole('dialog')
    await editor.getByRole('textbox', { name: 'Email' }).fill('not an address')
    await editor.getByRole('button', { name: 'Add subscriber' }).click()
    await editor.getByText('This is not a valid email address: "not an address".').waitFor()
    const email = editor.getByRole('textbox', { name: 'Email' })
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    await window.screenshot('subscriber-fault')
    await makeSubscriber(started.api, list.id, 'taken@example.com')
    await editor.getByRole('textbox', { name: 'Email' }).fill('taken@example.com')
    await editor.getByRole('textbox', { name: 'Number' }).fill('1.5')
    await editor.getByRole('button', { name: 'Add subscriber' }).click()
    await editor.getByText('Correct the 2 highlighted fields.').waitFor()
    await editor.getByText(/^This is already used by a subscriber on this list/).waitFor()
    await editor.getByText(/^This must be a whole number/).waitFor()
    await started.api.delete(`/mailing_lists/${list.id}/subscribers/taken@example.com`)
    await editor.getByRole('textbox', { name: 'Email' }).fill('types@example.com')
    await editor.getByRole('textbox', { name: 'Text' }).fill('one')
    await editor.getByRole('textbox', { name: 'Notes' }).fill('two\nlines')
    await editor.getByRole('textbox', { name: 'Number' }).fill('42')
    await editor.getByLabel('Date').fill('2024-02-29')
    await editor.getByRole('textbox', { name: 'Birthday' }).fill('02-29')
    await editor.getByRole('radio', { name: 'Yes' }).click()
    await editor.getByLabel('Dropdown').click()
    await page.getByRole('option', { name: 'Blue' }).click()
    await menuIsGone(page)
    await editor.getByRole('radio', { name: 'Red' }).click()
    await editor.getByRole('checkbox', { name: 'Blue' }).click()
    await window.screenshot('subscriber-all-types')
    await editor.getByRole('button', { name: 'Add subscriber' }).click()
    await page.getByText('types@example.com was added.', { exact: true }).first().waitFor()

    await page.getByRole('grid').focus()
    await page.keyboard.press('Enter')
    const opened = page.getByRole('dialog', { name: 'types@example.com' })
    await opened.getByRole('textbox', { name: 'Text' }).fill('three')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await opened.waitFor({ state: 'hidden' })
    const [made] = await allSubscribers(started.api, list.id)
    const value = (name: string): unknown => made?.custom_fields[name]?.value
    expect(
      ['Text', 'Notes', 'Number', 'Date', 'Birthday', 'Truth', 'Dropdown', 'Radio', 'Boxes'].map(value)
    ).toEqual(['one', 'two\nlines', 42, '2024-02-29', '02-29', true, 'Blue', 'Red', ['Blue']])
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/fields`)
    await page.getByRole('button', { name: /Dropdown/ }).click()
    await page.getByRole('textbox', { name: 'Option 2' }).fill('Navy')
    await window.screenshot('custom-field-edit')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Red, Navy').waitFor()
    await window.screenshot('list-fields')
    await page.getByRole('button', { name: /^Notes/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Its values are no longer shown for any subscriber on this list.').waitFor()
    await window.screenshot('custom-field-delete')
    await page.getByRole('button', { name: 'Delete field' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Notes/ }).waitFor({ state: 'detached' })
    expect(
      (await started.api.get<unknown[]>(`/mailing_lists/${list.id}/custom_fields/deleted`)).data
    ).toHaveLength(1)
    await window.finish()
  })

  it('deletes a list only after its name was typed, and says how many go with it', async () => {
    const list = await makeList(started.api, { name: 'Old list' })
    await makeSubscriber(started.api, list.id, 'a@example.com')
    await makeSubscriber(started.api, list.id, 'b@example.com')
    const window = await open('/lists')
    const { page } = window
    await page.getByRole('button', { name: 'Actions for Old list' }).click()
    await page.getByRole('menuitem', { name: 'Delete list' }).click()
    await page.getByRole('dialog').getByText('The list is deleted with its 2 subscribers').waitFor()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete list' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill('Old list')
    await window.screenshot('list-delete')
    await remove.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await started.api.get(`/mailing_lists/${list.id}`)).error_code).toBe('not_found')
    // It cannot be undone, so everything was backed up first.
    const { data } = await started.api.workbench<{ backups: object[] }>('GET', '/backups')
    expect(data.backups).toHaveLength(1)
    await window.finish()
  })

  it('asks for a second word before it deletes a list that segments of others refer to, and names them', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Customers' })
    await makeSubscriber(api, list.id, 'a@example.com')
    const other = await makeList(api, { name: 'Readers' })
    await makeSegment(api, other.id, { name: 'Readers who buy', other: list.id })
    const window = await open('/lists')
    const { page } = window
    await page.getByRole('button', { name: 'Actions for Customers' }).click()
    // The first answer is lost: that is said, and asked again.
    await page.route(/referring_segments/, (route) => route.abort(), { times: 1 })
    await page.getByRole('menuitem', { name: 'Delete list' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('Readers who buy (Readers)').waitFor()
    const remove = dialog.getByRole('button', { name: 'Delete list' })
    const name = dialog.getByRole('textbox', { name: /Customers/ })
    await name.fill('Customers')
    expect(await remove.isDisabled()).toBe(true)
    await name.press('Enter')
    expect((await api.get(`/mailing_lists/${list.id}`)).success).toBe(true)
    await window.screenshot('list-delete-segments')
    const word = dialog.getByRole('textbox', { name: /segments/ })
    await word.fill('segments')
    await word.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect((await api.get(`/mailing_lists/${list.id}`)).error_code).toBe('not_found')
    await window.finish(/ERR_FAILED/)
  })

  it('shows a long table in pages, sorted as a whole', async () => {
    const { api } = started
    const names = Array.from({ length: 120 }, (_, number) => `Paged ${String(number).padStart(3, '0')}`)
    for (const name of names) await makeList(api, { name })
    const window = await open('/lists')
    const { page } = window
    await page.getByPlaceholder('Find a list').fill('paged')
    const first = page.locator('tbody tr td:first-child').first()
    const range = page.getByRole('main').getByText(/ to .* of 120$/)
    await expect.poll(() => range.innerText()).toBe('1 to 100 of 120')

    await page.getByRole('button', { name: 'Page 2' }).click()
    await expect.poll(() => range.innerText()).toBe('101 to 120 of 120')
    expect(await first.innerText()).toBe('Paged 100')
    await window.screenshot('lists-page-2')

    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await expect.poll(() => first.innerText()).toBe('Paged 119')
    expect(await range.innerText()).toBe('1 to 100 of 120')

    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('textbox').fill('paged 07')
    await page.getByRole('option', { name: 'Paged 077' }).click()
    await page.getByRole('heading', { name: 'Paged 077' }).waitFor()
    await window.finish()
  })
})
