import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import { act, select } from '../support/bulk-actions.ts'
import { allSubscribers, importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { menuIsGone } from './browser.ts'
import { onEachStage } from './stages.ts'

onEachStage('bulk actions', ({ started, open }) => {
  async function makeClub() {
    const { api } = started
    const list = await makeList(api, { name: 'Club' })
    const options = [{ name: 'Red' }, { name: 'Green' }]
    await makeField(api, list.id, 'City', 'text')
    await makeField(api, list.id, 'Colours', 'select_multiple_checkboxes', { options })
    for (const [name, status, City] of [
      ['anna', 'active', 'Wien'],
      ['ben', 'unsubscribed', 'Graz'],
      ['clara', 'active', 'Wien'],
      ['dario', 'bounced', 'Graz'],
      ['eva', 'active', null]
    ] as const) {
      await makeSubscriber(api, list.id, `${name}@example.com`, { status, custom_fields: { City } })
    }
    return list
  }

  async function openList(listId: number, query = '') {
    const window = await open(`/lists/${listId}${query}`)
    const { page } = window
    await page.getByRole('grid').getByText('@example').first().waitFor()
    const tick = async (name: string, modifiers: 'Shift'[] = []): Promise<void> => {
      await page
        .getByRole('row')
        .filter({ hasText: `${name}@` })
        .getByTestId('tick')
        .click({ modifiers })
    }
    const bar = page.getByRole('region', { name: 'Actions for the selected subscribers' })
    const notice = page.getByRole('region', { name: 'The last bulk action' })
    const dialog = page.getByRole('dialog')
    const choose = async (label: string, option: string): Promise<void> => {
      await dialog.getByLabel(label).click()
      await page.getByRole('option', { name: option, exact: true }).click()
      await menuIsGone(page)
    }
    return { window, page, tick, bar, notice, dialog, choose }
  }

  async function statusesOf(listId: number): Promise<Record<string, string>> {
    const all = await allSubscribers(started.api, listId)
    return Object.fromEntries(all.map(({ email, status }) => [email.split('@')[0] ?? '', status]))
  }

  it('change the selected subscribers, report what they did, and are undone', async () => {
    const list = await makeClub()
    const { window, page, tick, bar, notice, dialog, choose } = await openList(list.id)
    await tick('anna')
    await tick('ben')
    await bar.getByText('2 selected').waitFor()
    await window.screenshot('bulk-ticked')
    await bar.getByRole('button', { name: 'Set status' }).click()
    await dialog.getByText('1 active, 1 unsubscribed').waitFor()
    expect(await dialog.getByRole('button', { name: 'Set the status' }).isDisabled()).toBe(true)
    await choose('New status', 'Unsubscribed')
    await window.screenshot('bulk-status')
    await dialog.getByRole('button', { name: 'Set the status of 2 subscribers' }).click()
    await notice.getByText('1 changed · 1 needed no change').waitFor()
    expect(await notice.innerText()).toContain('Set the status to Unsubscribed')
    await page.getByText('Nobody selected').waitFor({ state: 'detached' })
    await window.screenshot('bulk-done')
    expect(await statusesOf(list.id)).toMatchObject({ anna: 'unsubscribed', clara: 'active' })
    await notice.getByRole('button', { name: 'Undo' }).click()
    await notice.getByText('Undone: 1 restored').waitFor()
    expect(await statusesOf(list.id)).toMatchObject({ anna: 'active' })
    await notice.getByRole('button', { name: 'Close this notice' }).click()
    await notice.waitFor({ state: 'detached' })
    await window.finish()
  })

  it('apply to all subscribers of a filter, also those not loaded, except deselected ones', async () => {
    const list = await makeList(started.api, { name: 'Many' })
    const people = Array.from(
      { length: 2500 },
      (_, index) => `p${index}@example.${index % 2 === 0 ? 'com' : 'org'}\n`
    )
    await importText(started.api, list.id, people.join(''), { file_format: { csv_has_headers: false } })
    const clause = [{ type: 'domain', operator: 'is', value: 'example.org' }]
    const { window, page, tick, bar, notice, dialog } = await openList(
      list.id,
      `?filter=${encodeURIComponent(JSON.stringify(clause))}`
    )
    await page.getByText('1,250 of 2,500 subscribers').waitFor()
    await page.getByRole('checkbox', { name: 'Select everyone found' }).click()
    await bar.getByText('1,250 selected').waitFor()
    await tick('p1')
    await bar.getByText('1,249 selected').waitFor()
    await window.screenshot('bulk-all-but-one')
    await bar.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('1,249 subscribers').first().waitFor()
    await window.screenshot('bulk-delete')
    await dialog.getByRole('button', { name: 'Delete 1,249 subscribers' }).click()
    await notice.getByText('1,249 deleted').waitFor()
    await page.getByText('1 of 1,251 subscribers').waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1,250 of 2,500 subscribers').waitFor()
    await window.finish()
  })

  it('clear the selection when the search or filter changes', async () => {
    const list = await makeClub()
    const { window, page, tick, bar } = await openList(list.id)
    await tick('anna')
    await bar.getByText('1 selected').waitFor()
    await page.getByRole('searchbox').fill('ben')
    await page.getByText('1 of 5 subscribers').waitFor()
    await bar.waitFor({ state: 'detached' })
    await window.finish()
  })

  it('select runs of rows with Shift, and the order of the table leaves them selected', async () => {
    const list = await makeClub()
    const { window, page, tick, bar } = await openList(list.id)
    await tick('anna')
    await tick('dario', ['Shift'])
    const between = await page.getByRole('row', { selected: true }).count()
    await bar.getByText(`${between} selected`).waitFor()
    expect(between).toBeGreaterThan(1)
    await page.getByRole('columnheader', { name: 'Email' }).getByRole('button').click()
    await bar.getByText(`${between} selected`).waitFor()
    await window.finish()
  })

  it('set a field, add to it, and clear it', async () => {
    const list = await makeClub()
    const { window, page, tick, bar, notice, dialog, choose } = await openList(list.id)
    await tick('anna')
    await bar.getByRole('button', { name: 'Set a field' }).click()
    const set = dialog.getByRole('button', { name: 'Set the field' })
    expect(await set.isDisabled()).toBe(true)
    await choose('Custom field', 'City')
    expect(await set.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Clear “City” for all of them' }).click()
    expect(await set.isDisabled()).toBe(false)
    await window.screenshot('bulk-field')
    await dialog.getByRole('textbox', { name: 'City' }).fill('Linz')
    await dialog.getByRole('button', { name: 'Set the field of 1 subscriber' }).click()
    await notice.getByText('Set City to “Linz”').waitFor()
    await notice.getByText('1 changed').waitFor()
    await tick('anna')
    await bar.getByRole('button', { name: 'Set a field' }).click()
    await choose('Custom field', 'Colours')
    await dialog.getByRole('radio', { name: 'Add to what is selected' }).click()
    const confirm = dialog.getByRole('button', { name: 'Set the field of 1 subscriber' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Red' }).click()
    await window.screenshot('bulk-field-options')
    await confirm.click()
    await notice.getByText('Add “Red” to Colours').waitFor()
    await page.getByRole('row').filter({ hasText: 'anna@' }).getByText('Red').waitFor()
    await window.finish()
  })

  it('move to another list, and say which values and subscribers cannot go there', async () => {
    const list = await makeClub()
    const other = await makeList(started.api, { name: 'Other club' })
    await makeField(started.api, other.id, 'City', 'text', { required: true })
    const { window, page, tick, bar, notice, dialog } = await openList(list.id)
    await tick('anna')
    await tick('eva')
    await bar.getByRole('button', { name: 'Copy or move' }).click()
    await dialog.getByLabel('The other list').click()
    await page.getByRole('option', { name: 'Other club' }).click()
    await menuIsGone(page)
    await dialog.getByRole('radio', { name: 'Move' }).click()
    await dialog.getByText('Not carried over: Colours').waitFor()
    await window.screenshot('bulk-move')
    await dialog.getByRole('button', { name: 'Move 2 subscribers' }).click()
    await notice.getByText('1 moved · 1 left unchanged').waitFor()
    const downloading = page.waitForEvent('download')
    await notice.getByRole('link', { name: 'Who, and why' }).click()
    expect(await readFile(await (await downloading).path(), 'utf8')).toContain(
      'eva@example.com,does not fit the other list: City cannot be blank'
    )
    expect(Object.keys(await statusesOf(other.id))).toEqual(['anna'])
    await window.finish()
  })

  it('suppress addresses, or link to the page where a suppression list is created', async () => {
    const list = await makeClub()
    const { window, page, tick, bar, notice, dialog } = await openList(list.id)
    await tick('anna')
    await bar.getByRole('button', { name: 'Suppress' }).click()
    await dialog.getByText('There is no suppression list yet.').waitFor()
    await page.keyboard.press('Escape')
    await started.api.post('/suppression_lists', { suppression_list: { name: 'Do not mail' } })
    await bar.getByRole('button', { name: 'Suppress' }).click()
    await dialog.getByText('Do not mail').waitFor()
    await window.screenshot('bulk-suppress')
    await dialog.getByRole('button', { name: 'Suppress 1 address' }).click()
    await notice.getByText('Add to the suppression list Do not mail').waitFor()
    await window.finish()
  })

  it('activate no one who opted out, except on request', async () => {
    const list = await makeClub()
    const { window, tick, bar, notice, dialog, choose } = await openList(list.id)
    await tick('ben')
    await bar.getByRole('button', { name: 'Set status' }).click()
    await choose('New status', 'Active')
    await dialog.getByText('Include the 1 who unsubscribed or complained').waitFor()
    await window.screenshot('bulk-revive')
    expect(await dialog.getByRole('button', { name: 'Set the status', exact: true }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox').click()
    await dialog.getByRole('button', { name: 'Set the status of 1 subscriber' }).click()
    await notice.getByText('1 changed').waitFor()
    expect(await statusesOf(list.id)).toMatchObject({ ben: 'active' })
    await window.finish()
  })

  it('export exactly those who are selected', async () => {
    const list = await makeClub()
    const { window, page, tick, bar, dialog } = await openList(list.id)
    await tick('anna')
    await tick('clara')
    await bar.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('2 subscribers').waitFor()
    await window.screenshot('bulk-export')
    await dialog.getByRole('button', { name: 'Start export' }).click()
    await page.getByText('The export has started.').first().waitFor()
    const path = `/mailing_lists/${list.id}/subscriber_exports`
    const { data } = await started.api.get<SubscriberExport[]>(path)
    const ended = await started.api.exported(data[0]?.id ?? 0)
    expect(ended.stats.records_exported).toBe(2)
    await window.finish()
  })

  it('are done with the keyboard alone', async () => {
    const list = await makeClub()
    const { window, page, bar, notice, dialog, choose } = await openList(list.id)
    await page.getByRole('grid').focus()
    await page.keyboard.press('Space')
    await bar.getByText('1 selected').waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await bar.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await bar.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+a')
    await bar.getByText('5 selected').waitFor()
    await bar.getByRole('button', { name: 'Set status' }).focus()
    await page.keyboard.press('Enter')
    await choose('New status', 'Unsubscribed')
    await dialog.getByRole('button', { name: 'Set the status of 5 subscribers' }).focus()
    await page.keyboard.press('Enter')
    await notice.getByText('4 changed · 1 needed no change').waitFor()
    expect(await page.evaluate(() => document.activeElement?.role)).toBe('grid')
    // Space on a header button sorts the column and selects no row.
    await page.getByRole('columnheader', { name: 'Email' }).getByRole('button').focus()
    await page.keyboard.press('Space')
    await page.locator('[aria-sort=ascending]').waitFor()
    expect(await bar.count()).toBe(0)
    await window.finish()
  })

  it('of a list are listed with their results', async () => {
    const list = await makeClub()
    await act(started.api, await select(started.api, list.id, { search: 'anna' }), {
      kind: 'set_status',
      status: 'bounced'
    })
    await act(started.api, await select(started.api, list.id), { kind: 'set_status', status: 'active' })
    const { window, page } = await openList(list.id)
    await page.getByRole('link', { name: 'Bulk actions' }).click()
    const row = page.getByRole('row').filter({ hasText: 'matching the search "anna"' })
    await row.getByText('1 changed').waitFor()
    await window.screenshot('bulk-actions')
    await page
      .getByRole('row')
      .filter({ hasText: 'everybody on the list' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 restored').waitFor()
    await window.screenshot('bulk-actions-undone')
    await row.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 restored').waitFor()
    expect(await statusesOf(list.id)).toMatchObject({ anna: 'active', dario: 'bounced' })
    await window.finish()
  })
})
