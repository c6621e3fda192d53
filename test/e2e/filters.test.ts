import { expect, it } from 'vitest'
import type { Segment, SegmentSummary } from '../../src-main/api/segments/schema.ts'
import { importFile, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { menuIsGone } from './browser.ts'
import { onEachStage } from './stages.ts'

onEachStage('filters', ({ started, open }) => {
  async function makeClub() {
    const { api } = started
    const list = await makeList(api, { name: 'Club' })
    await makeField(api, list.id, 'City', 'text')
    await makeField(api, list.id, 'Age', 'number')
    await makeField(api, list.id, 'Colour', 'select_single_dropdown', {
      options: [{ name: 'Red' }, { name: 'Blue' }]
    })
    const people = [
      ['anna@example.com', 'Wien', 30, 'Red', 'active'],
      ['ben@example.org', 'Graz', 41, 'Blue', 'unsubscribed'],
      ['clara@example.com', 'Zürich', 52, 'Red', 'active'],
      ['dario@example.net', 'Wien', 63, 'Blue', 'active'],
      ['eva@example.com', null, null, null, 'bounced']
    ] as const
    for (const [email, City, Age, Colour, status] of people) {
      await makeSubscriber(api, list.id, email, { status, custom_fields: { City, Age, Colour } })
    }
    return list
  }

  async function openClub(query = '') {
    const list = await makeClub()
    const window = await open(`/lists/${list.id}${query}`)
    const { page } = window
    await page.getByText('5 subscribers').waitFor()
    const emails = () =>
      page
        .getByRole('grid')
        .getByText(/@example/)
        .allInnerTexts()
    const shows = async (...names: string[]) => {
      await expect.poll(async () => (await emails()).map((email) => email.split('@')[0])).toEqual(names)
    }
    const choose = async (select: string, option: string, nth = 0): Promise<void> => {
      await page
        .getByLabel(new RegExp(`^${select}(:|$)`))
        .nth(nth)
        .click()
      await page.getByRole('option', { name: option, exact: true }).click()
      // A menu of which several can be chosen stays open.
      if (select === 'Value') await page.keyboard.press('Escape')
      await menuIsGone(page)
    }
    return { list, window, page, shows, choose }
  }

  it('narrow the table while they are written, and are saved as a segment', async () => {
    const { list, window, page, shows, choose } = await openClub()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await choose('What to filter by', 'City')
    await page.getByRole('textbox', { name: 'Value' }).fill('wien')
    await page.getByText('2 of 5 subscribers').waitFor()
    await shows('anna', 'dario')

    await page.getByRole('button', { name: 'Add a condition' }).click()
    await choose('What to filter by', 'Colour', 1)
    await choose('Value', 'Blue', 1)
    await page.getByText('1 of 5 subscribers').waitFor()
    await choose('How many conditions must be met', 'Any')
    await page.getByText('3 of 5 subscribers').waitFor()
    await shows('anna', 'ben', 'dario')

    await page.getByRole('button', { name: 'Add a group' }).click()
    const group = page.getByRole('group', { name: 'Conditions' }).last()
    await group.getByRole('textbox', { name: 'Value' }).fill('eva')
    await page.getByText('4 of 5 subscribers').waitFor()
    await window.screenshot('filter')

    await page.getByRole('button', { name: 'Save as a segment' }).click()
    const form = page.getByRole('dialog')
    await form.getByText('4 subscribers').waitFor()
    await window.screenshot('filter-save')
    await form.getByLabel('Name').fill('Some of them')
    await form.getByRole('button', { name: 'Create segment' }).click()
    await page.getByText('The segment was saved.', { exact: true }).first().waitFor()
    const { data } = await started.api.get<SegmentSummary[]>(`/mailing_lists/${list.id}/segments`)
    expect(data[0]?.description).toBe(
      '(City contains "wien" or Colour is one of "Blue" or (email contains "eva"))'
    )

    // What is shown stands in the address.
    await page.reload()
    await page.getByText('4 of 5 subscribers').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByText('5 subscribers', { exact: true }).waitFor()
    await choose('Segment', 'Some of them')
    await page.getByText('4 of 5 subscribers').waitFor()
    // A link that names no segment shows everyone, and an order after it brings no segment back.
    await page.getByRole('navigation').getByRole('link', { name: list.name }).click()
    await page.getByText('5 subscribers', { exact: true }).waitFor()
    await page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click()
    await page.waitForURL(/sort=/)
    expect(new URL(page.url()).searchParams.has('segment')).toBe(false)
    await window.finish()
  })

  it('show the subscribers that an import added, from its page and by its name', async () => {
    const { list, window, page, shows, choose } = await openClub()
    const { id } = await importFile(started, list.id, 'email\nfay@example.com\nanna@example.com\n')
    await page.goto(new URL(`/imports/${id}`, page.url()).href)
    await page.getByRole('link', { name: 'Show added subscribers' }).click()
    await page.getByText('1 of 6 subscribers').waitFor()
    await shows('fay')
    expect(await page.getByLabel(/^Added by import: /).innerText()).toMatch(/^file-\d+\.csv · .* · 1 added$/)
    await window.screenshot('filter-import')
    await choose('How to compare it', 'is not')
    await page.getByText('5 of 6 subscribers').waitFor()

    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await choose('What to filter by', 'Added by import')
    await page.getByLabel(/^Added by import: Choose/).click()
    await page.getByRole('option', { name: /^file-\d+\.csv · / }).click()
    await page.getByText('1 of 6 subscribers').waitFor()
    await window.finish()
  })

  it('stay when their panel is closed, and with search and order after a reload', async () => {
    const { window, page, shows } = await openClub()
    const age = page.getByRole('columnheader', { name: 'Age' })
    await age.getByRole('button').click()
    await page.getByRole('searchbox').fill('example.COM')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('a')
    await page.getByText('3 of 5 subscribers').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('region', { name: 'Filter' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Filter (1)' }).waitFor()
    await shows('anna', 'clara', 'eva')
    await window.screenshot('filter-closed')
    await page.waitForURL(/search=/)
    await page.waitForURL(/sort=/)

    await page.reload()
    await page.getByText('3 of 5 subscribers').waitFor()
    await shows('anna', 'clara', 'eva')
    expect(await page.getByRole('searchbox').inputValue()).toBe('example.COM')
    expect(await age.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.waitForURL((url) => !url.searchParams.has('filter'))
    expect(new URL(page.url()).searchParams.get('search')).toBe('example.COM')
    await window.finish()
  })

  it('work together with a search and an order', async () => {
    const { window, page, shows } = await openClub()
    await page.getByRole('searchbox').fill('example.COM')
    await page.getByText('3 of 5 subscribers').waitFor()
    const age = page.getByRole('columnheader', { name: 'Age' })
    await age.getByRole('button').click()
    await shows('anna', 'clara', 'eva')
    await age.getByRole('button').click()
    await shows('clara', 'anna', 'eva')
    expect(await age.getAttribute('aria-sort')).toBe('descending')
    await page.getByRole('searchbox').fill('zurich')
    await shows('clara')
    await window.screenshot('filter-search')
    await page.getByRole('searchbox').fill('nobody at all')
    await page.getByText('No matches').waitFor()
    await window.screenshot('filter-nobody')
    await page.getByRole('button', { name: 'Show everyone' }).click()
    await shows('dario', 'clara', 'ben', 'anna', 'eva')
    await window.finish()
  })

  it('of a segment are changed in its form', async () => {
    const { list, window, page, choose } = await openClub()
    await started.api.workbench<Segment>('POST', `/mailing_lists/${list.id}/segments`, {
      segmentation_criteria: {
        name: 'Active',
        clause: [{ type: 'status', operator: 'is one of', statuses: ['active'] }]
      }
    })
    await page.getByRole('link', { name: 'Segments' }).click()
    await page.getByRole('listitem').getByText('3 subscribers').waitFor()
    await page.getByRole('listitem').getByRole('button').first().click()
    const form = page.getByRole('dialog')
    await form.getByText('3 subscribers').waitFor()
    await choose('How to compare it', 'is none of')
    await form.getByText('2 subscribers').waitFor()
    await window.screenshot('segment-form-status')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('listitem').getByText('2 subscribers').waitFor()
    await window.finish()
  })
})
