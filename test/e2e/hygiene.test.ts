import { expect, it } from 'vitest'
import { allSubscribers, makeList, makeSubscriber } from '../support/builders.ts'
import { onEachStage } from './stages.ts'

onEachStage('list hygiene', ({ started, open }) => {
  async function listOf(name: string, ...emails: string[]) {
    const list = await makeList(started.api, { name })
    for (const email of emails) await makeSubscriber(started.api, list.id, email)
    const emailsNow = async () => (await allSubscribers(started.api, list.id)).map(({ email }) => email)
    return { ...list, emailsNow }
  }

  it('corrects misspelled domains except deselected ones, and links to the undo', async () => {
    const list = await listOf('Club', 'anna@gmial.com', 'ben@gmial.com', 'clara@hotmial.com', 'd@example.com')
    const window = await open(`/lists/${list.id}/hygiene`)
    const { page } = window
    const misspelt = page.getByRole('region', { name: 'Misspelled domains' })
    await misspelt.getByRole('button', { name: 'Correct 3 addresses' }).waitFor()
    await misspelt.getByRole('checkbox', { name: 'Correct hotmial.com to hotmail.com' }).click()
    await window.screenshot('hygiene')
    await misspelt.getByRole('button', { name: 'Correct 2 addresses' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Correct 2 addresses?').waitFor()
    await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
    await expect
      .poll(list.emailsNow)
      .toEqual(['anna@gmail.com', 'ben@gmail.com', 'clara@hotmial.com', 'd@example.com'])
    await misspelt.getByText('gmial.com', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Show bulk actions' }).click()
    await page.getByText('Correct misspelled domains: gmial.com → gmail.com').waitFor()
    await page.getByText('2 addresses corrected').waitFor()
    await window.finish()
  })

  it('compares lists, and copies subscribers that are only on another list to this list', async () => {
    const here = await listOf('Here', 'a@example.com', 'b@example.com', 'c@example.com')
    const there = await listOf('There', 'b@example.com', 'c@example.com', 'd@example.com')
    const window = await open(`/lists/${here.id}/hygiene`)
    const { page } = window
    const others = page.getByRole('region', { name: 'Compare with other lists' })
    const row = others.getByRole('row', { name: /^There/ })
    await others.getByRole('row', { name: /^There 2 1 1 / }).waitFor()
    await row.getByRole('button', { name: 'Copy subscribers who are only on There here' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Copy 1 subscriber from “There” to “Here”?').waitFor()
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    await others.getByRole('row', { name: /^There 3 1 0/ }).waitFor()
    expect(await here.emailsNow()).toContain('d@example.com')
    expect(await there.emailsNow()).toHaveLength(3)
    await row.getByRole('link', { name: '3', exact: true }).click()
    await page.getByText('3 of 4 subscribers').waitFor()
    await page.goBack()

    const inactive = page.getByRole('region', { name: 'Inactive subscribers' })
    await inactive.getByText('no subscribers').first().waitFor()
    const domains = page.getByRole('region', { name: 'Domains', exact: true })
    await domains.getByRole('link', { name: 'example.com' }).click()
    await page.getByText('4 of 4 subscribers').waitFor()
    await window.finish()
  })
})
