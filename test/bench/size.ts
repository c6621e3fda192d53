import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { browserArguments, installedBrowser } from '../e2e/installed-browser.ts'
import { expectSuccess } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { startServer } from './server.ts'
import { timeOf } from './statistics.ts'

/** A page of the window in a large installation. */
export interface SizeFigures {
  page: string
  /** From the click until the page's content is shown. */
  ms: number
  frozen_ms: number
  others_max_ms: number
}

const maxLists = 10_000
const callsAtOnce = 16
/** The interval of another program's reads, in milliseconds. */
const readingInterval = 5

/** Times the pages of the window with 10,000 lists, 5,000 campaigns, 1,000 segments and 100 organizations. */
export async function benchSize(rows: number): Promise<SizeFigures[]> {
  if (!installedBrowser) throw new Error('The benchmark of the window needs an installed Chromium or Chrome.')
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  let browser: Browser | undefined
  try {
    const { api } = server
    const places = await fill(api, Math.min(rows, maxLists))
    browser = await chromium.launch({ executablePath: installedBrowser, args: browserArguments })
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      extraHTTPHeaders: { Authorization: api.authorization }
    })
    const page = await context.newPage()
    const figures: SizeFigures[] = []
    const measure = async (name: string, work: () => Promise<Shown>): Promise<void> => {
      const meanwhile = readMeanwhile(api, places.listId)
      try {
        const shown = await work()
        figures.push({ page: name, ...shown, others_max_ms: await meanwhile.stop() })
      } finally {
        await meanwhile.stop()
      }
    }

    await measure('the first page', async () => {
      const began = performance.now()
      await page.goto(`${api.baseUrl}/about`)
      await page.locator('nav a[href="/lists"]').first().waitFor()
      return { ms: performance.now() - began, frozen_ms: 0 }
    })
    for (const [path, selector] of Object.entries(pagesOf(places))) {
      await measure(path, () => shownAt(page, path, selector))
      await shownAt(page, '/about', 'main h1')
    }
    await measure('search of everything', async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('textbox').waitFor()
      const began = performance.now()
      await page.keyboard.type('List 77')
      await page.getByRole('option', { name: 'List 77', exact: false }).first().waitFor()
      return { ms: performance.now() - began, frozen_ms: 0 }
    })
    return figures
  } finally {
    await browser?.close()
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

function readMeanwhile(api: Client, listId: number): { stop: () => Promise<number> } {
  let [longest, stopped] = [0, false]
  const reading = (async () => {
    while (!stopped) {
      longest = Math.max(longest, await timeOf(api, 'GET', `/mailing_lists/${listId}/subscribers`))
      await pause(readingInterval)
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await reading
      return longest
    }
  }
}

interface Places {
  listId: number
  suppressionListId: number
}

const rows = 'main :is(tbody tr, ul li):nth-child(5)'

/** A selector for each page that matches once its records are shown. */
function pagesOf({ listId, suppressionListId }: Places): Record<string, string> {
  const list = `/lists/${listId}`
  return {
    '/': 'main [href^="/lists/"]',
    '/lists': rows,
    [list]: 'main [role=gridcell]',
    [`${list}/campaigns`]: rows,
    [`${list}/templates`]: rows,
    [`${list}/segments`]: rows,
    [`${list}/fields`]: rows,
    [`${list}/autoresponders`]: rows,
    [`${list}/forms`]: rows,
    [`${list}/imports`]: rows,
    [`${list}/settings`]: 'main form input[name=name]',
    [`${list}/campaigns/new`]: 'main form input[name=name]',
    [`${list}/hygiene`]: 'main h2',
    '/campaigns': rows,
    '/imports': rows,
    '/import-file': 'main a, main button',
    '/jobs': rows,
    '/suppression': rows,
    [`/suppression/${suppressionListId}`]: 'main tbody tr:nth-child(1), main h1',
    '/delivery': rows,
    '/users': rows,
    '/organizations': rows,
    '/audit': rows,
    '/settings': 'main form input'
  }
}

interface Shown {
  ms: number
  frozen_ms: number
}

function shownAt(page: Page, path: string, selector: string): Promise<Shown> {
  return page.evaluate(
    async ({ to, sought }) => {
      const began = performance.now()
      const title = document.querySelector('main h1')?.textContent
      let last = began
      let frozen = 0
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate', { state: null }))
      for (let stable = 0; stable < 3;) {
        await new Promise(requestAnimationFrame)
        const now = performance.now()
        frozen = Math.max(frozen, now - last)
        last = now
        const isThere =
          document.querySelector('main h1')?.textContent !== title && document.querySelector(sought)
        stable = isThere ? stable + 1 : 0
        if (now - began > 120_000)
          throw new Error(
            `${to} never showed ${sought}, but ${document.querySelector('main')?.innerText.slice(0, 200)}`
          )
      }
      return { ms: last - began, frozen_ms: frozen }
    },
    { to: path, sought: selector }
  )
}

/**
 * Creates the records.
 * @returns where most of them are
 */
async function fill(api: Client, lists: number): Promise<Places> {
  const [listId = 0] = await makeMany(api, lists, (n) => [
    '/mailing_lists',
    { mailing_list: { name: `List ${n + 1} of the customers`, d_from_email: 'news@example.com' } }
  ])
  const ofList = `/mailing_lists/${listId}`
  const content = { name: 'A', subject: 'News', format: 'both', html: '<p>Hello</p>', text: 'Hello' }
  const some = Math.ceil(lists / 10)
  await makeMany(api, some * 5, (n) => [
    `/mailing_lists/${n % 5 === 0 ? listId : (n % lists) + listId}/campaigns`,
    { campaign: { name: `Campaign ${n + 1}`, contents: [content] } }
  ])
  await makeMany(api, some, (n) => [
    `${ofList}/segments`,
    {
      segmentation_criteria: {
        name: `Segment ${n + 1}`,
        clause: [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: listId + 1 }]
      }
    }
  ])
  await makeMany(api, some, (n) => [
    `${ofList}/templates`,
    { campaign: { name: `Template ${n + 1}`, contents: [content] } }
  ])
  await makeMany(api, Math.ceil(some / 10), (n) => [
    `${ofList}/custom_fields`,
    { custom_field: { name: `Field ${n + 1}`, field_type: 'text' } }
  ])
  await makeMany(api, Math.ceil(some / 5), (n) => [
    `${ofList}/autoresponders`,
    { autoresponder: { name: `Autoresponder ${n + 1}`, trigger: 'api' } }
  ])
  await makeMany(api, Math.ceil(some / 5), (n) => [
    `${ofList}/web_forms`,
    { web_form: { name: `Form ${n + 1}`, requires_confirmation: false } }
  ])
  await makeMany(api, some, (n) => [
    `/mailing_lists/${n % 2 === 0 ? listId : listId + n}/subscriber_imports`,
    {
      subscriber_import: {
        column_mapping: ['email'],
        file_source: { type: 'json', content: `email\nperson${n}@example.com\n` }
      }
    }
  ])
  await makeMany(api, Math.ceil(some / 2), (n) => [
    '/users',
    { user: { full_name: `User ${n + 1}`, email: `user${n}@example.com`, active: true, role: 'standard' } }
  ])
  await makeMany(api, Math.ceil(some / 10), (n) => [
    '/organizations',
    { organization: { name: `Organization ${n + 1}` } }
  ])
  await makeMany(api, Math.ceil(some / 5), (n) => [
    '/seed_lists',
    { seed_list: { name: `Seed list ${n + 1}`, addresses_array: ['seed@example.com'] } }
  ])
  const [suppressionListId = 0] = await makeMany(api, Math.ceil(some / 5), (n) => [
    '/suppression_lists',
    { suppression_list: { name: `Suppression list ${n + 1}`, mailing_list_id: listId + n } }
  ])
  return { listId, suppressionListId }
}

async function makeMany(
  api: Client,
  count: number,
  call: (number: number) => [path: string, body: object]
): Promise<number[]> {
  const ids: number[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const [path, body] = call(next++)
      ids.push(expectSuccess(await api.post<{ id: number }>(path, body)).id)
    }
  }
  await Promise.all(Array.from({ length: callsAtOnce }, work))
  return ids.sort((a, b) => a - b)
}
