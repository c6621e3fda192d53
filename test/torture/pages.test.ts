import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { skipsWithoutBrowser } from '../e2e/browser.ts'
import { browserArguments, installedBrowser } from '../e2e/installed-browser.ts'
import { sharedApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'

// A web page elsewhere tries what a browser lets it while somebody is signed in to the application in the same browser: from another
// site, from another port of this computer, and under a name that was led to this computer afterwards.

const secret = 'somebody-secret@example.com'

/** What the page tries in the browser. Each returns what it read, or throws. */
const attempts: Record<string, (target: string) => Promise<unknown>> = {
  'reads with its cookies': async (target) =>
    (await fetch(`${target}/ga/api/v2/mailing_lists/1/subscribers`, { credentials: 'include' })).text(),
  'reads blindly': async (target) =>
    (await fetch(`${target}/ga/api/v2/mailing_lists`, { credentials: 'include', mode: 'no-cors' })).text(),
  'writes JSON': async (target) =>
    (
      await fetch(`${target}/ga/api/v2/mailing_lists`, {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json' },
        body: '{"mailing_list":{"name":"Foreign"}}'
      })
    ).text(),
  'writes blindly, as text': async (target) =>
    (
      await fetch(`${target}/ga/api/v2/mailing_lists`, {
        method: 'POST',
        credentials: 'include',
        mode: 'no-cors',
        headers: { 'content-type': 'text/plain' },
        body: '{"mailing_list":{"name":"Foreign"}}'
      })
    ).text(),
  'sends a beacon': async (target) => {
    navigator.sendBeacon(`${target}/app/v1/api_keys`, '{"name":"Foreign"}')
    await new Promise((resolve) => setTimeout(resolve, 200))
  },
  'submits a form': async (target) => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    frame.name = 'answer'
    const form = document.body.appendChild(document.createElement('form'))
    Object.assign(form, {
      action: `${target}/ga/api/v2/mailing_lists`,
      method: 'post',
      enctype: 'text/plain',
      target: 'answer'
    })
    const input = form.appendChild(document.createElement('input'))
    Object.assign(input, { name: '{"mailing_list":{"name":"Foreign","x":"', value: '"}}' })
    form.submit()
    await new Promise((resolve) => setTimeout(resolve, 400))
    return frame.contentDocument?.body.textContent
  },
  'loads an image': (target) =>
    new Promise((resolve, reject) => {
      const image = document.body.appendChild(document.createElement('img'))
      image.onload = () => resolve(`an image of ${image.width}`)
      image.onerror = reject
      image.src = `${target}/app/v1/images/1`
    }),
  'loads a script': (target) =>
    new Promise((resolve, reject) => {
      const script = document.body.appendChild(document.createElement('script'))
      script.onload = () => resolve('a script')
      script.onerror = reject
      script.src = `${target}/app/v1/session`
    }),
  'frames the window': async (target) => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    frame.src = target
    await new Promise((resolve) => setTimeout(resolve, 500))
    return frame.contentDocument?.body.textContent
  },
  'opens a WebSocket': (target) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${target.replace('http', 'ws')}/app/v1/events`)
      socket.onopen = () => resolve('a WebSocket')
      socket.onerror = reject
    }),
  'listens to events': (target) =>
    new Promise((resolve, reject) => {
      const events = new EventSource(`${target}/app/v1/events`, { withCredentials: true })
      events.onopen = () => resolve('events')
      events.onerror = reject
    }),
  'opens a window and looks into it': async (target) => {
    const opened = window.open(target)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const text = opened?.document.body.textContent
    opened?.close()
    return text
  }
}

describe.skipIf(skipsWithoutBrowser)('a hostile page, in a real Chromium', () => {
  const started = sharedApplication()
  let browser: Browser
  let context: BrowserContext
  let port: number
  const received: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, answer) => {
    received.push(headers)
    answer.setHeader('content-type', 'text/html').end('<body>Win a prize</body>')
  })

  beforeAll(async () => {
    if (!installedBrowser) throw new Error('The browser tests need an installed Chromium or Chrome.')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    browser = await chromium.launch({
      executablePath: installedBrowser,
      args: [...browserArguments, '--host-resolver-rules=MAP evil.example 127.0.0.1']
    })
    context = await browser.newContext()
    const list = await makeList(started.api, { name: 'Readers' })
    await makeSubscriber(started.api, list.id, secret)
    const window = await context.newPage()
    await window.goto(started.app.interfaceUrl('/lists'))
    await window.getByRole('heading', { name: 'Lists' }).waitFor()
    await window.close()
  })
  afterAll(async () => {
    await browser.close()
    server.close()
  })

  async function everything(): Promise<unknown[]> {
    const keys = await started.api.workbench('GET', '/api_keys')
    const lists = await started.api.get('/mailing_lists')
    return [keys.data, lists.data]
  }

  async function tryAll(page: Page, target: string): Promise<Record<string, unknown>> {
    const read: Record<string, unknown> = {}
    for (const [name, attempt] of Object.entries(attempts)) {
      const text = `(${attempt.toString()})(${JSON.stringify(target)}).then((value) => value ?? '', () => '')`
      const value = await page.evaluate<unknown>(text)
      if (value !== '') read[name] = value
    }
    return read
  }

  it('could read if it were the window', async () => {
    const page = await context.newPage()
    await page.goto(`${started.app.baseUrl}/lists/1`)
    await page.getByText(secret).waitFor()
    await page.close()
  })

  it.each(['evil.example', 'localhost', '127.0.0.1'])('from %s reads and changes nothing', async (host) => {
    const before = await everything()
    const page = await context.newPage()
    await page.goto(`http://${host}:${port}/`)
    expect(await tryAll(page, started.app.baseUrl)).toEqual({})
    expect(await everything()).toEqual(before)
    await page.close()
  })

  it('under a name that was rebound to this computer reads and changes nothing', async () => {
    const before = await everything()
    const page = await context.newPage()
    const rebound = `http://evil.example:${new URL(started.app.baseUrl).port}`
    const answer = await page.goto(`${rebound}/`)
    expect(answer?.status()).toBe(403)
    const read = await tryAll(page, rebound)
    for (const [name, value] of Object.entries(read)) {
      expect(String(value), name).not.toContain(secret)
      expect(String(value), name).toMatch(/not_authorized|^an? |^$/)
    }
    expect(await everything()).toEqual(before)
    await page.close()
  })

  it('learns nothing that opens the application from what the browser sends to another port', async () => {
    const page = await context.newPage()
    for (const path of ['/', '/app/v1/session', '/docs/']) await page.goto(`http://127.0.0.1:${port}${path}`)
    expect(received.length).toBeGreaterThan(2)
    for (const headers of received) {
      const own = new Headers()
      for (const name of ['authorization', 'cookie', 'user-agent']) {
        const value = headers[name]
        if (typeof value === 'string') own.set(name, value)
      }
      const { status } = await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, { headers: own })
      expect(status).toBe(401)
      const key = await fetch(`${started.app.baseUrl}/app/v1/api_keys`, {
        method: 'POST',
        headers: own,
        body: '{"name":"Foreign"}'
      })
      expect(key.status).toBe(401)
    }
    await page.close()
  })

  it('signs no window out by setting cookies on another port, however many', async () => {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const set = await page.evaluate(() => {
      const ports = ['listwright-session', 'listwright_session_1']
      for (const name of ports) document.cookie = `${name}=stolen; path=/; max-age=999999`
      for (let n = 0; n < 200; n++) document.cookie = `c${n}=${'x'.repeat(4000)}; path=/; max-age=999999`
      return document.cookie.length
    })
    expect(set).toBeGreaterThan(300_000)
    await page.goto(`${started.app.baseUrl}/lists/1`)
    await page.getByText(secret).waitFor()
    await context.clearCookies()
    await page.close()
  })
})
