import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { SessionClient } from '../support/session-client.ts'

const started = sharedApplication()

describe('the window', () => {
  it('is one page for all of its addresses, under a strict content security policy', async () => {
    for (const path of ['/', '/lists', '/lists/3/fields', '/imports/7', '/api-access', '/nowhere']) {
      const response = await fetch(started.app.baseUrl + path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
      expect(response.status, path).toBe(200)
      expect(response.headers.get('Content-Type')).toContain('text/html')
      const policy = response.headers.get('Content-Security-Policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
    }
  })

  it("is not what programs get at an unknown address, nor browsers below the API's", async () => {
    const ask = async (path: string, Accept: string): Promise<unknown> => {
      const response = await started.api.raw(path, { headers: { Accept } })
      return [response.status, ((await response.json()) as { error_code: string }).error_code]
    }
    for (const [path, accept] of [
      ['/nowhere', 'application/json'],
      ['/ga/api/v2/nowhere', 'text/html'],
      ['/app/v1/nowhere', 'text/html'],
      ['/assets/nowhere.js', 'text/html'],
      ['/c/nowhere', 'text/html']
    ] as const) {
      expect(await ask(path, accept), path).toEqual([404, 'not_found'])
    }
  })

  it('is checked by browsers each time, and only its assets are cached: their names change with their content', async () => {
    for (const path of ['/', '/lists/3/fields']) {
      const response = await fetch(started.app.baseUrl + path, { headers: { Accept: 'text/html' } })
      expect(response.headers.get('Cache-Control'), path).toBe('no-cache')
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await response.text())?.[1] ?? ''
      const file = await fetch(started.app.baseUrl + script)
      expect(file.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    }
  })

  it('loads its scripts without a key', async () => {
    const page = await (await fetch(started.app.baseUrl)).text()
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
    const response = await fetch(started.app.baseUrl + script)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'application/javascript; charset=utf-8'
    ])
  })

  it('signs in with a token that is good for one time', async () => {
    const link = started.app.interfaceUrl()
    const window = new SessionClient(started.app)
    expect((await window.openLink(link)).success).toBe(true)
    expect((await window.call('GET', '/ga/api/v2/mailing_lists')).status).toBe(200)
    const again = await new SessionClient(started.app).openLink(link)
    expect(again).toMatchObject({
      status: 401,
      error_message: 'this link was used before, or is older than 10 minutes'
    })
  })

  it('can make API keys that work', async () => {
    const window = new SessionClient(started.app)
    await window.openLink(started.app.interfaceUrl())
    const { data } = await window.call<{ api_key: string }>('POST', '/app/v1/api_keys', { name: 'scripts' })
    const authorization = `Basic ${Buffer.from(`1:${data.api_key}`).toString('base64')}`
    const answer = await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, {
      headers: { Authorization: authorization }
    })
    expect(answer.status).toBe(200)
  })
})

describe('a ticket of a window', () => {
  const address = '/app/v1/audit_log/csv'

  async function issue(): Promise<string> {
    const window = new SessionClient(started.app)
    await window.openLink(started.app.interfaceUrl())
    const { data } = await window.call<{ address: string }>('POST', '/app/v1/tickets', { address })
    return data.address
  }

  function statusOf(path: string, method = 'GET'): Promise<number> {
    return fetch(started.app.baseUrl + path, { method }).then(({ status }) => status)
  }

  it('downloads its address once, without a header', async () => {
    const path = await issue()
    expect(path).toMatch(/^\/app\/v1\/audit_log\/csv\?ticket=[0-9a-f]{64}$/)
    expect(await statusOf(path)).toBe(200)
    expect(await statusOf(path)).toBe(401)
  })

  it('opens no other address and no other method', async () => {
    const path = await issue()
    expect(await statusOf(path.replace('/audit_log/csv', '/session'))).toBe(401)
    expect(await statusOf(path.replace('csv?', 'csv?entity=list&'))).toBe(401)
    expect(await statusOf(path, 'DELETE')).toBe(401)
    expect(await statusOf(path)).toBe(200)
  })

  it('ends with the session that it was issued to', async () => {
    const window = new SessionClient(started.app)
    await window.openLink(started.app.interfaceUrl())
    const { data } = await window.call<{ address: string }>('POST', '/app/v1/tickets', { address })
    await window.call('DELETE', '/app/v1/session')
    expect(await statusOf(data.address)).toBe(401)
  })

  it('is not issued to programs, which send their key', async () => {
    const answer = await started.api.workbench('POST', '/tickets', { address })
    expect(answer.error_message).toBe('only a signed-in window has a session')
  })
})
