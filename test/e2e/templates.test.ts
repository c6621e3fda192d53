import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { TemplateDetail, TemplateSummary } from '../../src-main/api/campaigns/schema.ts'
import { makeCampaign, makeField, makeList } from '../support/builders.ts'
import { writeHtml } from './browser.ts'
import { onEachStage } from './stages.ts'

const message = `<h1 style="font-family: sans-serif">Hello %%first_name%%</h1>
<p style="font-family: sans-serif">The news of spring.
<a href="%%unsubscribe_link%%">Unsubscribe</a></p>
<script>document.body.textContent = 'it ran'</script>`

onEachStage('templates', ({ started, open }) => {
  it('are written in versions side by side, previewed, changed and deleted', async () => {
    const list = await makeList(started.api, { name: 'Newsletter', d_from_name: 'Anna of the News' })
    await makeField(started.api, list.id, 'First name', 'text')
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { preview_custom_field_data: { 'First name': 'Berta & Co' } }
    })
    const window = await open(`/lists/${list.id}/templates`)
    const { page } = window
    await window.screenshot('templates-empty')
    await page.getByRole('link', { name: 'Create template' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Monthly news')
    const first = page.getByRole('region', { name: 'Version A' })
    await first.getByLabel('Subject').fill('News for ')
    await first.getByRole('button', { name: 'Insert a field' }).first().click()
    await page.getByRole('menuitem', { name: 'First name' }).click()
    expect(await first.getByLabel('Subject').inputValue()).toBe('News for %%first_name%%')
    await writeHtml(first, message)
    await first.getByLabel('Plain text').fill('Hello %%frist_name%%, from %%data_from_name%%')
    await window.screenshot('template-form')

    await first.getByRole('tab', { name: 'Preview' }).click()
    await first.getByText('News for Berta & Co').waitFor()
    await first.getByText('%%frist_name%%', { exact: true }).waitFor()
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Hello Berta & Co' }).waitFor()
    expect(await frame.getByText('it ran').count()).toBe(0)
    await window.screenshot('template-preview')
    await first.getByRole('tab', { name: 'Plain text' }).click()
    await first.getByText('Hello %%frist_name%%, from Anna of the News').waitFor()

    await page.getByRole('button', { name: 'Add a version' }).click()
    const second = page.getByRole('region', { name: 'Version B' })
    await second.getByLabel('Subject').fill('Spring is here')
    await window.screenshot('template-versions')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The template was saved').first().waitFor()
    const { data: all } = await started.api.get<TemplateSummary[]>(`/mailing_lists/${list.id}/templates`)
    const saved = await started.api.get<TemplateDetail>(`/templates/${all[0]?.id}`)
    expect(saved.data).toMatchObject({
      name: 'Monthly news',
      campaign_contents: [
        { name: 'Version A', subject: 'News for %%first_name%%', html: message },
        { name: 'Version B', subject: 'Spring is here', html: message }
      ]
    })

    await page.getByRole('button', { name: 'Remove Version B' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Weekly news')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Weekly news' }).waitFor()
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('link', { name: 'Weekly news' }).waitFor()
    await window.screenshot('templates')
    await page.getByRole('link', { name: 'Weekly news' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete template' }).click()
    await page.getByText('No templates yet').waitFor()
    await window.finish()
  })

  it('keep what is typed while they are saved, as campaigns do', async () => {
    const list = await makeList(started.api)
    const { data: template } = await started.api.post<TemplateDetail>(`/mailing_lists/${list.id}/templates`, {
      campaign: { name: 'Monthly news', contents: [{ subject: 'First', format: 'text', text: 'Hello' }] }
    })
    const { id: campaignId } = await makeCampaign(started.api, list.id)
    for (const [path, saved] of [
      [`templates/${template.id}`, 'The template was saved'],
      [`campaigns/${campaignId}`, 'The campaign was saved']
    ] as const) {
      const window = await open(`/lists/${list.id}/${path}`)
      const { page } = window
      const subject = page.getByRole('region').getByLabel('Subject')
      await subject.waitFor()
      // A busy computer: saving, and looking at what was saved, take a while each.
      await page.route(`**/${path}`, async (route) => {
        await pause(400)
        await route.continue()
      })
      await subject.fill('Second')
      await page.getByRole('button', { name: 'Save' }).click()
      await subject.fill('Third')
      await pause(600)
      await subject.fill('Fourth')
      await page.getByText(saved, { exact: true }).first().waitFor()
      expect(await subject.inputValue()).toBe('Fourth')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect
        .poll(async () => JSON.stringify((await started.api.get(`/${path}`)).data), { timeout: 10_000 })
        .toContain('Fourth')
      await window.finish()
    }
  })
})
