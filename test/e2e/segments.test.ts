import { expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import { makeAutoresponder, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { menuIsGone } from './browser.ts'
import { onEachStage } from './stages.ts'

onEachStage('segments', ({ started, open }) => {
  async function makeNewsletter() {
    const { api } = started
    const [list, customers] = [
      await makeList(api, { name: 'Newsletter' }),
      await makeList(api, { name: 'Customers' })
    ]
    for (const name of ['anna', 'ben', 'clara', 'dario', 'eva']) {
      await makeSubscriber(api, list.id, `${name}@example.com`)
    }
    await makeSubscriber(api, customers.id, 'anna@example.com')
    await makeSubscriber(api, customers.id, 'ben@example.com', { status: 'unsubscribed' })
    return { list, customers }
  }

  it('are written with a live count, shown among the subscribers, changed and deleted', async () => {
    const { list, customers } = await makeNewsletter()
    const window = await open(`/lists/${list.id}/segments`)
    const { page } = window
    await page.getByText('No segments yet').waitFor()
    await window.screenshot('segments-empty')
    await page.getByRole('button', { name: 'Create segment' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('No customers')
    await form.getByRole('button', { name: 'Add a condition' }).click()
    const choose = async (select: string, option: string): Promise<void> => {
      await form.getByLabel(new RegExp(`^${select}(:|$)`)).click()
      await page.getByRole('option', { name: option, exact: true }).click()
      await menuIsGone(page)
    }
    await choose('What to filter by', 'On another list')
    await choose('The other list', 'Customers')
    await form.getByText('2 subscribers').waitFor()
    await choose('How to compare it', 'is not in')
    await form.getByText('3 subscribers').waitFor()
    await window.screenshot('segment-form')
    await makeSubscriber(started.api, customers.id, 'eva@example.com')
    // The count follows what is changed on this list; the segment is worked out anew whenever it is used.
    await makeSubscriber(started.api, list.id, 'finn@example.com')
    await form.getByText('3 subscribers').waitFor()
    await form.getByRole('button', { name: 'Create segment' }).click()

    const row = page.getByRole('listitem').filter({ hasText: 'No customers' })
    await row.getByText('is not in mailing list "Customers"').waitFor()
    await row.getByText('3 subscribers').waitFor()
    await window.screenshot('segments')
    await row.getByRole('link', { name: 'Show the subscribers of No customers' }).click()
    await page.getByText('3 of 6 subscribers').waitFor()
    await page.getByText('clara@example.com').waitFor()
    expect(await page.getByText('anna@example.com').count()).toBe(0)
    await window.screenshot('subscribers-of-segment')
    await page.getByLabel(/^Segment: /).click()
    await page.getByRole('option', { name: 'Everyone on the list' }).click()
    await menuIsGone(page)
    await page.getByText('6 subscribers').waitFor()

    await page.getByRole('link', { name: 'Segments' }).click()
    await row.getByRole('button').first().click()
    await form.getByLabel('Name').fill('Strangers')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Strangers' }).getByRole('button').first().click()
    await form.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete segment' }).click()
    await page.getByText('No segments yet').waitFor()
    await window.finish()
  })

  it('are chosen for an export and for an autoresponder', async () => {
    const { list, customers } = await makeNewsletter()
    const segment = await makeSegment(started.api, list.id, { name: 'Customers too', other: customers.id })
    await makeAutoresponder(started.api, list.id, 'Thanks')
    const window = await open(`/lists/${list.id}/exports`)
    const { page } = window
    const choose = async (name: string): Promise<void> => {
      await page.getByLabel(name, { exact: true }).click()
      await page.getByRole('option', { name: 'Customers too' }).click()
      await menuIsGone(page)
    }
    await page.getByRole('button', { name: 'Create export' }).click()
    await choose('Segment')
    await page.getByRole('dialog').getByText('2 subscribers', { exact: true }).waitFor()
    await window.screenshot('export-segment')
    await page.getByRole('button', { name: 'Start export' }).click()
    await page.getByText('Finished').waitFor()
    const { data: exports } = await started.api.get<SubscriberExport[]>(
      `/mailing_lists/${list.id}/subscriber_exports`
    )
    expect(exports).toMatchObject([{ segment_id: segment.id, stats: { records_exported: 2 } }])

    await page.getByRole('link', { name: 'Autoresponders' }).click()
    await page.getByRole('link', { name: 'Thanks' }).click()
    await choose('Recipients')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The autoresponder was saved').first().waitFor()
    const { data: autoresponders } = await started.api.get<Autoresponder[]>(
      `/mailing_lists/${list.id}/autoresponders`
    )
    expect(autoresponders).toMatchObject([{ segmentation_criteria_id: segment.id }])
    await window.finish()
  })
})
