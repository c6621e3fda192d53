import { expect, it } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { importFile, makeField, makeList } from '../support/builders.ts'
import { SessionClient } from '../support/session-client.ts'

const started = sharedApplication()

async function signedInWindow(): Promise<SessionClient> {
  const window = new SessionClient(started.app)
  await window.openLink(started.app.interfaceUrl())
  return window
}

it('a window gets refusals as data beside their sentence', async () => {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'City', 'text', { maximum_length: 3 })
  const window = await signedInWindow()

  const refused = await window.call('POST', `/ga/api/v2/mailing_lists/${list.id}/subscribers`, {
    subscriber: { email: 'x', status: 'active', custom_fields: { City: 'Vienna' } }
  })

  expect(refused).toMatchObject({
    success: false,
    error_message: 'email is not a valid email address: "x", City must be at most 3 characters',
    faults: [
      { field: 'email', rule: 'email_address', params: { email: 'x' } },
      { field: 'City', rule: 'maximum_length', params: { most: 3 } }
    ]
  })
})

it('a window that is not signed in gets the refusal of its sign-in as data', async () => {
  const window = new SessionClient(started.app)

  const refused = await window.signIn('nobody@example.com', 'wrong')

  expect(refused).toMatchObject({ faults: [{ rule: 'sign_in', params: { failures: 5 } }] })
})

it('a program with an API key gets the sentence alone', async () => {
  const refused = await started.api.post('/mailing_lists', { mailing_list: { name: '' } })

  expect(refused.error_message).toBe('name cannot be blank')
  expect(refused).not.toHaveProperty('faults')
})

it('a window gets why an import failed as data, and a program the sentence alone', async () => {
  const list = await makeList(started.api)
  const { id } = await importFile(started, list.id, 'email\n"a@example.com\n')
  const window = await signedInWindow()
  const path = `/ga/api/v2/subscriber_imports/${id}`

  const { data: shown } = await window.call<SubscriberImport>('GET', path)
  const { data: forProgram } = await started.api.get<SubscriberImport>(`/subscriber_imports/${id}`)

  const sentence = 'Line 2: a " is opened here and never closed'
  const fault = { rule: 'enclosure_not_closed', params: { enclosure: '"' } }
  expect(shown).toMatchObject({
    error_message: sentence,
    fault: { rule: 'line', params: { line: 2, fault } }
  })
  expect(forProgram.error_message).toBe(sentence)
  expect(forProgram).not.toHaveProperty('fault')
})
