import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeCampaign, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window, writeHtml } from './browser.ts'

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
    // By the menu, one goes on behind the field as well.
    await version.getByRole('toolbar').getByRole('button', { name: 'Insert a field' }).click()
    await page.getByRole('menuitem', { name: 'Email', exact: true }).click()
    await page.keyboard.type('?')
    expect(await message.getByRole('heading').textContent()).toBe('Hello First name!Email?')
    for (let step = 0; step < 2; step++) await page.keyboard.press('Backspace')
    expect(await message.getByRole('heading').textContent()).toBe('Hello First name!')

    await message.getByText('Read more').click()
    await version.getByLabel('Link address').fill('https://example.com/spring')
    await message.getByText('Write what is new').click()
    const choosing = page.waitForEvent('filechooser')
    await version.getByRole('button', { name: 'Insert', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Image' }).click()
    await (await choosing).setFiles({ name: 'square.png', mimeType: 'image/png', buffer: png })
    await message.locator('img').waitFor()
    await version.getByLabel('Alt text').fill('A red square')
    expect(await message.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10)
    await window.screenshot('message-design-image')

    await version.getByRole('tab', { name: 'Preview' }).click()
    await version.getByText('What spring brings').waitFor()
    await version.getByLabel(/^Preview as/).click()
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
    await page.getByText('The campaign was saved').first().waitFor()
    const saved = await contentOf(id)
    expect(saved?.html).toMatch(/Hello %%first_name%%!/)
    expect(saved?.html).toMatch(/src="cid:[0-9a-f]{32}"/)
    expect(saved?.text).toContain('Hello %%first_name%%!')
    await page.reload()
    await message.getByText('First name', { exact: true }).waitFor()
    await window.finish()
  })

  it('moves and removes blocks, and undoes that', async () => {
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

    // At the top of its column, a block takes the columns with it.
    await message.getByText('First story').click()
    await page.getByRole('button', { name: 'Move up' }).click()
    const order = () =>
      message.evaluate((element) =>
        [...element.children].map(({ tagName, className }) => className || tagName)
      )
    expect((await order()).indexOf('lw-columns')).toBe(3)

    await page.getByRole('button', { name: 'Insert', exact: true }).click()
    expect(await page.getByRole('menuitem', { name: '2 columns' }).isDisabled()).toBe(true)
    await page.getByRole('menuitem', { name: 'Divider' }).click()
    expect(await message.locator('.lw-column hr').count()).toBe(1)

    // Sample texts and links without a target are named before sending.
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByText('The message still contains sample text').waitFor()
    await page.getByText('The message has buttons without a link').waitFor()
    await window.screenshot('campaign-samples')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await window.finish()
  })

  it('leaves foreign code alone until the user converts it', async () => {
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
    await page.getByText('The campaign was saved').first().waitFor()
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

  it('keeps typed text, however soon it is saved or left', async () => {
    const listId = await listWithAnna()
    const { id } = await makeCampaign(started.api, listId, {
      name: 'Spring',
      contents: [{ subject: 'A', format: 'both' }]
    })
    const window = await Window.open(browser, started.app, `/lists/${listId}/campaigns`)
    const { page } = window
    await page.getByRole('link', { name: 'Spring' }).click()
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.click()
    await page.keyboard.type('First')
    await page.getByLabel('Preview text').fill('What inboxes show')
    await page.keyboard.press('Enter')
    await page.getByText('The campaign was saved').first().waitFor()
    expect((await contentOf(id))?.html).toContain('What inboxes show')
    expect((await contentOf(id))?.text).toBe('First')

    await message.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' second')
    await page.evaluate(() => history.back())
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
    await message.getByText('First second').waitFor()
    // What the preview shows is no reason to forget what can be taken back.
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('tab', { name: 'Write' }).click()
    await message.click()
    await page.keyboard.press('Control+z')
    await message.getByText('second').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+z')
    await message.getByText('First second').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The campaign was saved').last().waitFor()
    await window.finish()
  })

  it('updates the plain text with the design until the user writes another one', async () => {
    const listId = await listWithAnna()
    const { id } = await makeCampaign(started.api, listId, { contents: [{ subject: 'A', format: 'html' }] })
    const window = await Window.open(browser, started.app, `/lists/${listId}/campaigns/${id}`)
    const { page } = window
    const message = page.getByRole('textbox', { name: 'Message' })
    const text = page.getByLabel('Plain text')
    const choose = async (format: string) => {
      await page.getByLabel('Format', { exact: true }).click()
      await page.getByRole('option', { name: format, exact: true }).click()
      await menuIsGone(page)
    }
    await message.click()
    await page.keyboard.type('Price 10')
    await choose('HTML and plain text')
    expect(await text.inputValue()).toBe('Price 10')
    await text.fill('By hand')
    await message.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('0')
    await page.getByRole('button', { name: 'Use text from the design' }).waitFor()
    expect(await text.inputValue()).toBe('By hand')
    await page.getByRole('button', { name: 'Use text from the design' }).click()
    expect(await text.inputValue()).toBe('Price 100')
    // Cleared on purpose, it stays so: opening a page changes nothing.
    await text.fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The campaign was saved').first().waitFor()
    await page.reload()
    await message.getByText('Price 100').waitFor()
    expect(await text.inputValue()).toBe('')
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('link', { name: 'Create campaign' }).waitFor()
    await window.finish()
  })

  it('does not put buttons into paragraphs, and links only addresses', async () => {
    const listId = await listWithAnna()
    const window = await Window.open(browser, started.app, `/lists/${listId}/templates/new`)
    const { page } = window
    const message = page.getByRole('textbox', { name: 'Message' })
    await page.getByRole('button', { name: 'Announcement' }).click()
    await message.getByText('Read more').click()
    for (const name of ['Bulleted list', 'Numbered list', 'Link']) {
      await page.getByRole('button', { name, exact: true, disabled: true }).waitFor()
    }
    const address = page.getByLabel('Link address')
    await address.fill('javascript:alert(1)')
    await address.blur()
    await page.getByText('Enter an address such as https://example.com').waitFor()
    await address.fill('example.com/spring')
    await address.blur()
    expect(await address.inputValue()).toBe('https://example.com/spring')

    await message.getByText('Write what is new').click({ clickCount: 3 })
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.getByLabel('Link address').fill('anna@example.com')
    await page.getByRole('button', { name: 'Apply' }).click()
    await message.locator('a[href="mailto:anna@example.com"]').waitFor()
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Bulleted list', disabled: true }).waitFor()
    await page.getByRole('button', { name: 'Remove this block' }).click()
    expect((await message.textContent())?.trim()).toBe('')
    await window.finish()
  })

  it('takes texts from the clipboard before their pictures, and cells as blocks', async () => {
    const listId = await listWithAnna()
    const window = await Window.open(browser, started.app, `/lists/${listId}/templates/new`)
    const { page } = window
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.click()
    await message.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', '<table><tr><td>Price</td><td><b>12</b></td></tr></table>')
      clipboardData.items.add(new File([new Uint8Array(10)], 'a.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await message.getByText('12').waitFor()
    expect((await message.locator('p').allTextContents()).filter(Boolean)).toEqual(['Price', '12'])
    expect(await message.locator('img').count()).toBe(0)
    await window.finish()
  })

  it('of each version is separate, and undo does not mix them', async () => {
    const listId = await listWithAnna()
    const window = await Window.open(browser, started.app, `/lists/${listId}/templates/new`)
    const { page } = window
    const message = (name: string) =>
      page.getByRole('region', { name }).getByRole('textbox', { name: 'Message' })
    await message('Version A').click()
    await page.keyboard.type('Secret')
    await page.getByRole('button', { name: 'Add a version' }).click()
    await message('Version B').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' and more')
    await page.getByRole('button', { name: 'Remove Version A' }).click()
    await message('Version B').getByText('Secret and more').waitFor()
    await message('Version B').click()
    for (let step = 0; step < 2; step++) await page.keyboard.press('Control+z')
    expect(await message('Version B').textContent()).toBe('Secret')
    await window.finish()
  })
})
