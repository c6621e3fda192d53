import { mkdir } from 'node:fs/promises'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request
} from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFailed } from 'vitest'
import type { Application } from '../../src-main/app.ts'
import { isInTurn } from '../support/long.ts'
import { browserArguments, installedBrowser } from './installed-browser.ts'

const screenshots = 'test/e2e/screenshots'
const viewport = isInTurn(0) ? { width: 1920, height: 1080 } : { width: 1280, height: 800 }
/** Pictures take a second each, and are for people. */
export const takesPictures = process.env['PICTURES'] === 'true'

/** Without a browser these tests are skipped; where a machine promises to run all tests, that is a failure. */
export const skipsWithoutBrowser = !installedBrowser && process.env['CI'] !== 'true'

/** The browser of a test file. */
export interface SharedBrowser {
  /** Shared by all windows, so that scripts are loaded and compiled once. */
  context: BrowserContext
  newContext: Browser['newContext']
}

/** Starts one browser for all tests of a file. */
export function sharedBrowser(): SharedBrowser {
  const shared = {} as SharedBrowser
  let browser: Browser | undefined
  beforeAll(async () => {
    const launched = await launchBrowser()
    browser = launched
    shared.newContext = (options) => launched.newContext(options)
    shared.context = await launched.newContext({ viewport, locale: 'en-US' })
    shared.context.setDefaultTimeout(15_000)
    await shared.context.addInitScript(withoutMotion)
  })
  afterAll(() => browser?.close())
  return shared
}

async function launchBrowser(): Promise<Browser> {
  if (!installedBrowser) throw new Error('The browser tests need an installed Chromium or Chrome.')
  await mkdir(screenshots, { recursive: true })
  return chromium.launch({
    executablePath: installedBrowser,
    args: browserArguments
  })
}

/** Waits until a menu has closed: until then it takes the focus back, and typing elsewhere is lost. */
export async function menuIsGone(page: Page): Promise<void> {
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
}

export async function writeHtml(version: Locator, html: string): Promise<void> {
  await version.getByRole('tab', { name: 'HTML code' }).click()
  await version.getByRole('textbox', { name: 'HTML code' }).fill(html)
}

/** Each menu and dialog moves for a fifth of a second, for which every test would wait hundreds of times. */
const withoutMotion = `document.addEventListener('DOMContentLoaded', () => {
  const style = document.createElement('style')
  style.textContent = '*, *::before, *::after { animation: none !important; transition: none !important }'
  document.head.append(style)
})`

/**
 * A window of the application, signed in. What goes wrong in its console fails the test that calls `finish`; a test
 * that fails prints what the window showed.
 */
export class Window {
  readonly page: Page
  readonly #complaints: string[] = []
  /** Pending requests without the event stream, which never ends. */
  readonly #requests = new Set<Request>()

  readonly #isOnlyOne: boolean

  private constructor(page: Page, isOnlyOne = false) {
    this.page = page
    this.#isOnlyOne = isOnlyOne
    page.on('request', (request) => {
      if (new URL(request.url()).pathname !== '/app/v1/events') this.#requests.add(request)
    })
    page.on('requestfinished', (request) => this.#requests.delete(request))
    page.on('requestfailed', (request) => this.#requests.delete(request))
    page.on('pageerror', (error) => this.#complaints.push(error.message))
    page.on('console', (message) => {
      // The tests put a script into every frame, and previews of messages block it like any other.
      if (message.text().startsWith("Blocked script execution in 'about:srcdoc'")) return
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(message.text())
    })
  }

  /** @param path of the page, such as `/lists/1` */
  static async open(browser: SharedBrowser, app: Application, path = '/'): Promise<Window> {
    const window = new Window(await browser.context.newPage())
    onTestFailed(() => window.#tellWhatItShows())
    await window.page.goto(app.interfaceUrl(path))
    await window.page.waitForURL((url) => !url.searchParams.has('sign_in'))
    return window
  }

  /** Leads the only window of the desktop application, which is signed in, to another page. */
  static async lead(page: Page, address: string): Promise<Window> {
    const window = new Window(page, true)
    onTestFailed(() => window.#tellWhatItShows())
    await page.goto(address)
    return window
  }

  /** Waits until the window has waited for nothing for a moment. */
  async isLoaded(): Promise<void> {
    let quiet = 0
    while (quiet < 5) {
      await this.page.waitForTimeout(50)
      quiet = this.#requests.size === 0 ? quiet + 1 : 0
    }
  }

  /** Writes the page in both themes to test/e2e/screenshots, when pictures are asked for. */
  async screenshot(name: string): Promise<void> {
    if (!takesPictures) return
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.evaluate((scheme) => {
        document.documentElement.classList.toggle('dark', scheme === 'dark')
        document.documentElement.classList.toggle('light', scheme === 'light')
      }, colorScheme)
      // Colours and panels would move for a moment.
      await this.page.screenshot({
        path: `${screenshots}/${name}-${viewport.width}-${colorScheme}.png`,
        animations: 'disabled'
      })
    }
    await this.page.evaluate(() => {
      document.documentElement.classList.remove('dark')
      document.documentElement.classList.add('light')
    })
  }

  async #tellWhatItShows(): Promise<void> {
    if (this.page.isClosed()) return
    const shown = await this.page.locator('body').ariaSnapshot()
    console.error(`The page ${this.page.url()} showed:\n${shown}\n${this.#complaints.join('\n')}`)
  }

  /** @param expected what its console must have said, how often ever (a frame is drawn again as it likes), and nothing else */
  async finish(...expected: RegExp[]): Promise<void> {
    // The next window finds no theme or width that this one chose.
    await this.page.evaluate(() => {
      for (const key of Object.keys(localStorage))
        if (key !== 'listwright-session') localStorage.removeItem(key)
    })
    if (this.#isOnlyOne) this.page.removeAllListeners()
    else await this.page.close()
    expect(this.#complaints.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
    expect(expected.filter((pattern) => !this.#complaints.some((text) => pattern.test(text)))).toEqual([])
  }
}
