import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import { browserArguments, installedBrowser } from '../e2e/installed-browser.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { makeFilledList, maxJobTime } from './prepared-list.ts'
import { startServer } from './server.ts'
import { percentile } from './statistics.ts'

/** An action in the window, and the time until its effect is visible. */
export interface WindowFigures extends Partial<Latencies> {
  step: string
  ms: number
  subscribers?: number
  per_second?: number
  frames_p95_ms?: number
  page_heap_mb?: number
  page_process_mb?: number
}

const scrolls = { 'scroll by the wheel': 120, 'scroll by the bar': 44 * 997 }
const scrolledFrames = 400

const asksFrom = 10_000

/** Times the window on a large list, in a headless Chromium. */
export async function benchWindow(rows: number): Promise<WindowFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  let browser: Browser | undefined
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const { data: fields } = await api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields`)
    const idOf = (name: string) => fields.find((field) => field.name === name)?.id
    if (!installedBrowser)
      throw new Error('The benchmark of the window needs an installed Chromium or Chrome.')
    browser = await chromium.launch({ executablePath: installedBrowser, args: browserArguments })
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      extraHTTPHeaders: { Authorization: api.authorization }
    })
    const page = await context.newPage()
    const figures: WindowFigures[] = []

    await page.goto(`${api.baseUrl}/lists`)
    await page.getByRole('link', { name: list.name, exact: true }).first().waitFor()
    figures.push({ step: 'open the list', ms: await shownAfter(page, { click: 'tbody a' }) })

    for (const [step, distance] of Object.entries(scrolls)) {
      const frames = await scroll(page, distance)
      const ms = frames.reduce((sum, frame) => sum + frame, 0)
      figures.push({ step, ms, frames_p95_ms: percentile(frames, 0.95) })
    }

    const field = (name: string, operand: object) => ({
      type: 'custom_field',
      custom_field_id: idOf(name),
      ...operand
    })
    const half = field('age', { kind: 'number', operator: 'is between', from: 18, to: 52 })
    const filters: Record<string, object> = {
      'status is': { type: 'status', operator: 'is one of', statuses: ['unsubscribed'] },
      'email begins with': { type: 'email', operator: 'begins with', value: 'anna' },
      'email contains': { type: 'email', operator: 'contains', value: '77@' },
      'domain is': { type: 'domain', operator: 'is', value: 'example.org' },
      'subscribed in the last 7 days': {
        type: 'time',
        attribute: 'subscribe_time',
        operator: 'is in the last',
        days: 7
      },
      'is suppressed': { type: 'suppressed', operator: 'is true' },
      'text contains': field('city', { kind: 'text', operator: 'contains', value: 'zurich' }),
      'date is in the last 1,000 days': field('signup date', {
        kind: 'date',
        operator: 'is in the last',
        days: 1000
      }),
      'number is between': half
    }
    const show = async (step: string, query: object): Promise<void> => {
      const search = new URLSearchParams(Object.entries(query)).toString()
      const ms = await shownAfter(page, { go: search === '' ? '' : `?${search}` })
      figures.push({ step, ms, subscribers: await shownCount(page) })
      await shownAfter(page, { go: '' })
    }
    for (const [name, condition] of Object.entries(filters)) {
      await show(`filter: ${name}`, { filter: JSON.stringify([condition]) })
    }
    // A column is sorted one way, the other way, and then no more.
    for (const column of ['Email', 'city', 'age', 'age', 'age']) {
      const ms = await shownAfter(page, { click: `[role=columnheader] [title="${column}"]` })
      figures.push({ step: `sort by ${column}`, ms })
    }
    const search = page.getByRole('searchbox')
    for (const text of ['sao p', '']) {
      const ms = await shownAfter(page, { type: text })
      if (text !== '') figures.push({ step: 'search', ms, subscribers: await shownCount(page) })
    }
    await search.blur()

    await shownAfter(page, { go: `?${new URLSearchParams({ filter: JSON.stringify([half]) }).toString()}` })
    const chosen = await shownCount(page)
    const measure = async (step: string, state: string, work: () => Promise<void>): Promise<void> => {
      const meanwhile = await callMeanwhile(api, list.id)
      const began = performance.now()
      await work()
      await page.locator(`[data-bulk-state=${state}]`).waitFor({ timeout: maxJobTime })
      const ms = performance.now() - began
      figures.push({
        step,
        ms,
        subscribers: chosen,
        per_second: (chosen / ms) * 1000,
        ...(await meanwhile.stop())
      })
    }
    await page.getByRole('checkbox', { name: 'Select everyone found' }).click()
    await page.getByRole('button', { name: 'Set status' }).click()
    await page.getByRole('combobox', { name: 'New status' }).click()
    await page.getByRole('option', { name: 'Unsubscribed' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: /^Set the status of/ })
    await confirm.and(page.locator(':enabled')).waitFor({ timeout: maxJobTime })
    await measure('set the status', 'finished', () => confirm.click())
    let undo = page.getByRole('button', { name: 'Undo', exact: true })
    if (chosen >= asksFrom) {
      await undo.click()
      undo = page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true })
      await page.getByRole('switch', { name: 'Back up first' }).click()
    }
    await measure('undo it', 'undone', () => undo.click())

    figures.push({ step: 'memory', ms: 0, ...(await memoryOf(browser, page)) })
    return figures
  } finally {
    await browser?.close()
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

type Doing = { click: string } | { go: string } | { type: string }

/** @returns milliseconds from then on until other rows are shown, or another number of them with their first row */
function shownAfter(page: Page, doing: Doing): Promise<number> {
  return page.evaluate(async (done) => {
    const shown = (): { count: string; first: string } => ({
      count: document.querySelector('main [role=status]')?.textContent ?? '',
      first:
        document.querySelector('main [role=grid] [role=row] [role=gridcell]:nth-child(2)')?.textContent ?? ''
    })
    const before = shown()
    const began = performance.now()
    if ('click' in done) document.querySelector<HTMLElement>(done.click)?.click()
    else if ('go' in done) {
      history.pushState(null, '', location.pathname + done.go)
      dispatchEvent(new PopStateEvent('popstate', { state: null }))
    } else {
      const input = document.querySelector<HTMLInputElement>('main input[type=search]')
      if (input) input.value = done.type
      input?.dispatchEvent(new Event('input', { bubbles: true }))
    }
    const isNew = (): boolean => {
      const now = shown()
      // While the search turns, the rows are still those of the question before.
      if (now.count === '' || document.querySelector('main .animate-spin')) return false
      // A filter that finds no subscribers shows no row.
      if (now.first === '') return now.count.startsWith('0 ') && now.count !== before.count
      return now.count !== before.count || now.first !== before.first
    }
    for (let stable = 0; stable < 2;) {
      await new Promise(requestAnimationFrame)
      stable = isNew() ? stable + 1 : 0
      if (performance.now() - began > 60_000)
        throw new Error(`nothing new was shown after ${JSON.stringify(done)}`)
    }
    return performance.now() - began
  }, doing)
}

async function shownCount(page: Page): Promise<number> {
  const text = await page.locator('main [role=status]').first().innerText()
  return Number((/^[\d,]+/.exec(text)?.[0] ?? '').replaceAll(',', ''))
}

/** Scrolls the table by so many pixels with each frame. @returns milliseconds from each frame to the next */
function scroll(page: Page, distance: number): Promise<number[]> {
  return page.evaluate(
    async ({ by, count }) => {
      const viewport = document.querySelector('main [role=grid]')
      if (!viewport) throw new Error('there is no table to scroll')
      const frames: number[] = []
      let last = await new Promise<number>(requestAnimationFrame)
      for (let frame = 0; frame < count; frame++) {
        viewport.scrollTop += by
        const now = await new Promise<number>(requestAnimationFrame)
        frames.push(now - last)
        last = now
      }
      return frames
    },
    { by: distance, count: scrolledFrames }
  )
}

async function memoryOf(browser: Browser, page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  const sizes = await Promise.all(
    processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentSize(id))
  )
  return { page_heap_mb: usedSize / 1e6, page_process_mb: Math.max(...sizes) / 1e6 }
}

/** @returns bytes; proc(5), status: VmRSS */
async function residentSize(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) * 1024
}
