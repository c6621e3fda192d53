import type axe from 'axe-core'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sharedApplication, startApplication } from '../support/application.ts'
import {
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import { isInTurn } from '../support/long.ts'
import { sharedBrowser, skipsWithoutBrowser, takesPictures, Window } from './browser.ts'

const axeSource = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

async function faultsOf(window: Window, name: string): Promise<string[]> {
  const { page } = window
  await window.screenshot(`every-${name.replaceAll(/\W+/g, '-')}`)
  await page.evaluate(axeSource)
  const faults: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    const violations = await page.evaluate(async (shown) => {
      document.documentElement.classList.toggle('dark', shown === 'dark')
      document.documentElement.classList.toggle('light', shown === 'light')
      // Colors that are still changing are those of neither theme.
      for (const animation of document.getAnimations()) {
        if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
      }
      const run = (globalThis as unknown as { axe: typeof axe }).axe
      // What a message says is its author's, and its frame runs nothing.
      return (await run.run(document, { iframes: false })).violations
    }, theme)
    for (const { id, nodes } of violations) {
      for (const { html, failureSummary } of nodes) {
        faults.push(`${name}, ${theme}: ${id}: ${failureSummary ?? ''} ${html.slice(0, 200)}`)
      }
    }
  }
  return faults
}

describe.skipIf(skipsWithoutBrowser)('axe finds nothing wrong', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()

  async function makeRecords() {
    const { api } = started
    const list = await makeList(api, { name: 'Newsletter', d_from_email: 'anna@example.com' })
    await makeField(api, list.id, 'City', 'text')
    const mapping = { column_mapping: ['email', 'City'] }
    const imported = await importText(api, list.id, 'email,City\na@example.com,Bern\nnobody,Basel\n', mapping)
    for (const status of ['unsubscribed', 'bounced', 'scomp', 'deactivated']) {
      await makeSubscriber(api, list.id, `${status}@example.com`, { status })
    }
    const subscriber = await makeSubscriber(api, list.id, 'page@example.com')
    await makeAutoresponder(api, list.id, 'Welcome')
    const begins_at = Math.floor(Date.now() / 1000)
    const sent = await makeCampaign(api, list.id, {
      dispatch_attributes: { from_email: 'anna@example.com', begins_at }
    })
    await api.sent(sent.id)
    const draft = await makeCampaign(api, list.id)
    const { data: suppression } = await api.post<{ id: number }>('/suppression_lists', {
      suppression_list: { name: 'Never' }
    })
    // Nothing answers there, and the page says so.
    const remote = { base_url: 'http://127.0.0.1:1', organization_id: 1, api_key: 'key', schedule: 'manual' }
    const { data } = await api.workbench<{ id: number }>('POST', '/remotes', remote)
    return { list, subscriber, imported, sent, draft, suppression, remoteId: data.id }
  }

  it.runIf(isInTurn(0) || takesPictures)('with the first start', async () => {
    const { app } = await startApplication()
    const window = await Window.open(browser, app, '/')
    await window.page.getByRole('heading', { name: 'Welcome to Listwright' }).waitFor()
    expect(await faultsOf(window, 'first start')).toEqual([])
    await window.finish()
  })

  it.runIf(isInTurn(1) || takesPictures)('with any page', async () => {
    const { list, subscriber, imported, sent, draft, suppression, remoteId } = await makeRecords()
    const window = await Window.open(browser, started.app)
    const { page } = window
    const ofList = [
      '',
      '/campaigns',
      '/exports',
      '/bulk-actions',
      '/hygiene',
      '/autoresponders',
      '/templates',
      '/segments',
      '/forms',
      '/fields'
    ]
    const faults: string[] = []
    for (const path of [
      '/',
      '/lists',
      `/lists/${list.id}/subscribers/${subscriber.id}`,
      ...[...ofList, '/imports', '/settings', '/import'].map((part) => `/lists/${list.id}${part}`),
      `/lists/${list.id}/templates/new`,
      `/lists/${list.id}/autoresponders/new`,
      `/lists/${list.id}/campaigns/new`,
      `/lists/${list.id}/campaigns/${draft.id}`,
      `/lists/${list.id}/campaigns/${sent.id}`,
      '/campaigns',
      '/imports',
      `/imports/${imported.id}`,
      '/jobs',
      '/suppression',
      `/suppression/${suppression.id}`,
      '/sync',
      `/sync/${remoteId}`,
      '/bounces',
      '/delivery',
      '/api-access',
      '/users',
      '/organizations',
      '/settings',
      '/about',
      '/help',
      '/audit',
      '/backups',
      '/import-file?file=people.csv',
      '/nowhere'
    ]) {
      await page.goto(started.app.baseUrl + path)
      await window.isLoaded()
      // On a busy machine a page may be quiet before it asks for anything.
      await page.locator('h1', { hasText: /\S/ }).first().waitFor()
      faults.push(...(await faultsOf(window, path)))
    }
    expect(faults).toEqual([])
    await window.finish()
  })

  it.runIf(isInTurn(2) || takesPictures)('with the forms that open over a page', async () => {
    const { list, draft } = await makeRecords()
    const window = await Window.open(browser, started.app)
    const { page } = window
    const faults: string[] = []
    for (const [path, button] of [
      ['', 'Add subscriber'],
      ['/exports', 'Create export'],
      ['/segments', 'Create segment'],
      ['/forms', 'Create form'],
      ['/fields', 'Create field']
    ] as const) {
      await page.goto(`${started.app.baseUrl}/lists/${list.id}${path}`)
      await page.getByRole('button', { name: button }).first().click()
      await page.getByRole('dialog').waitFor()
      await window.isLoaded()
      faults.push(...(await faultsOf(window, button)))
    }
    // A message in all its states.
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/templates/new`)
    await page.getByRole('button', { name: 'Newsletter' }).click()
    faults.push(...(await faultsOf(window, 'the visual editor')))
    await page.getByText('Read more').click()
    await page.getByRole('button', { name: 'Appearance' }).click()
    await page.getByLabel('Background').waitFor()
    faults.push(...(await faultsOf(window, 'the appearance of a message')))
    await page.keyboard.press('Escape')
    for (const [tab, shown] of [
      ['HTML code', '.cm-content'],
      ['Preview', 'iframe'],
      ['Phone', 'iframe'],
      ['Plain text', 'pre']
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await page.locator(shown).waitFor()
      faults.push(...(await faultsOf(window, tab)))
    }
    // A filter over the table, with every kind of line, and the last look at a campaign.
    const condition = (given: object) => ({ type: 'time', attribute: 'created_at', ...given })
    const clause = [
      { type: 'status', operator: 'is one of', statuses: ['active'] },
      condition({ operator: 'is in the last', days: 7 }),
      {
        type: 'group',
        match: 'any',
        conditions: [condition({ operator: 'is between', from: '2026-01-01', to: '2099-01-01' })]
      },
      { type: 'suppressed', operator: 'is false' }
    ]
    const query = new URLSearchParams({ filter: JSON.stringify(clause) })
    await page.goto(`${started.app.baseUrl}/lists/${list.id}?${query}`)
    await page.getByRole('button', { name: 'Save as a segment' }).waitFor()
    await window.isLoaded()
    faults.push(...(await faultsOf(window, 'filter')))
    for (const key of ['Control+k', 'Shift+?']) {
      await page.goto(`${started.app.baseUrl}/lists/${list.id}`)
      await page.getByRole('grid').waitFor()
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      faults.push(...(await faultsOf(window, key)))
    }
    // The dialogs of the bulk actions for the selected subscribers.
    for (const button of ['Set status', 'Set a field', 'Copy or move', 'Suppress', 'Export', 'Delete']) {
      await page.goto(`${started.app.baseUrl}/lists/${list.id}`)
      await page.getByRole('checkbox', { name: 'Select everyone found' }).click()
      const bar = page.getByRole('region', { name: 'Actions for the selected subscribers' })
      await bar.getByRole('button', { name: button }).waitFor()
      if (button === 'Set status') faults.push(...(await faultsOf(window, 'selection')))
      await bar.getByRole('button', { name: button }).click()
      await page.getByRole('dialog').getByText('subscribers', { exact: false }).first().waitFor()
      await window.isLoaded()
      faults.push(...(await faultsOf(window, button)))
    }
    await page.goto(`${started.app.baseUrl}/lists/${list.id}/campaigns/${draft.id}`)
    await page.getByRole('button', { name: 'Write to the outbox…' }).click()
    await page.getByRole('dialog').waitFor()
    await window.isLoaded()
    faults.push(...(await faultsOf(window, 'Write to the outbox…')))
    expect(faults).toEqual([])
    await window.finish()
  })

  it('and the first key leads past the navigation', async () => {
    const window = await Window.open(browser, started.app, '/jobs')
    const { page } = window
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent.trim())).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await window.finish()
  })
})
