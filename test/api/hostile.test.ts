import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { storageFaultOf } from '../../src-main/base/errors.ts'
import { sharedApplication } from '../support/application.ts'
import { makeAutoresponder, makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

/** Sends bytes as they are. @returns everything that comes back until the connection ends */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(new URL(started.app.baseUrl).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

function head(method: string, path: string, headers: string[] = []): string {
  const { host } = new URL(started.app.baseUrl)
  const lines = [
    `Host: ${host}`,
    `Authorization: ${started.api.authorization}`,
    'Connection: close',
    ...headers
  ]
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

interface Refusal {
  success: boolean
  error_code: string
  error_message: string
}

function envelopeOf(answer: string): Refusal {
  return JSON.parse(answer.slice(answer.indexOf('{'))) as Refusal
}

describe('a path', () => {
  it('holds 100 addresses of full length', async () => {
    const list = await makeList(started.api)
    const emails = Array.from({ length: 100 }, (_, index) => {
      const number = String(index).padStart(3, '0')
      return `${number}${"'".repeat(253)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.example`
    })
    await makeSubscriber(started.api, list.id, emails[99] ?? '')
    const encoded = emails.map((email) => encodeURIComponent(email).replaceAll("'", '%27')).join(',')
    const found = await started.api.get<Subscriber[]>(`/mailing_lists/${list.id}/subscribers/${encoded}`)
    expect(found.data.map(({ email }) => email)).toEqual([emails[99]])
  })

  it('of 300,000 characters is answered with 431 and the envelope', async () => {
    const answer = await sendBytes(head('GET', `/ga/api/v2/${'x'.repeat(300_000)}`))
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(envelopeOf(answer)).toMatchObject({ success: false, error_code: 'invalid_request' })
  })

  it.each(['%', '%zz', 'a%ff@example.com'])('with a bad percent escape is refused: %s', async (part) => {
    const answer = await sendBytes(head('GET', `/ga/api/v2/mailing_lists/1/subscribers/${part}`))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(envelopeOf(answer)).toMatchObject({ success: false, error_code: 'invalid_request' })
  })
})

it('a request that is not HTTP is answered with the envelope', async () => {
  const answer = await sendBytes('NONSENSE\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(envelopeOf(answer)).toMatchObject({ success: false, error_code: 'invalid_request' })
})

it('a request without a host is answered with the envelope', async () => {
  const answer = await sendBytes('GET /ga/api/v2/mailing_lists HTTP/1.1\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 4\d\d /)
  expect(envelopeOf(answer)).toMatchObject({ success: false, data: null })
})

it('a slash at the end of a path means nothing', async () => {
  const list = await makeList(started.api)
  const { data } = await started.api.get<{ id: number }[]>('/mailing_lists/')
  expect(data.map(({ id }) => id)).toContain(list.id)
  expect((await started.api.get<{ id: number }>(`/mailing_lists/${list.id}/`)).data.id).toBe(list.id)
})

describe('a content type', () => {
  it.each(['', 'garbage', ';', 'text/plain; charset', 'application/json'])(
    '%j does not matter: the body is read as JSON',
    async (type) => {
      const body = JSON.stringify({ mailing_list: { name: 'Any type' } })
      const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length}`]
      const answer = await sendBytes(head('POST', '/ga/api/v2/mailing_lists', headers) + body)
      expect(envelopeOf(answer)).toMatchObject({ success: true, data: { name: 'Any type' } })
    }
  )

  it.each(['', 'garbage', 'application/json'])(
    '%j without a body deletes like a request without a content type',
    async (type) => {
      const list = await makeList(started.api)
      const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
      const path = `/ga/api/v2/mailing_lists/${list.id}/subscribers/${id}`
      const answer = await sendBytes(head('DELETE', path, [`Content-Type: ${type}`]))
      expect(envelopeOf(answer)).toMatchObject({ success: true, data: { subscriber_ids_removed: [id] } })
    }
  )
})

describe('a number', () => {
  const beyond = '99999999999999999999'

  it.each(['page', 'per_page'])('of 20 digits as %s is refused or past the end', async (name) => {
    const list = await makeList(started.api)
    for (const path of [
      `/mailing_lists/${list.id}/subscribers`,
      '/subscriber_imports',
      '/subscriber_exports',
      '/jobs/all',
      '/users',
      '/segments',
      '/custom_fields',
      '/system_campaigns'
    ]) {
      for (const value of [beyond, String(Number.MAX_SAFE_INTEGER)]) {
        const answer = await started.api.get<unknown>(`${path}?${name}=${value}`)
        expect([200, answer.error_code === 'internal_error'], path).toEqual([answer.status, false])
      }
    }
  })

  it('of both page and per_page may be as large as numbers are', async () => {
    const most = Number.MAX_SAFE_INTEGER
    for (const path of ['/jobs/all', '/users', '/segments', '/custom_fields']) {
      const answer = await started.api.get<unknown[]>(`${path}?page=${most}&per_page=${most}`)
      expect([answer.status, answer.data], path).toEqual([200, []])
    }
  })

  it('beyond 64 bits in a body is refused by the name of its field', async () => {
    const list = await makeList(started.api)
    for (const body of [`{"d_speed":${beyond}}`, `{"d_speed":1e300}`, `{"d_speed":"${beyond}"}`]) {
      const response = await started.api.raw(`/ga/api/v2/mailing_lists/${list.id}`, { method: 'PUT', body })
      expect(response.status).toBe(200)
      const answer = (await response.json()) as Refusal
      expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
      expect(answer.error_message).toMatch(/^d_speed must be/)
    }
  })

  it('that large in a path is not found', async () => {
    expect(await started.api.get(`/mailing_lists/${beyond}`)).toMatchObject({ error_code: 'not_found' })
  })

  it.each([String(beyond), String(Date.now() * 1000), String(Date.now())])(
    '%s as a time is refused with a hint that seconds are meant',
    async (time) => {
      const list = await makeList(started.api)
      const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
        subscriber: { email: 'a@example.com', status: 'active', subscribe_time: time }
      })
      expect(answer.error_message).toMatch(/^subscribe_time must be a UNIX time in seconds/)
      const query = await started.api.get(`/jobs/all?begins_at__after=${time}`)
      expect(query.error_message).toMatch(/^begins_at__after must be a UNIX time in seconds/)
    }
  )
})

describe('a body', () => {
  it('with faults in very many places is refused quickly, with a readable sentence', async () => {
    const { api } = started
    const list = await makeList(api)
    const lists = `/mailing_lists/${list.id}`
    const column_mapping = Array.from({ length: 100_000 }, () => 1)
    const custom_fields = Object.fromEntries(column_mapping.map((value, field) => [`f${field}`, value]))
    const answers = [
      await api.post(`${lists}/subscriber_imports`, { subscriber_import: { column_mapping } }),
      await api.post('/users', { user: { default_preview_recipients: column_mapping } }),
      await api.post(`${lists}/subscribers`, {
        subscriber: { email: 'a@example.com', status: 'active', custom_fields }
      })
    ]
    for (const answer of answers) {
      expect(answer.error_code).toBe('validation_failed')
      expect(answer.error_message?.length).toBeLessThan(5000)
    }
    expect(answers[2]?.error_message).toMatch(/, and 99975 more$/)
  }, 10_000)

  it('holds patterns, header lines and replacement fields up to a size', async () => {
    const { api } = started
    const list = await makeList(api)
    const subscribers = `/mailing_lists/${list.id}/subscribers`
    const long = await api.post(subscribers, {
      subscriber: { email: 'a@example.com', status: 'active', autoresponder_filter: '*'.repeat(1001) }
    })
    expect(long.error_message).toBe('autoresponder_filter must be at most 1000 characters')
    const custom_headers = 'X-A: b\n'.repeat(10_000)
    const wide = await api.put(`/mailing_lists/${list.id}`, { mailing_list: { custom_headers } })
    expect(wide.error_message).toBe('custom_headers must be at most 65536 characters')
    const names = Array.from({ length: 1001 }, (_, key) => [`k${key}`, 'x'])
    const many = await api.post(`${subscribers}/a@example.com/trigger_autoresponders`, {
      content_replacement_fields: Object.fromEntries(names) as Record<string, string>
    })
    expect(many.error_message).toBe('content_replacement_fields must have at most 1000 entries')
  })

  it('that is nested 60,000 times is refused', async () => {
    const list = await makeList(started.api)
    for (const depth of [200, 60_000]) {
      const value = '['.repeat(depth) + ']'.repeat(depth)
      const response = await started.api.raw(`/ga/api/v2/mailing_lists/${list.id}/subscribers`, {
        method: 'POST',
        body: `{"subscriber":{"email":"a@example.com","status":"active","custom_fields":{"A":${value}}}}`
      })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ success: false, error_code: 'invalid_request' })
    }
  })

  it('may contain any number of brackets in texts', async () => {
    const name = `${'[{'.repeat(100)}"\\`
    expect((await makeList(started.api, { name })).name).toBe(name)
  })

  it('with half of a character keeps the rest of the text', async () => {
    const response = await started.api.raw('/ga/api/v2/mailing_lists', {
      method: 'POST',
      body: '{"mailing_list":{"name":"A\\ud800B"}}'
    })
    expect(await response.json()).toMatchObject({ success: true, data: { name: 'A\ufffdB' } })
  })

  it('with [] where an object of keys stands is read as if it were {}', async () => {
    const list = await makeList(started.api, { preview_custom_field_data: [] })
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: [] })
    expect(made.custom_fields).toEqual({})
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        overwrite_what: [],
        overwrite_when_status: [],
        default_custom_fields: [],
        subscriber_defaults: [],
        autoresponders: [],
        file_format: [],
        file_source: { type: 'json', content: 'email\nb@example.com\n' }
      }
    })
    expect(answer).toMatchObject({ success: true })
  })

  it('can change only the attributes of the resource', async () => {
    const { data: before } = await started.api.get<{ id: number }[]>('/organizations')
    const answer = await started.api.put('/organizations/1', {
      organization: { id: 7, created_at: 1, subscriber_limit: 0, name: 'Ours' }
    })
    expect(answer).toMatchObject({ success: true, data: { id: 1, name: 'Ours' } })
    const { data: after } = await started.api.get<{ id: number }[]>('/organizations')
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })
})

