import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'

const started = sharedApplication()

/** The cookie of a window that signed in. */
async function signIn(): Promise<string> {
  const response = await fetch(started.app.interfaceUrl(), { redirect: 'manual' })
  expect(response.status).toBe(302)
  expect(response.headers.get('Location')).toBe('/')
  return response.headers.get('Set-Cookie')?.split(';')[0] ?? ''
}

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

  it('is not what programs get at an address that is not there, nor anybody below those of the API', async () => {
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
    const cookie = await signIn()
    const response = await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, {
      headers: { Cookie: cookie }
    })
    expect(response.status).toBe(200)
  })

  it('keeps its session over the ports of other programs: the cookie bears the port', async () => {
    expect(await signIn()).toContain(`listwright_session_${new URL(started.app.baseUrl).port}=`)
  })

  it('can make API keys that work', async () => {
    const cookie = await signIn()
    const response = await fetch(`${started.app.baseUrl}/app/v1/api_keys`, {
      method: 'POST',
      headers: { Cookie: cookie },
      body: '{"name":"scripts"}'
    })
    const { data } = (await response.json()) as { data: { api_key: string } }
    const authorization = `Basic ${Buffer.from(`1:${data.api_key}`).toString('base64')}`
    const answer = await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, {
      headers: { Authorization: authorization }
    })
    expect(answer.status).toBe(200)
  })
})
