import { expect, it } from 'vitest'
import { makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

onEachStage('undoing', ({ started, open }) => {
  it('a deleted segment comes back from where it was deleted, and an edit is undone in the audit log', async () => {
    const { api, app } = started
    const list = await makeList(api)
    const segment = await makeSegment(api, list.id, { name: 'Loyal' })
    const window = await open(`/lists/${list.id}/segments`)
    const { page } = window
    await page.getByText('Loyal', { exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete segment' }).click()
    await page.getByText('“Loyal” was deleted.', { exact: true }).waitFor()
    expect((await api.get(`/segments/${segment.id}`)).success).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('“Loyal” was restored.', { exact: true }).waitFor()
    await page.getByText('Loyal', { exact: true }).waitFor()

    await api.put(`/segments/${segment.id}`, { segmentation_criteria: { name: 'Disloyal' } })
    await page.goto(`${app.baseUrl}/audit?entity=segment`)
    await page.getByText('Name: Loyal → Disloyal').waitFor()
    await window.screenshot('audit-undo')
    await page.getByRole('button', { name: 'Undo the change of Disloyal' }).first().click()
    await page.getByText('Undone', { exact: false }).first().waitFor()
    expect((await api.get<{ name: string }>(`/segments/${segment.id}`)).data.name).toBe('Loyal')
    await window.finish()
  })

  it('a deleted list waits among the lists, to be restored or removed for good', async () => {
    const { api } = started
    const [kept, gone] = [await makeList(api, { name: 'Kept' }), await makeList(api, { name: 'Gone' })]
    await makeSubscriber(api, kept.id, 'a@example.com')
    const window = await open('/lists')
    const { page } = window
    for (const { name } of [kept, gone]) {
      await page.getByRole('button', { name: `Actions for ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Delete list' }).click()
      const dialog = page.getByRole('dialog')
      if (name === 'Kept') await dialog.getByRole('textbox').first().fill(name)
      await dialog.getByRole('button', { name: 'Delete list' }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await page.getByRole('button', { name: 'Restore Gone' }).waitFor()
    await window.screenshot('deleted-lists')
    await page.getByRole('button', { name: 'Restore Kept' }).click()
    await page.getByText('“Kept” was restored.', { exact: true }).waitFor()
    await page.getByRole('row', { name: /Kept/ }).waitFor()
    await page.getByRole('button', { name: 'Delete Gone for good' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Recently deleted' }).waitFor({ state: 'hidden' })
    await window.finish()
  })

  it('a change of the settings is undone in the audit log', async () => {
    const { api } = started
    const history = async () =>
      (await api.workbench<{ service_history_days: number }>('GET', '/settings')).data
    const before = await history()
    await api.workbench('PUT', '/settings', { ...before, service_history_days: 77 })
    const window = await open('/audit?entity=settings')
    const { page } = window
    await page.getByText('→ 77').waitFor()
    await window.screenshot('audit-settings')
    await page
      .getByRole('button', { name: /^Undo the change/ })
      .first()
      .click()
    await page.getByText(`77 → ${before.service_history_days}`).waitFor()
    expect(await history()).toEqual(before)
    await window.finish()
  })
})
