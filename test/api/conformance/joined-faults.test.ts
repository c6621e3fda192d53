import { expect, it } from 'vitest'
import { sharedApplication } from '../../support/application.ts'
import { makeField, makeList, makeSubscriber } from '../../support/builders.ts'

const started = sharedApplication()

it('the faults of a subscriber that its form and its list refuse are named together', async () => {
  const { api } = started
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text', { required: true, maximum_length: 3 })
  const path = `/mailing_lists/${list.id}/subscribers`
  const refused = async (subscriber: object): Promise<string | null> =>
    (await api.post(path, { subscriber })).error_message

  expect(await refused({ email: 'not an address', status: 'wrong' })).toBe(
    'status must be one of active, bounced, unsubscribed, scomp, deactivated, ' +
      'email is not a valid email address: "not an address", City cannot be blank'
  )
  expect(
    await refused({ email: 'x', status: 'wrong', custom_fields: { City: 'Vienna', Town: 'x' } })
  ).toMatch(
    /^status must be one of .*, email is not .*, City .* 3 .*, custom_fields\.Town is no custom field of this list/
  )
  // A missing field is named once, beside the faults of those that are there.
  expect(await refused({ email: 'a@example.com', custom_fields: { City: 'Ulm' } })).toBe(
    'status cannot be blank'
  )
  expect(await refused({ email: 'x', custom_fields: { City: 'Vienna' } })).toBe(
    'status cannot be blank, email is not a valid email address: "x", City must be at most 3 characters'
  )
  const people = await api.get<unknown[]>(path)
  expect(people.data).toEqual([])
})

it('the faults of an update are named together, and change nothing', async () => {
  const { api } = started
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const path = `/mailing_lists/${list.id}/subscribers/a@example.com`
  const answer = await api.put(path, { subscriber: { status: 'gone', email: 'b', subscribe_ip: 'x' } })
  expect(answer.error_message).toMatch(
    /^status must be one of .*, email is not a valid email address: "b", subscribe_ip must be an IP address/
  )
  const { data } = await api.get<{ status: string }[]>(`/mailing_lists/${list.id}/subscribers`)
  expect(data.map(({ status }) => status)).toEqual(['active'])
})

it('all faults of a list are named together', async () => {
  const { api } = started
  const answer = await api.post('/mailing_lists', {
    mailing_list: { name: 'Faulty', d_speed: 'fast', d_from_email: 'nobody', d_reply_to: '@' }
  })
  expect(answer.error_message).toMatch(
    /^d_speed must be an integer, d_from_email is not a valid email address.*, d_reply_to is not a valid email address/
  )
  const { data } = await api.get<{ name: string }[]>('/mailing_lists')
  expect(data.filter(({ name }) => name === 'Faulty')).toEqual([])
})

it('a required text that contains only spaces counts as blank', async () => {
  const { api } = started
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text', { required: true })
  const path = `/mailing_lists/${list.id}/subscribers`
  const subscriber = { email: 'a@example.com', status: 'active', custom_fields: { City: ' \t' } }
  expect((await api.post(path, { subscriber })).error_message).toBe('City cannot be blank')
})

it('a choice named like a property of every JavaScript object is refused like any other', async () => {
  const { api } = started
  const list = await makeList(api)
  const answer = await api.post(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: { columns: ['email'], file_format: { csv_field_separator: 'constructor' } }
  })
  expect(answer.error_message).toMatch(/csv_field_separator must be one of/)
})