it('a custom field is not named __proto__', async () => {
  const list = await makeList(started.api)
  const answer = await started.api.post(`/mailing_lists/${list.id}/custom_fields`, {
    custom_field: { name: '__proto__', field_type: 'text' }
  })
  expect(answer).toMatchObject({ error_code: 'validation_failed' })
  expect(answer.error_message).toMatch(/^name must not be __proto__/)
  const response = await started.api.raw(`/ga/api/v2/mailing_lists/${list.id}/subscribers`, {
    method: 'POST',
    body: '{"subscriber":{"email":"a@example.com","status":"active","custom_fields":{"__proto__":"x"}}}'
  })
  expect(await response.json()).toMatchObject({
    error_message: 'custom_fields.__proto__ is no custom field of this list'
  })
})

it('a page token works only for its own list', async () => {
  const [first, second] = [await makeList(started.api), await makeList(started.api)]
  for (const list of [first, second]) {
    for (const name of ['a', 'b']) await makeSubscriber(started.api, list.id, `${name}@example.com`)
  }
  const page = await started.api.get(`/mailing_lists/${first.id}/subscribers?per_page=1`)
  const other = await started.api.get(
    `/mailing_lists/${second.id}/subscribers?per_page=1&page_token=${page.next_page_token}`
  )
  expect(other).toMatchObject({
    error_code: 'validation_failed',
    error_message: 'page_token belongs to another list or segment'
  })
})

