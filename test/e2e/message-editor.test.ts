import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeCampaign, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window, writeHtml } from './browser.ts'

/** A red square, some pixels wide. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
  'base64'
)

describe.skipIf(skipsWithoutBrowser)('the visual editor, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  async function listWithAnna(): Promise<number> {
    const list = await makeList(started.api, { d_from_name: 'The News', d_from_email: 'news@example.com' })
    await makeField(started.api, list.id, 'First name', 'text')
    await makeSubscriber(started.api, list.id, 'anna@example.com', {
      custom_fields: { 'First name': 'Anna' }
    })
    return list.id
  }
  const contentOf = async (id: number) =>
    (await started.api.get<CampaignDetail>(`/campaigns/${id}`)).data.campaign_contents[0]

  it('writes a message with fields, a button and a picture, and shows it as a subscriber gets it', async () => {
    const listId = await listWithAnna()
    const { id } = await makeCampaign(started.api, listId, {
      contents: [{ subject: 'Spring', format: 'both' }]
    })
    const window = await Window.open(browser, started.app, `/lists/${listId}/campaigns/${id}`)
    const { page } = window
    const version = page.getByRole('region', { name: 'Content 1' })
    const message = version.getByRole('textbox', { name: 'Message' })
    await version.getByRole('button', { name: 'Announcement' }).click()
    await version.getByLabel('Preview text').fill('What spring brings')
    await window.screenshot('message-design')

    // The headline, with the keyboard alone.
    await message.getByRole('heading', { name: 'Your headline' }).click({ clickCount: 3 })
    await page.keyboard.type('Hello %%first_name%%')
    await message.getByText('First name', { exact: true }).waitFor()
    await page.keyboard.type('!')
    expect(await message.getByRole('heading').textContent()).toBe('Hello First name!')

    await message.getByText('Read more').click()
    await version.getByLabel('Link address').fill('https://example.com/spring')
    await message.getByText('Write what is new').click()
    const choosing = page.waitForEvent('filechooser')
    await version.getByRole('button', { name: 'Insert', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Image' }).click()
    await (await choosing).setFiles({ name: 'square.png', mimeType: 'image/png', buffer: png })
    await message.locator('img').waitFor()
    await version.getByLabel('Description').fill('A red square')
    expect(await message.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10)
    await window.screenshot('message-design-image')

    await version.getByRole('tab', { name: 'Preview' }).click()
    await version.getByText('What spring brings').waitFor()
    await version.getByLabel('Seen by').click()
    await page.getByRole('option', { name: 'anna@example.com' }).click()
    await menuIsGone(page)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Hello Anna!' }).waitFor()
    expect(
      await frame.getByAltText('A red square').evaluate((image: HTMLImageElement) => image.naturalWidth)
    ).toBe(10)
    await window.screenshot('message-preview')
    await version.getByRole('tab', { name: 'Phone' }).click()
    expect((await page.locator('iframe').boundingBox())?.width).toBe(375)
    await window.screenshot('message-preview-phone')
    await version.getByRole('tab', { name: 'Plain text' }).click()
    await version.getByText('Read more: https://example.com/spring').waitFor()

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The campaign is saved').first().waitFor()
    const saved = await contentOf(id)
    expect(saved?.html).toMatch(/Hello %%first_name%%!/)
    expect(saved?.html).toMatch(/src="cid:[0-9a-f]{32}"/)
    expect(saved?.text).toContain('Hello %%first_name%%!')
    await page.reload()
    await message.getByText('First name', { exact: true }).waitFor()
    await window.finish()
  })

  it('moves and removes blocks, and takes it back', async () => {
    const listId = await listWithAnna()
    const window = await Window.open(browser, started.app, `/lists/${listId}/campaigns/new`)
    const { page } = window
    await page.getByRole('button', { name: 'Newsletter' }).click()
    const message = page.getByRole('textbox', { name: 'Message' })
    const headings = () => message.getByRole('heading').allTextContents()
    expect(await headings()).toEqual(['Your headline', 'First story', 'Second story'])
    await message.getByText('Read more').click()
    for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Move up' }).click()
    await page.getByRole('button', { name: 'Move up' }).click()
    expect(await page.getByRole('button', { name: 'Move up' }).isDisabled()).toBe(true)
    await message.getByRole('heading', { name: 'Your headline' }).click()
    await page.getByRole('button', { name: 'Remove this block' }).click()
    expect(await headings()).toEqual(['First story', 'Second story'])
    await page.keyboard.press('Control+z')
    expect(await headings()).toEqual(['Your headline', 'First story', 'Second story'])

    await message.getByText('First story').click()
    await page.getByRole('button', { name: 'Insert', exact: true }).click()
    expect(await page.getByRole('menuitem', { name: '2 columns' }).isDisabled()).toBe(true)
    await page.getByRole('menuitem', { name: 'Divider' }).click()
    expect(await message.locator('.lw-column hr').count()).toBe(1)
    await window.finish()
  })

  it('leaves code that it did not write alone, until somebody brings it in', async () => {
    const listId = await listWithAnna()
    const html = '<table><tr><td style="color:red"><p>Hello %%first_name%%</p></td></tr></table>'
    const { id } = await makeCampaign(started.api, listId, {
      contents: [{ subject: 'A', format: 'html', html }]
    })
    const window = await Window.open(browser, started.app, `/lists/${listId}/campaigns/${id}`)
    const { page } = window
    const code = page.getByRole('textbox', { name: 'HTML code' })
    await code.getByText('color:red').waitFor()
    await window.screenshot('message-code')
    await page.getByRole('tab', { name: 'Design' }).click()
    await page.getByText('This HTML was not made with the visual editor').waitFor()
    await window.screenshot('message-foreign')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The campaign is saved').first().waitFor()
    expect((await contentOf(id))?.html).toBe(html)

    await page.getByRole('button', { name: 'Bring into the visual editor' }).click()
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.getByText('First name', { exact: true }).waitFor()
    // Changed as code, it is code again.
    await page.getByRole('tab', { name: 'HTML code' }).click()
    await writeHtml(page.locator('form'), '<p>By hand</p>')
    await page.getByRole('tab', { name: 'Design' }).click()
    await page.getByText('This HTML was not made with the visual editor').waitFor()
    await window.finish()
  })
})
