import { expect, it } from 'vitest'
import { importFile, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

onEachStage('the search of everything', ({ started, open }) => {
  it('leads to lists, pages, subscribers of any list, campaigns and imports, with the keyboard alone', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Spring club' })
    const other = await makeList(api, { name: 'Winter club' })
    await makeSubscriber(api, list.id, 'anna@example.com')
    await makeSubscriber(api, other.id, 'Anna.B@example.com')
    await makeSubscriber(api, other.id, 'ben@example.com')
    const campaign = await makeCampaign(api, list.id, { name: 'Anniversary' })
    const imported = await importFile(started, other.id, 'email\nclara@example.com\n')
    const window = await open()
    const { page } = window
    await page.getByRole('link', { name: 'Spring club' }).first().waitFor()
    const dialog = page.getByRole('dialog')
    const ask = async (text: string): Promise<void> => {
      await page.keyboard.press('ControlOrMeta+k')
      await dialog.getByRole('textbox').fill(text)
    }

    await ask('ann')
    await dialog.getByText('anna@example.com').waitFor()
    await dialog.getByText('Anna.B@example.com').waitFor()
    await dialog.getByText('Anniversary').waitFor()
    await window.screenshot('palette')
    await dialog.getByRole('option', { name: 'Anna.B@example.com' }).click()
    await page.waitForURL(`**/lists/${other.id}/subscribers/*`)
    await page.getByRole('region', { name: 'History' }).getByText('Added to the list').waitFor()

    await ask('winter')
    await dialog.getByRole('option', { name: 'Winter club' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/lists\/\d+$/)

    await ask('anniv')
    await dialog.getByRole('option', { name: 'Anniversary' }).click()
    await page.waitForURL(`**/campaigns/${campaign.id}`)
    await ask(imported.file_source.filename?.slice(2) ?? '')
    await dialog.getByRole('option', { name: imported.file_source.filename ?? '' }).click()
    await page.waitForURL(`**/imports/${imported.id}`)
    await ask('jobs')
    await dialog.getByRole('option', { name: 'Jobs' }).click()
    await page.waitForURL('**/jobs')
    await ask('zzzzz')
    await dialog.getByText('No matches. Addresses are searched from their first letter.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Search/ }).click()
    await dialog.getByRole('textbox').waitFor()
    await window.screenshot('palette-empty')
    await page.keyboard.press('Escape')
    await window.finish()
  })

  it('shows the shortcuts for ?, but not while typing', async () => {
    const window = await open()
    const { page } = window
    await page.getByRole('link', { name: 'Jobs', exact: true }).waitFor()
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await window.screenshot('shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('textbox').pressSequentially('?')
    expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0)
    await window.finish()
  })

  it('leads to a section of Help, whose links stay in the window', async () => {
    const window = await open()
    const { page } = window
    await page.getByRole('link', { name: 'Jobs', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('textbox').pressSequentially('Tidy a list')
    await page.getByRole('option', { name: 'Tidy a list' }).click()
    await page.waitForURL('**/help/subscribers#tidy-a-list')
    await page.getByRole('heading', { name: 'Tidy a list' }).waitFor()
    await window.screenshot('help')

    await page.getByRole('link', { name: 'Import a file' }).click()
    await page.waitForURL('**/help/import')
    const picture = page.getByRole('img', { name: 'The second step of an import: the proposal' })
    await picture.waitFor()
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await window.finish()
  })

  it('leads to the page about the application, with the licences of its libraries', async () => {
    const window = await open()
    const { page } = window
    await page.getByRole('link', { name: 'Jobs', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('textbox').pressSequentially('About')
    await page.getByRole('option', { name: 'About Listwright' }).click()
    await page.getByText('Version 0.1.0').waitFor()
    await page.getByRole('textbox', { name: 'Find a library' }).fill('better-sql')
    await page.getByRole('button', { name: /^better-sqlite3/ }).click()
    await page.getByText('Permission is hereby granted').waitFor()
    await window.screenshot('about')
    await window.finish()
  })
})
