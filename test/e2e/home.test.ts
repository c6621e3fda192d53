import { expect, it } from 'vitest'
import { deleteList, importText, makeCampaign, makeList } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

onEachStage('the home page', ({ started, open }) => {
  it('leads to a first list: for a file, an empty one, or one with made-up people', async () => {
    const window = await open('/')
    const { page } = window
    await page.getByRole('heading', { name: 'Welcome to Listwright' }).waitFor()
    await window.screenshot('home-first-start')

    await page.getByRole('button', { name: 'Import a file' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'our_customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\na@example.com\n')
    })
    await page.getByRole('button', { name: 'Create list and continue' }).click()
    await page.waitForURL(/\/lists\/\d+\/import\?file=our_customers\.csv$/)
    const { data: lists } = await started.api.get<{ id: number; name: string }[]>('/mailing_lists')
    expect(lists.map(({ name }) => name)).toEqual(['Our customers'])
    await deleteList(started.api, lists[0]?.id ?? 0)

    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('button', { name: 'Create a sample list' }).click()
    await page.waitForURL(/\/lists\/\d+$/)
    await page.getByText('500 subscribers').first().waitFor()

    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('img', { name: /^Subscribers by status/ }).waitFor()
    const subscribers = page.getByRole('region', { name: 'Subscribers' })
    await expect.poll(() => subscribers.innerText()).toMatch(/^Subscribers\s+500\s+Active\s+400\s+/)
    await page.getByRole('row', { name: /^Sample list 400 \+400 \+400$/ }).waitFor()
    await page.getByText('Nothing needs your attention.').waitFor()
    await window.finish()
  })

  it('shows what needs attention and what comes next, each with a link', async () => {
    const { api } = started
    const list = await makeList(api, { name: 'Newsletter' })
    await importText(api, list.id, 'email\na@example.com\nnobody\n')
    const at = (begins_at: string) => ({
      dispatch_attributes: { from_email: 'sender@example.com', begins_at, state: 'scheduled' }
    })
    await makeCampaign(api, list.id, { name: 'Winter', ...at('2099-12-01T10:00:00Z') })
    const held = await makeCampaign(api, list.id, { name: 'Autumn', ...at('2099-10-01T10:00:00Z') })
    await api.post(`/campaigns/${held.id}/pause`)
    await api.workbench('PUT', `/drafts/${encodeURIComponent('new template 1')}`, {
      title: 'Half a template',
      path: `/lists/${list.id}/templates/new`,
      base: '[]',
      state: '[]'
    })

    const window = await open('/')
    const { page } = window
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('“Autumn” is paused').waitFor()
    await attention.getByText(/^1 row of .* failed$/).waitFor()
    await attention.getByText('Half a template').waitFor()
    const next = page.getByRole('region', { name: 'Next campaigns' })
    expect(await next.getByRole('link', { name: /Autumn|Winter/ }).allInnerTexts()).toEqual([
      expect.stringMatching(/^Autumn.*Paused$/s),
      expect.stringMatching(/^Winter.*Scheduled$/s)
    ])
    await page.getByRole('region', { name: 'Latest jobs' }).getByText('Finished').first().waitFor()
    await window.screenshot('home')

    await attention.getByRole('button', { name: 'Discard the draft Half a template' }).click()
    await attention.getByText('Half a template').waitFor({ state: 'hidden' })
    // The notice about a failed row can be dismissed and stays dismissed after a reload.
    await attention.getByRole('button', { name: /^Dismiss: 1 row of/ }).click()
    await attention.getByText(/^1 row of .* failed$/).waitFor({ state: 'hidden' })
    await page.reload()
    await attention.getByText('“Autumn” is paused').waitFor()
    expect(await attention.getByText(/^1 row of .* failed$/).count()).toBe(0)
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.includes('dismissed')) localStorage.removeItem(key)
    })
    await page.reload()
    await attention.getByRole('link', { name: /row of/ }).click()
    await page.waitForURL(/\/imports\/\d+$/)
    await page.goBack()
    // What another program does is seen at once.
    await api.post(`/campaigns/${held.id}/resume`)
    await attention.getByText('“Autumn” is paused').waitFor({ state: 'hidden' })
    await window.finish()
  })
})
