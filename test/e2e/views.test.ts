import { expect, it } from 'vitest'
import { makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

onEachStage('views of the table', ({ started, open }) => {
  it('keep filter, order and columns under a name, with their widths', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Readers' })
    await makeField(api, list.id, 'City', 'text')
    for (const [name, City] of Object.entries({ anna: 'Wien', ben: 'Bern', clara: 'Wien' })) {
      await makeSubscriber(api, list.id, `${name}@example.com`, { custom_fields: { City } })
    }
    const window = await open(`/lists/${list.id}`)
    const { page } = window
    const heads = async () =>
      (await page.getByRole('columnheader').allTextContents()).map((text) => text.trim()).filter(Boolean)
    await page.getByText('anna@example.com').waitFor()
    expect(await heads()).toEqual(['Email', 'Status', 'Subscribed', 'City'])

    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Status' }).click()
    await page.getByRole('checkbox', { name: 'Added' }).click()
    await page.getByRole('button', { name: 'Move City to the left' }).click()
    expect(await page.getByRole('checkbox', { name: 'Email' }).isDisabled()).toBe(true)
    await window.screenshot('view-columns')
    await page.keyboard.press('Escape')
    expect(await heads()).toEqual(['Email', 'City', 'Subscribed', 'Added'])

    await page.getByRole('button', { name: 'City', exact: true }).click()
    const edge = page.getByRole('separator', { name: 'Width of City' })
    const width = async () => (await edge.locator('..').boundingBox())?.width ?? 0
    const before = await width()
    await edge.focus()
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft')
    const narrow = await width()
    expect(before - narrow).toBeGreaterThan(60)
    const box = await edge.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 6, (box?.y ?? 0) + 10)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 106, (box?.y ?? 0) + 10, { steps: 4 })
    await page.mouse.up()
    const wide = await width()
    expect(Math.round(wide - narrow)).toBe(100)

    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Value').fill('a@')
    await page.getByText('2 of 3 subscribers').waitFor()
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Save as a view…' }).click()
    await page.getByLabel('Name').fill('Cities')
    await window.screenshot('view-save')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The view “Cities” was saved').first().waitFor()

    await page.getByRole('button', { name: 'Cities' }).click()
    await page.getByRole('menuitem', { name: 'Everybody, standard columns' }).click()
    await page.getByText('ben@example.com').waitFor()
    expect(await heads()).toEqual(['Email', 'Status', 'Subscribed', 'City'])

    await page.reload()
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Cities' }).click()
    await page.getByText('2 of 3 subscribers').waitFor()
    expect(await heads()).toEqual(['Email', 'City', 'Subscribed', 'Added'])
    expect(Math.round(await width())).toBe(Math.round(wide))
    await window.screenshot('view')
    await page.getByRole('button', { name: 'City', exact: true }).click()
    await page.getByRole('button', { name: 'Cities *' }).click()
    await window.screenshot('view-menu')
    await page.getByRole('menuitem', { name: 'Delete “Cities”' }).click()
    await page.getByRole('button', { name: 'Delete view' }).click()
    await page.getByRole('button', { name: 'View', exact: true }).waitFor()
    await window.finish()
  })
})
