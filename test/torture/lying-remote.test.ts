import { expect, test } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Segment } from '../../src-main/api/segments/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { startApplication, type StartedApplication } from '../support/application.ts'
import { importText, makeField, makeList, makeSegment } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { type Lie, type LyingProxy, type ProxiedAnswer, startLyingProxy } from '../support/lying-proxy.ts'
import { addRemote, endOfRun, runSync, verifySync } from '../support/sync.ts'

// A remote answers what contradicts itself, or what would take something away here. Nothing follows from the former, and a person is
// asked about the latter: whatever it says, what is here stays as it was.

const people = 8

interface Pair {
  here: StartedApplication
  proxy: LyingProxy
  remoteId: number
  key: string
}

async function startMirrored(): Promise<Pair> {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startLyingProxy(there.app.baseUrl)
  const list = await makeList(here.api, { name: 'Readers' })
  await makeField(here.api, list.id, 'City', 'text')
  await makeField(here.api, list.id, 'Size', 'select_single_dropdown', {
    options: ['small', 'large'].map((name, index) => ({ name, index }))
  })
  await makeSegment(here.api, list.id, { name: 'All', other: list.id })
  const rows = Array.from(
    { length: people },
    (_, at) => `p${at}@example.com,Oslo,${at % 2 ? 'small' : 'large'}`
  )
  await importText(here.api, list.id, `email,City,Size\n${rows.join('\n')}\n`)
  await here.api.post('/suppression_lists', { suppression_list: { name: 'Never' } })
  const key = await there.app.createApiKey('sync')
  const settings = { base_url: proxy.baseUrl, direction: 'both' as const, api_key: key }
  const remoteId = await addRemote(here.api, there, settings)
  expect((await runSync(here.api, remoteId)).outcome).toBe('finished')
  return { here, proxy, remoteId, key }
}

async function stateOf(api: Client): Promise<unknown> {
  const { data: lists } = await api.get<MailingList[]>('/mailing_lists')
  return Promise.all(
    lists.map(async ({ id, name }) => {
      const path = `/mailing_lists/${id}`
      const { data: fields } = await api.get<CustomField[]>(`${path}/custom_fields`)
      const { data: segments } = await api.get<Segment[]>(`${path}/segments`)
      const { data: subscribers } = await api.get<Subscriber[]>(`${path}/subscribers`)
      return {
        id,
        name,
        fields: fields.map((field) => [field.id, field.name, field.options]),
        segments: segments.map((segment) => [segment.id, segment.name]),
        subscribers: subscribers.map(({ id, email, status, custom_fields }) => [
          id,
          email,
          status,
          custom_fields
        ])
      }
    })
  )
}

type Records = Record<string, unknown>[]

const listings: Record<string, RegExp> = {
  'the lists': /^\/mailing_lists$/,
  'the fields': /^\/mailing_lists\/\d+\/custom_fields$/,
  'the subscribers': /^\/mailing_lists\/\d+\/subscribers$/,
  'the segments': /^\/mailing_lists\/\d+\/segments$/,
  'the suppression lists': /^\/suppression_lists$/
}

const ofListings: Record<string, (answer: ProxiedAnswer, data: Records) => void> = {
  'as none': ({ body }) => Object.assign(body, { data: [] }),
  'as none, and that there are none': ({ body }) =>
    Object.assign(body, { data: [], num_records: 0, num_pages: 0, next_page_token: null }),
  'as null': ({ body }) => Object.assign(body, { data: null }),
  'as an object': ({ body }) => Object.assign(body, { data: {} }),
  'as texts': ({ body }, data) => Object.assign(body, { data: data.map(({ id }) => String(id)) }),
  'without ids': ({ body }, data) => Object.assign(body, { data: data.map(({ id: _id, ...rest }) => rest) }),
  'with ids of text': (_, data) => data.forEach((record) => (record['id'] = `${String(record['id'])}x`)),
  'with the id 0': (_, data) => data.forEach((record) => (record['id'] = 0)),
  'without names and addresses': (_, data) =>
    data.forEach((record) => {
      delete record['name']
      delete record['email']
    }),
  'with fewer than it says': ({ body }, data) =>
    Object.assign(body, { data: data.slice(1), num_records: data.length }),
  'with a negative number of records': ({ body }) => Object.assign(body, { num_records: -5 })
}

