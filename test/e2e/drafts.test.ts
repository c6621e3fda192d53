import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Draft, DraftSummary } from '../../src-main/workbench/drafts/endpoints.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, makeCampaign, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('what was not saved, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()
  const open = (path: string) => Window.open(browser, started.app, path)

  async function titles(): Promise<string[]> {
    return (await started.api.workbench<DraftSummary[]>('GET', '/drafts')).data.map(({ title }) => title)
  }
  async function untilKept(expected: string[]): Promise<void> {
    await expect.poll(titles, { timeout: 10_000 }).toEqual(expected)
  }
  const isBack = (page: Page) => page.getByText(/^Your unsaved changes from .* have been restored\.$/)
  const subject = (page: Page) => page.getByRole('region', { name: 'Version A' }).getByLabel('Subject')

  it('of a campaign is back when the window was closed, until it is saved', async () => {
    const list = await makeList(started.api)
    const path = `/lists/${list.id}/campaigns/new`
    const first = await open(path)
    await first.page.getByLabel('Name', { exact: true }).fill('Spring')
    await subject(first.page).fill('News of spring')
    // On a busy machine the name may be kept before the subject is there.
    const kept = async () =>
      (await started.api.workbench<Draft | null>('GET', `/drafts/campaign of list ${list.id}`)).data?.state
    await expect.poll(kept, { timeout: 10_000 }).toContain('News of spring')
    await untilKept(['Spring'])
    await first.page.close({ runBeforeUnload: false })

    const second = await open(path)
    const { page } = second
    await isBack(page).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Spring')
    expect(await subject(page).inputValue()).toBe('News of spring')
    await second.screenshot('draft-back')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The campaign was saved').first().waitFor()
    await isBack(page).waitFor({ state: 'hidden' })
    await untilKept([])
    await page.goto(started.app.baseUrl + path)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('')
    await second.finish()
  })

  it('is kept for later or discarded when the user leaves', async () => {
    const list = await makeList(started.api)
    const window = await open(`/lists/${list.id}/templates/new`)
    const { page } = window
    const name = page.getByLabel('Name', { exact: true })
    const leave = async (answer: string): Promise<void> => {
      await page.getByRole('button', { name: 'Back to the list' }).or(page.getByLabel('Back')).first().click()
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
      await window.screenshot('draft-leave')
      await page.getByRole('button', { name: answer }).click()
      await page.waitForURL(`**/lists/${list.id}/templates`)
    }
    await name.fill('Monthly')
    await leave('Keep as draft')
    await untilKept(['Monthly'])
    await page.getByRole('link', { name: 'Create template' }).first().click()
    await isBack(page).waitFor()
    expect(await name.inputValue()).toBe('Monthly')
    await name.fill('Weekly')
    await leave('Discard changes')
    await untilKept([])
    await page.getByRole('link', { name: 'Create template' }).first().click()
    await name.fill('')
    expect(await isBack(page).count()).toBe(0)
    await window.finish()
  })

  it('is offered, but not restored, if something else was saved since', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id, { name: 'Spring' })
    const path = `/lists/${list.id}/campaigns/${campaign.id}`
    const first = await open(path)
    await first.page.getByLabel('Name', { exact: true }).fill('Spring by me')
    await untilKept(['Spring by me'])
    await first.page.close({ runBeforeUnload: false })
    await started.api.put(`/campaigns/${campaign.id}`, { campaign: { name: 'Spring by her' } })

    const second = await open(path)
    const { page } = second
    const name = page.getByLabel('Name', { exact: true })
    await page.getByText('This has been changed since your draft.', { exact: false }).waitFor()
    expect(await name.inputValue()).toBe('Spring by her')
    await second.screenshot('draft-offered')
    await page.getByRole('button', { name: 'Restore draft' }).click()
    expect(await name.inputValue()).toBe('Spring by me')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    expect(await name.inputValue()).toBe('Spring by her')
    await untilKept([])
    await second.finish()
  })

  it('that is put back is a change of what is stored now: what was typed after it is saved', async () => {
    const list = await makeList(started.api, { name: 'Rebased', d_from_name: 'Ann' })
    const path = `/lists/${list.id}/settings`
    const first = await open(path)
    await first.page.getByLabel('Reply-to email').fill('ann@example.com')
    await untilKept(['Settings of Rebased'])
    await first.page.close({ runBeforeUnload: false })
    await started.api.put(`/mailing_lists/${list.id}`, { mailing_list: { d_from_name: 'Ben' } })

    const second = await open(path)
    const { page } = second
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await expect.poll(() => page.getByLabel('From name').inputValue()).toBe('Ben')
    await page.getByLabel('From name').fill('Ann')
    await page.getByRole('button', { name: 'Save', exact: true }).click()

    const stored = async () => (await started.api.get(`/mailing_lists/${list.id}`)).data
    await expect.poll(stored).toMatchObject({ d_from_name: 'Ann', d_reply_to: 'ann@example.com' })
    await untilKept([])
    await second.finish()
  })

  it('keeps what others changed since, and asks about what both changed', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id, { name: 'Spring' })
    const path = `/lists/${list.id}/campaigns/${campaign.id}`
    const first = await open(path)
    await first.page.getByLabel('Name', { exact: true }).fill('Spring by me')
    await untilKept(['Spring by me'])
    await first.page.close({ runBeforeUnload: false })
    const theirs = { name: 'Spring by her', dispatch_attributes: { speed: 700 } }
    await started.api.put(`/campaigns/${campaign.id}`, { campaign: theirs })

    const second = await open(path)
    const { page } = second
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Someone else changed this too' })
    await question.getByRole('radio', { name: 'Your value' }).click()
    await question.getByRole('button', { name: 'Save this choice' }).click()
    await page.getByText('The campaign was saved').first().waitFor()

    const { data } = await started.api.get(`/campaigns/${campaign.id}`)
    expect(data).toMatchObject({ name: 'Spring by me', dispatch: { speed: 700 } })
    await untilKept([])
    await second.finish()
  })

  it('stays offered if it is ignored, also beside a new draft', async () => {
    const list = await makeList(started.api, { name: 'Club' })
    const path = `/lists/${list.id}/settings`
    const first = await open(path)
    const fromName = (page: Page) => page.getByLabel('From name')
    await fromName(first.page).fill('Written first')
    await untilKept(['Settings of Club'])
    await first.page.close({ runBeforeUnload: false })
    await started.api.put(`/mailing_lists/${list.id}`, { mailing_list: { d_reply_to: 'other@example.com' } })

    const second = await open(path)
    const { page } = second
    const offer = page.getByRole('button', { name: 'Restore draft' })
    await offer.waitFor()
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.waitForURL('**/lists')
    expect(await titles()).toEqual(['Settings of Club'])
    await page.goBack()
    await offer.waitFor()
    await fromName(page).fill('Written since')
    await untilKept(['Settings of Club', 'Settings of Club'])
    await offer.click()
    expect(await fromName(page).inputValue()).toBe('Written first')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await untilKept(['Settings of Club'])
    await page.reload()
    await isBack(page).waitFor()
    expect(await fromName(page).inputValue()).toBe('Written since')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await untilKept([])
    await second.finish()
  })

  it('of an import is offered with its file and its columns', async () => {
    const list = await makeList(started.api, { name: 'Shop' })
    await makeField(started.api, list.id, 'Town', 'text')
    const first = await open(`/lists/${list.id}/import`)
    await first.page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email,where\na@example.com,Wien\n')
    })
    await first.page.getByRole('button', { name: 'Continue' }).waitFor()
    await first.page
      .getByLabel(/Where “where” goes|where/)
      .first()
      .click()
    await first.page.getByRole('option', { name: 'Town' }).click()
    await untilKept(['Import of people.csv into Shop'])
    await first.page.close({ runBeforeUnload: false })

    const second = await open(`/lists/${list.id}/import`)
    const { page } = second
    await page.getByText(/^You have an unfinished draft from /).waitFor()
    await second.screenshot('draft-import')
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await isBack(page).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Start import' }).click()
    await page.getByText('Finished').first().waitFor()
    await untilKept([])
    const [added] = await allSubscribers(started.api, list.id)
    expect(added?.custom_fields['Town']?.value).toBe('Wien')
    await second.finish()
  })

  it('of an editor and of the settings of a list is back, where nothing else was saved', async () => {
    const list = await makeList(started.api, { name: 'Shop' })
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const first = await open(`/lists/${list.id}`)
    await first.page.getByText('a@example.com').click()
    await first.page.getByRole('dialog').getByLabel('Email').fill('b@example.com')
    await untilKept(['a@example.com'])
    await first.page.goto(`${started.app.baseUrl}/lists/${list.id}/settings`).catch(() => null)
    await first.page.close({ runBeforeUnload: false })

    const second = await open(`/lists/${list.id}/settings`)
    const { page } = second
    await page.getByLabel('Name', { exact: true }).fill('Shop of Wien')
    await untilKept(['Settings of Shop', 'a@example.com'])
    await page.close({ runBeforeUnload: false })

    const third = await open(`/lists/${list.id}/settings`)
    await isBack(third.page).waitFor()
    expect(await third.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop of Wien')
    await third.page.getByRole('button', { name: 'Discard draft' }).click()
    expect(await third.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop')
    await third.page.goto(`${started.app.baseUrl}/lists/${list.id}`)
    await third.page.getByText('a@example.com').click()
    const editor = third.page.getByRole('dialog')
    await editor.getByText(/have been restored\.$/).waitFor()
    expect(await editor.getByLabel('Email').inputValue()).toBe('b@example.com')
    await third.screenshot('draft-editor')
    await editor.getByRole('button', { name: 'Save' }).click()
    await untilKept([])
    const [changed] = await allSubscribers(started.api, list.id)
    expect(changed?.email).toBe('b@example.com')
    await third.finish()
  })
})
