import { describe, expect, it } from 'vitest'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeCampaign, makeList } from '../support/builders.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

describe.skipIf(skipsWithoutBrowser)('jobs, in a real Chromium', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  it('are shown with their progress, paused, resumed and cancelled', async () => {
    const { api, app } = started
    const window = await Window.open(browser, app)
    const { page } = window
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('No jobs', { exact: true }).waitFor()
    await window.screenshot('jobs-empty')
    const list = await makeList(api, { name: 'Newsletter' })
    const emails = Array.from({ length: 100 }, (_, number) => `p${number}@example.com`)
    await importText(api, list.id, `email\n${emails.join('\n')}`)
    await makeCampaign(api, list.id, { name: 'A draft' })
    const { id } = await makeCampaign(api, list.id, {
      name: 'Spring news',
      dispatch_attributes: {
        from_email: 'anna@example.com',
        begins_at: Math.floor(Date.now() / 1000),
        speed: 7200
      }
    })
    const state = async (): Promise<unknown> => {
      const { data } = await api.get<Job[]>('/jobs/all?job_type=Campaign')
      const job = data.find((each) => each.id === id)
      return [job?.state, job?.paused]
    }
    // The import has 100 rows as well.
    await page.getByRole('row', { name: /Spring news .*In progress \d+ of 100/ }).waitFor()
    await page.getByRole('button', { name: 'Pause Spring news' }).click()
    await page.locator('[data-state="paused"]').first().waitFor()
    expect(await state()).toEqual(['sending', true])
    await window.screenshot('jobs')
    await page.getByRole('button', { name: 'Continue Spring news' }).click()
    await page.locator('[data-state="sending"]').waitFor()
    await page.getByRole('button', { name: 'Cancel Spring news' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.locator('[data-state="cancelled"]').waitFor()
    expect(await state()).toEqual(['cancelled', false])
    expect(await page.getByText('A draft').count()).toBe(0)
    // An import that a program sent as JSON has no file to be named after.
    expect(await page.getByRole('row', { name: /^Import \d+ Import Newsletter/ }).count()).toBe(1)
    const organizationId = await makeOrganization(started, { name: 'Globex' })
    const there = await systemAdminIn(app, organizationId)
    await importText(there, (await makeList(there, { name: 'Globex news' })).id, 'email\na@example.com')
    expect(await page.getByText('Globex').count()).toBe(0)
    await page.reload()
    await page.getByRole('switch', { name: 'All organizations' }).click()
    await page.getByRole('cell', { name: 'Globex', exact: true }).waitFor()
    await window.screenshot('jobs-everywhere')
    await page.getByRole('switch', { name: 'All organizations' }).click()
    await page.getByRole('cell', { name: 'Globex', exact: true }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Spring news' }).click()
    await page.getByText('It was stopped before everyone got it.').waitFor()
    await window.finish()
  })
})