const ofSubscribers: Record<string, (answer: ProxiedAnswer, data: Records, url: URL) => void> = {
  'without custom fields': (_, data) => data.forEach((record) => delete record['custom_fields']),
  'with custom fields that are null': (_, data) => data.forEach((record) => (record['custom_fields'] = null)),
  'with custom fields that are a list': (_, data) => data.forEach((record) => (record['custom_fields'] = [])),
  'with no custom field at all': (_, data) => data.forEach((record) => (record['custom_fields'] = {})),
  'with blank values': (_, data) =>
    data.forEach((record) => {
      for (const field of Object.values(record['custom_fields'] as Record<string, { value: unknown }>))
        field.value = null
    }),
  'with plain values': (_, data) => data.forEach((record) => (record['custom_fields'] = { City: 'Oslo' })),
  'all unsubscribed': (_, data) => data.forEach((record) => (record['status'] = 'unsubscribed')),
  'all bounced': (_, data) => data.forEach((record) => (record['status'] = 'bounced')),
  'all complaining': (_, data) => data.forEach((record) => (record['status'] = 'scomp')),
  'all of a status that there is not': (_, data) => data.forEach((record) => (record['status'] = 'gone')),
  'without a status': (_, data) => data.forEach((record) => delete record['status']),
  'all with one address': (_, data) => data.forEach((record) => (record['email'] = 'same@example.com')),
  'all with other addresses and times': (_, data) =>
    data.forEach((record) =>
      Object.assign(record, { email: `other${String(record['id'])}@example.com`, subscribe_time_epoch: 1 })
    ),
  'with blank addresses': (_, data) => data.forEach((record) => (record['email'] = '')),
  'in the other order': (_, data) => void data.reverse(),
  'twice each': ({ body }, data) => Object.assign(body, { data: data.flatMap((record) => [record, record]) }),
  'with a page after it that is the same': ({ body }) => Object.assign(body, { next_page_token: 'again' }),
  'with empty pages without an end': ({ body }, data, url) => {
    if (url.searchParams.has('page_token')) data.splice(0)
    Object.assign(body, { next_page_token: String(Math.random()) })
  },
  'as 52 of 60': ({ body }, data) => Object.assign(body, { data: data.slice(0, 7), num_records: 60 }),
  'in more than 8 MB': (_, data) =>
    data.forEach((record) => (record['instructions'] = 'x'.repeat(9 * 1024 * 1024))),
  'under other names of their fields': (_, data) =>
    data.forEach((record) => (record['custom_fields'] = { Town: { name: 'Town', type: 'text', value: 'x' } }))
}

const ofAnswers: Record<string, (answer: ProxiedAnswer) => void> = {
  'success without data': ({ body }) => delete body['data'],
  'a failure with a message of 5 MB': (answer) =>
    Object.assign(answer.body, {
      success: false,
      data: null,
      error_code: 'invalid_request',
      error_message: 'no '.repeat(1_700_000)
    }),
  'what is no envelope': (answer) => (answer.text = '[]'),
  'half an envelope': (answer) => (answer.text = JSON.stringify(answer.body).slice(0, -10)),
  'a redirect to another server': (answer) => {
    answer.status = 302
    answer.headers['location'] = 'http://127.0.0.1:1/'
  }
}

function dataOf({ body }: ProxiedAnswer): Records {
  return Array.isArray(body['data']) ? (body['data'] as Records) : []
}

const scenarios: [string, Lie][] = [
  ...Object.entries(listings).flatMap(([listing, pattern]) =>
    Object.entries(ofListings).map(([how, tell]): [string, Lie] => [
      `${listing} ${how}`,
      (answer, path) => {
        if (pattern.test(path)) tell(answer, dataOf(answer))
      }
    ])
  ),
  ...Object.entries(ofSubscribers).map(([how, tell]): [string, Lie] => [
    `the subscribers ${how}`,
    (answer, path, url) => {
      if (listings['the subscribers']?.test(path)) tell(answer, dataOf(answer), url)
    }
  ]),
  ...Object.entries(ofAnswers).map(([how, tell]): [string, Lie] => [
    `${how} in place of all`,
    (answer) => void tell(answer)
  ]),
  [
    'a select field without its options',
    (answer, path) => {
      if (listings['the fields']?.test(path)) for (const field of dataOf(answer)) field['options'] = []
    }
  ]
]

test('a remote that lies takes nothing away here', { timeout: 300_000 }, async () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(50)
  const { here, proxy, remoteId, key } = await startMirrored()
  const before = await stateOf(here.api)
  for (const [name, lie] of scenarios) {
    proxy.lie = lie
    proxy.requests = 0
    const lied = await runSync(here.api, remoteId)
    expect(await stateOf(here.api), name).toEqual(before)
    expect(proxy.requests, name).toBeLessThan(200)
    expect((lied.message ?? '').length, name).toBeLessThan(1000)

    proxy.lie = () => undefined
    let run = lied
    for (let questions = 0; run.remote.state === 'asking' && questions < 5; questions++) {
      if (run.remote.question === 'key') {
        await here.api.workbench('PUT', `/remotes/${remoteId}`, { api_key: key })
      } else await here.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'send_again' })
      run = await endOfRun(here.api, remoteId)
    }
    expect(await runSync(here.api, remoteId), name).toMatchObject({ outcome: 'finished' })
    expect(await stateOf(here.api), name).toEqual(before)
    expect((await verifySync(here.api, remoteId)).differences, name).toEqual([])
  }
})

test('an answer to one question does not answer another', { timeout: 60_000 }, async () => {
  const { here, proxy, remoteId } = await startMirrored()
  const listed = ['the fields', 'the segments']
  proxy.lie = (answer, path) => {
    if (listed.some((name) => listings[name]?.test(path)))
      Object.assign(answer.body, { data: [], num_records: 0, num_pages: 0, next_page_token: null })
  }
  const questions: unknown[] = []
  let run = await runSync(here.api, remoteId)
  while (run.remote.state === 'asking' && questions.length < 5) {
    questions.push(run.remote.question)
    await here.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'remove_here' })
    run = await endOfRun(here.api, remoteId)
  }
  expect(questions).toEqual(['fields_gone', 'segments_gone'])
  expect(run.outcome).toBe('finished')
})