describe('a pattern', () => {
  it.each([
    ['*', 'Welcome', true],
    ['wel*', 'WELCOME back', true],
    ['*back', 'Welcome back', true],
    ['w*c*k', 'Welcome back', true],
    ['*e*e*', 'Welcome', true],
    ['a*a', 'a', false],
    ['Welcome', 'Welcome back', false],
    ['a-b', 'a-b', true],
    ['a.c', 'abc', false],
    [`${'*'.repeat(25)}x`, 'a'.repeat(250), false]
  ])('%s names %s: %s', async (pattern, name, matches) => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, name, { trigger: 'subscription', trigger_run_on_api: true })
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const answer = await started.api.post(
      `/mailing_lists/${list.id}/subscribers/a@example.com/trigger_autoresponders`,
      { autoresponder_names: [pattern] }
    )
    expect(answer.success).toBe(matches)
  })
})

it('a date of a custom field may be in any year from 1 to 9999, and is never shifted', async () => {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'Day', 'date')
  for (const [given, day] of [
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    ['0050-06-07', '0050-06-07'],
    ['2014-01-31T23:30:00-05:00', '2014-01-31']
  ] as const) {
    const email = `d${given.slice(0, 10)}@example.com`
    const made = await makeSubscriber(started.api, list.id, email, { custom_fields: { Day: given } })
    expect(made.custom_fields['Day']?.value).toBe(day)
  }
  for (const given of ['0000-01-01', '10000-01-01']) {
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'x@example.com', status: 'active', custom_fields: { Day: given } }
    })
    expect(answer.error_message).toMatch(/^Day must be a date/)
  }
})

it.each(['zz\r\n', '3\r\nabcde\r\n', 'ffffffffffffffffff\r\n'])(
  'a body that is not in the chunks it announces is answered with the envelope: %j',
  async (chunk) => {
    const request = head('POST', '/ga/api/v2/mailing_lists', ['Transfer-Encoding: chunked'])
    const answer = await sendBytes(`${request}${chunk}`)
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(envelopeOf(answer)).toMatchObject({ success: false, error_code: 'invalid_request' })
  }
)

it('too many open files are reported in a sentence, like a full disk', () => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const fault = storageFaultOf(Object.assign(new Error('open'), { code }))
    expect(fault?.message).toBe('too many files are open on this computer. Close other programs')
  }
})
