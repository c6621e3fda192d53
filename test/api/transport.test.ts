import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { basic, sharedApplication, startApplication } from '../support/application.ts'
import { makeList } from '../support/builders.ts'

const started = sharedApplication()

interface Envelope {
  success: boolean
  error_code: string | null
  error_message: string
  data: unknown
}

/** A request with headers that fetch does not let a program set. */
function rawStatus(headers: Record<string, string>): Promise<number | undefined> {
  const { hostname, port } = new URL(started.app.baseUrl)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: '/ga/api/v2/mailing_lists', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('the envelope', () => {
  it('holds success, data and null errors', async () => {
    const response = await started.api.raw('/ga/api/v2/mailing_lists')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      success: true,
      data: expect.any(Array) as unknown,
      error_code: null,
      error_message: null
    })
  })

  it('reports a refusal by the application with status 200 and success false', async () => {
    const answer = await started.api.get('/mailing_lists/999999')
    expect(answer).toMatchObject({ status: 200, success: false, data: null, error_code: 'not_found' })
  })

  it('answers an unknown path with 404 and a wrong method with 405, both in the envelope', async () => {
    expect(await started.api.get('/nothing_here')).toMatchObject({ status: 404, success: false })
    const wrongMethod = await started.api.delete('/mailing_lists')
    expect(wrongMethod).toMatchObject({ status: 405, success: false })
    expect(wrongMethod.headers.get('Allow')).toContain('POST')
  })

  it('answers a body that is not JSON with 400 invalid_request', async () => {
    const response = await started.api.raw('/ga/api/v2/mailing_lists', { method: 'POST', body: '{"name":' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ success: false, error_code: 'invalid_request' })
  })

  it('reads a large body as it reads a small one', async () => {
    const list = await makeList(started.api)
    const content = Array.from({ length: 100_000 }, (_, row) => `pérson${row}@example.com`).join('\n')
    const subscriber_import = {
      column_mapping: ['email'],
      file_format: { csv_has_headers: false },
      file_source: { type: 'json', content }
    }
    const path = `/ga/api/v2/mailing_lists/${list.id}/subscriber_imports`
    const body = JSON.stringify({ subscriber_import })
    const response = await started.api.raw(path, { method: 'POST', body })
    const { data } = (await response.json()) as { data: { id: number } }
    expect((await started.api.imported(data.id)).stats.subscribers.added).toBe(100_000)
    const broken = await started.api.raw(path, { method: 'POST', body: body.slice(0, -1) })
    expect([broken.status, await broken.json()]).toMatchObject([400, { error_code: 'invalid_request' }])
  })

  it('answers a body over the limit with 413', async () => {
    const body = JSON.stringify({ mailing_list: { name: 'x'.repeat(5 * 1024 * 1024) } })
    const response = await started.api.raw('/ga/api/v2/mailing_lists', { method: 'POST', body })
    expect(response.status).toBe(413)
  })
})

describe('reading a request', () => {
  it('takes JSON under any content type', async () => {
    const response = await started.api.raw('/ga/api/v2/mailing_lists', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: '{"mailing_list":{"name":"Form"}}'
    })
    expect(await response.json()).toMatchObject({ success: true, data: { name: 'Form' } })
  })

  it('reads a body without its wrapping key like one with it', async () => {
    expect(await started.api.post('/mailing_lists', { name: 'Unwrapped' })).toMatchObject({
      success: true,
      data: { name: 'Unwrapped' }
    })
  })

  it.each(['text', 7, [1]])(
    'refuses %j where an object should stand, of optional keys too',
    async (value) => {
      const { id } = await makeList(started.api)
      expect(await started.api.put(`/mailing_lists/${id}`, { mailing_list: value })).toMatchObject({
        success: false,
        error_code: 'validation_failed',
        error_message: 'mailing_list must be an object'
      })
    }
  )

  it('ignores unknown keys and reads null as left out', async () => {
    const list = await makeList(started.api, { unheard_of: 1, d_speed: null })
    expect(list.d_speed).toBe(0)
  })

  it('takes true, 1, "1" and "true" as truth, and their opposites as its opposite', async () => {
    for (const truth of [true, 1, '1', 'true']) {
      expect((await makeList(started.api, { has_format: truth })).has_format).toBe(true)
    }
    for (const lie of [false, 0, '0', 'false']) {
      expect((await makeList(started.api, { has_format: lie })).has_format).toBe(false)
    }
  })

  it('takes a blank query parameter as left out', async () => {
    const list = await makeList(started.api)
    const answer = await started.api.get(`/mailing_lists/${list.id}/subscribers?page_token=&per_page=`)
    expect(answer).toMatchObject({ success: true, per_page: 100, page: 0 })
  })

  it('names the field and what would be right', async () => {
    const answer = await started.api.post('/mailing_lists', { mailing_list: { name: ' ' } })
    expect(answer).toMatchObject({ error_code: 'validation_failed', error_message: 'name cannot be blank' })
  })

  it('joins several faults with a comma', async () => {
    const list = await makeList(started.api)
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'nobody', status: 'active', custom_fields: { Shoe: 1 } }
    })
    expect(answer.error_message).toMatch(
      /^email is not a valid email address.*, custom_fields\.Shoe is no custom field/
    )
  })
})

