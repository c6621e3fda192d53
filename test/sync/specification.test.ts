import { expect, test } from 'vitest'
import { startApplication } from '../support/application.ts'
import { importText, makeField, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { type PassedRequest, startFaultProxy } from '../support/fault-proxy.ts'
import { addRemote, runSync, verifySync } from '../support/sync.ts'

/**
 * The API calls that sync may make, each with the keys of its body. Any other call is not in the
 * specification.
 */
const specified: Record<string, string[]> = {
  'GET /mailing_lists': [],
  'POST /mailing_lists': ['mailing_list'],
  'PUT /mailing_lists/#': ['mailing_list'],
  'GET /mailing_lists/#/delete_confirmation_code': [],
  'DELETE /mailing_lists/#/confirmed/*': [],
  'GET /custom_fields': [],
  'POST /custom_fields': ['custom_field'],
  'GET /mailing_lists/#/custom_fields': [],
  'POST /mailing_lists/#/custom_fields': ['custom_field'],
  'PUT /mailing_lists/#/custom_fields/#': ['custom_field'],
  'DELETE /mailing_lists/#/custom_fields/#': [],
  'GET /mailing_lists/#/segments': [],
  'POST /mailing_lists/#/segments': ['segmentation_criteria'],
  'GET /segments/#': [],
  'PUT /segments/#': ['segmentation_criteria'],
  'DELETE /segments/#': [],
  'GET /mailing_lists/#/templates': [],
  'POST /mailing_lists/#/templates': ['campaign'],
  'GET /templates/#': [],
  'PUT /templates/#': ['campaign'],
  'GET /mailing_lists/#/campaigns': [],
  'POST /mailing_lists/#/campaigns': ['campaign'],
  'GET /campaigns/#': [],
  'GET /mailing_lists/#/subscribers': [],
  'GET /mailing_lists/#/subscribers/*': [],
  'POST /mailing_lists/#/subscribers': ['subscriber'],
  'PUT /mailing_lists/#/subscribers/#': ['subscriber'],
  'DELETE /mailing_lists/#/subscribers/#': [],
  'POST /mailing_lists/#/subscriber_imports': ['subscriber_import'],
  'GET /subscriber_imports/#': [],
  'GET /subscriber_imports/#/logs/*': []
}

const subscriberKeys = [
  'email',
  'status',
  'email_format',
  'subscribe_time',
  'subscribe_ip',
  'custom_fields',
  'skip_autoresponders'
]
const queries = ['per_page', 'page', 'page_token']

function callOf({ method, path }: PassedRequest): string {
  const bare = path.replace(/\?.*/, '')
  const exact = `${method} ${bare.replace(/\/\d+(?=\/|$)/g, '/#')}`
  if (exact in specified) return exact
  return exact.replace(/\/(subscribers|confirmed|logs)\/[^/]+$/, '/$1/*')
}

test('sync uses only calls of the specification, and a server with only those gets lists, fields, people and imports', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startFaultProxy(there.app.baseUrl)
  // The server knows nothing of the supplement, nor of our extensions.
  proxy.hidesExtensions = true
  proxy.faultOf = (request) => (callOf(request) in specified ? 'none' : 'unknown')
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl })
  const list = await makeList(here.api, { name: 'Strict', has_format: true })
  await makeField(here.api, list.id, 'City', 'text')
  await importText(
    here.api,
    list.id,
    `email\n${Array.from({ length: 300 }, (_, at) => `p${at}@example.com`).join('\n')}`
  )
  await makeSegment(here.api, list.id, { name: 'Segment', other: list.id })
  const contents = [{ name: 'A', subject: 'Hello', format: 'html', html: '<p>Hi</p>', text: '' }]
  await here.api.post(`/mailing_lists/${list.id}/templates`, { campaign: { name: 'Layout', contents } })
  await here.api.post(`/mailing_lists/${list.id}/campaigns`, { campaign: { name: 'News', contents } })
  expect(await runSync(here.api, remoteId)).toMatchObject({
    outcome: 'finished',
    pushed: { subscriber: 300 },
    refused: 0
  })
  await makeSubscriber(here.api, list.id, 'new@example.com', { custom_fields: { City: 'Oslo' } })
  await here.api.put(`/mailing_lists/${list.id}/subscribers/p1@example.com`, {
    subscriber: { status: 'unsubscribed' }
  })
  await here.api.delete(`/mailing_lists/${list.id}/subscribers/p2@example.com`)
  await here.api.put(`/mailing_lists/${list.id}`, { mailing_list: { d_from_name: 'Ada' } })
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 0 })
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true })

  const strangers = new Set(proxy.passed.map(callOf).filter((call) => !(call in specified)))
  // What it asks for and does without.
  expect([...strangers]).toEqual(['GET /suppression_lists'])
  for (const request of proxy.passed) {
    const call = callOf(request)
    const given = Object.keys(request.body ?? {})
    expect(given, call).toEqual(specified[call] ?? [])
    const { searchParams } = new URL(request.path, proxy.baseUrl)
    for (const name of searchParams.keys()) expect(queries).toContain(name)
    const { subscriber } = (request.body ?? {}) as { subscriber?: object }
    for (const key of Object.keys(subscriber ?? {})) expect(subscriberKeys).toContain(key)
  }
})