describe('the version', () => {
  it('may come as X-Version: 2 instead of the path', async () => {
    const response = await started.api.raw('/ga/api/mailing_lists', { headers: { 'X-Version': '2' } })
    expect(await response.json()).toMatchObject({ success: true })
  })

  it.each([{}, { 'X-Version': '1' }])('may be left out, or be 1: %j', async (headers) => {
    const response = await started.api.raw('/ga/api/mailing_lists', {
      method: 'POST',
      headers,
      body: '{"name":"As version 1 has it"}'
    })
    expect(await response.json()).toMatchObject({ success: true, data: { name: 'As version 1 has it' } })
  })

  it('1 may stand in the path', async () => {
    const response = await started.api.raw('/ga/api/v1/mailing_lists', {
      method: 'POST',
      body: '{"name":"By the path"}'
    })
    expect(await response.json()).toMatchObject({ success: true, data: { name: 'By the path' } })
    const other = await started.api.raw('/ga/api/v3/mailing_lists')
    expect(await other.json()).toMatchObject({ error_code: 'invalid_request' })
  })

  it('is 1 or 2', async () => {
    const response = await started.api.raw('/ga/api/mailing_lists', { headers: { 'X-Version': '3' } })
    expect(await response.json()).toMatchObject({
      error_code: 'invalid_request',
      error_message: 'only the versions 1 and 2 are available'
    })
  })
})

describe('while the application is closing', () => {
  it('a running request is answered, and a later one is refused with 503 in the envelope', async () => {
    const { app, api } = await startApplication()
    const { hostname, port } = new URL(app.baseUrl)
    const connection = connect(Number(port), hostname)
    const answers = text(connection)
    const head = (line: string): string =>
      `${line} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${api.authorization}\r\n`
    const list = '{"mailing_list":{"name":"Last"}}'
    connection.write(
      `${head('POST /ga/api/v2/mailing_lists')}Content-Length: ${list.length}\r\n\r\n${list.slice(0, 9)}`
    )
    // Once this request is answered, the server has also received what was sent before it on the other connection.
    await api.get('/mailing_lists')
    const closed = app.close()
    const isListening = (): Promise<boolean> =>
      fetch(app.baseUrl).then(
        () => true,
        () => false
      )
    await expect.poll(isListening, { interval: 1 }).toBe(false)
    connection.write(`${list.slice(9)}${head('GET /ga/api/v2/mailing_lists')}\r\n`)
    await closed
    const [first = '', second = ''] = (await answers).split(/(?<=\})(?=HTTP)/)
    expect(first).toContain('200 OK')
    expect(first).toContain('"name":"Last"')
    expect(second).toContain('503 Service Unavailable')
    expect(JSON.parse(second.slice(second.indexOf('{')))).toEqual({
      success: false,
      data: null,
      error_code: 'internal_error',
      error_message: 'Listwright is closing; start it again, and send this once more'
    })
  })
})

describe('authentication', () => {
  const path = '/ga/api/v2/mailing_lists'

  it('refuses a call without a key', async () => {
    const response = await fetch(started.app.baseUrl + path)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic /)
    expect(await response.json()).toMatchObject({ success: false, error_code: 'not_authorized' })
  })

  it('refuses keys that are wrong, malformed or of another organization', async () => {
    const right = Buffer.from(started.api.authorization.slice(6), 'base64').toString()
    const [, key = ''] = right.split(':')
    for (const credentials of [`1:${'0'.repeat(40)}`, '1:short', key, `2:${key}`, '']) {
      const response = await fetch(started.app.baseUrl + path, {
        headers: { Authorization: basic(credentials) }
      })
      expect(response.status, credentials).toBe(401)
    }
  })

  it('keeps no key in a readable form', async () => {
    const { app, dataDirectory } = await startApplication()
    const key = await app.createApiKey('secret')
    await app.close()
    const { readFile } = await import('node:fs/promises')
    const database = await readFile(`${dataDirectory}/listwright.db`)
    expect(database.includes(key)).toBe(false)
  })

  it('refuses a foreign Host header, as DNS rebinding would send', async () => {
    const Authorization = started.api.authorization
    expect(await rawStatus({ Authorization, Host: 'evil.example' })).toBe(403)
    expect(await rawStatus({ Authorization })).toBe(200)
  })

  it('refuses requests that come from other web pages', async () => {
    const Authorization = started.api.authorization
    expect(await rawStatus({ Authorization, Origin: 'https://evil.example' })).toBe(403)
    expect(await rawStatus({ Authorization, Origin: started.app.baseUrl })).toBe(200)
    expect(await rawStatus({ Authorization, 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  })

  it('protects every path except the files of the window', async () => {
    for (const guarded of ['/docs/', '/app/v1/api_access', '/app/v1/events', path]) {
      expect((await fetch(started.app.baseUrl + guarded)).status, guarded).toBe(401)
    }
  })
})

describe('the OpenAPI document', () => {
  it('describes each route of the API and none of the window', async () => {
    const response = await started.api.raw('/docs/openapi.json')
    const document = (await response.json()) as { paths: Record<string, unknown> } & Envelope
    const operations = Object.values(document.paths).flatMap((path) =>
      Object.values(path as Record<string, object>)
    )
    for (const operation of operations) expect(operation).toHaveProperty('summary')
    expect(Object.keys(document.paths)).toContain('/ga/api/v2/mailing_lists/{mailing_list_id}/subscribers')
    expect(Object.keys(document.paths).filter((name) => !name.startsWith('/ga/api/v2'))).toEqual([])
  })
})
