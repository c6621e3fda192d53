import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../../src-main/api/autoresponders/schema.ts'
import type { Subscriber, TriggerResult } from '../../../src-main/api/subscribers/schema.ts'
import { clientOfUser } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import {
  allSubscribers,
  importText,
  makeAutoresponder,
  makeField,
  makeList,
  makeSubscriber
} from '../../support/builders.ts'
import { reactionsOf } from '../../support/reactions.ts'

const started = sharedApplication()

interface World {
  listId: number
  ids: number[]
  trigger: (
    subscriber: string | number,
    body: Record<string, unknown>
  ) => ReturnType<typeof started.api.post<TriggerResult>>
}

async function makeWorld(): Promise<World> {
  const list = await makeList(started.api)
  for (const name of ['City', 'Note']) await makeField(started.api, list.id, name, 'text')
  const ids: number[] = []
  for (const name of ['Hello', 'Help']) ids.push((await makeAutoresponder(started.api, list.id, name)).id)
  const welcome = { trigger: 'subscription', trigger_run_on_api: true }
  ids.push((await makeAutoresponder(started.api, list.id, 'Welcome', welcome)).id)
  return {
    listId: list.id,
    ids,
    trigger: (subscriber, body) =>
      started.api.post<TriggerResult>(
        `/mailing_lists/${list.id}/subscribers/${encodeURIComponent(subscriber)}/trigger_autoresponders`,
        body
      )
  }
}

const subscribe = (listId: number, status = 'active'): Promise<Subscriber> =>
  makeSubscriber(started.api, listId, 'a@example.com', { status, skip_autoresponders: true })
const queued = (listId: number): string[] => reactionsOf(started, listId).map((each) => each.autoresponder)

describe('the autoresponders', () => {
  it.each([
    [{ autoresponder_names: ['hel*'] }, ['Hello', 'Help']],
    [{ autoresponder_names: ['HELLO'] }, ['Hello']],
    [{ autoresponder_names: ['*lo', 'Help', 'Hello'] }, ['Hello', 'Help']],
    [{ autoresponder_names: ['Welcome'] }, ['Welcome']]
  ])('named by %j are triggered once each, whatever their own trigger', async (body, names) => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const { data } = await trigger(id, body)
    expect(data.triggered_autoresponders.map(({ name }) => name)).toEqual(names)
    expect(queued(listId)).toEqual(names)
  })

  it('are named by autoresponder_ids as well', async () => {
    const { listId, ids, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const { data } = await trigger(id, { autoresponder_ids: [ids[1]] })
    expect(data.triggered_autoresponders).toEqual([{ id: ids[1], name: 'Help' }])
  })

  it('are queued for the time of their delay', async () => {
    const { listId, trigger } = await makeWorld()
    const delayed = { delay: 'with_delay', delay_amount: 90, delay_unit: 'minutes' }
    await makeAutoresponder(started.api, listId, 'Later', delayed)
    const nextDay = { delay: 'with_delay', delay_amount: 1, delay_unit: 'days', delay_time: 8 }
    await makeAutoresponder(started.api, listId, 'Tomorrow', nextDay)
    const { id } = await subscribe(listId)
    await trigger(id, { autoresponder_names: ['Hello', 'Later', 'Tomorrow'] })
    const [now, later, tomorrow] = reactionsOf(started, listId)
    expect(now?.due_at).toBe(now?.created_at)
    expect((later?.due_at ?? 0) - (later?.created_at ?? 0)).toBe(90 * 60_000)
    const day = new Date((tomorrow?.created_at ?? 0) + 24 * 60 * 60_000).toISOString().slice(0, 10)
    expect(new Date(tomorrow?.due_at ?? 0).toISOString()).toBe(`${day}T08:00:00.000Z`)
  })

  it.each([
    ['neither names nor ids', {}, /^autoresponder_names or autoresponder_ids cannot be blank$/],
    ['both', { autoresponder_names: ['Hello'], autoresponder_ids: [1] }, /must not be given together$/],
    [
      'a name that none has',
      { autoresponder_names: ['Nobody*'] },
      /no autoresponder of this list is named "Nobody\*"$/
    ],
    ['an id of another list', { autoresponder_ids: [999999] }, /autoresponder 999999 is not on this list$/]
  ])('%s is refused with validation_failed', async (_what, body, message) => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const answer = await trigger(id, body)
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })
})

describe('the subscriber', () => {
  const names = { autoresponder_names: ['Hello'] }

  it('who is active remains active', async () => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    expect((await trigger('A@Example.com', names)).data).toMatchObject({
      subscription_result: 'remained_active',
      subscriber: { id, status: 'active' }
    })
  })

  it.each(['bounced', 'unsubscribed', 'scomp', 'deactivated'])(
    'who is %s gives invalid_request without reactivate_subscriber, and is reactivated with it',
    async (status) => {
      const { listId, trigger } = await makeWorld()
      const { id } = await subscribe(listId, status)
      expect(await trigger(id, names)).toMatchObject({ success: false, error_code: 'invalid_request' })
      expect((await allSubscribers(started.api, listId))[0]?.status).toBe(status)
      expect(queued(listId)).toEqual([])
      const { data } = await trigger(id, { ...names, reactivate_subscriber: true })
      expect(data).toMatchObject({ subscription_result: 'reactivated', subscriber: { id, status: 'active' } })
      expect(queued(listId)).toEqual(['Hello'])
    }
  )

  it('who is missing is created with create_missing_subscriber, and not_found without', async () => {
    const { listId, trigger } = await makeWorld()
    expect(await trigger('new@example.com', names)).toMatchObject({ error_code: 'not_found' })
    const { data } = await trigger('new@example.com', { ...names, create_missing_subscriber: true })
    expect(data).toMatchObject({
      subscription_result: 'created',
      subscriber: { email: 'new@example.com', status: 'active' }
    })
    expect(await allSubscribers(started.api, listId)).toEqual([data.subscriber])
  })

  it('who is created runs the autoresponders of new subscribers, unless skip_subscription_autoresponders', async () => {
    const { listId, trigger } = await makeWorld()
    const created = { ...names, create_missing_subscriber: true }
    const { data } = await trigger('new@example.com', created)
    expect(data.triggered_autoresponders.map(({ name }) => name)).toEqual(['Hello', 'Welcome'])
    await trigger('b@example.com', { ...created, skip_subscription_autoresponders: true })
    expect(queued(listId)).toEqual(['Hello', 'Welcome', 'Hello'])
  })

  it('by a number that is not on the list is not_found, even with create_missing_subscriber', async () => {
    const { trigger } = await makeWorld()
    const answer = await trigger(999999, { ...names, create_missing_subscriber: true })
    expect(answer).toMatchObject({ success: false, error_code: 'not_found' })
  })

  it('by an invalid email is refused with validation_failed', async () => {
    const { trigger } = await makeWorld()
    const answer = await trigger('nobody', { ...names, create_missing_subscriber: true })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
  })

  it('by an email that several share gives multiple_records_found', async () => {
    const { listId, trigger } = await makeWorld()
    const { data: fields } = await started.api.get<{ id: number; name: string }[]>(
      `/mailing_lists/${listId}/custom_fields?name=City`
    )
    await started.api.put(`/mailing_lists/${listId}`, {
      mailing_list: { primary_key_custom_field_id: fields[0]?.id }
    })
    for (const City of ['Bern', 'Basel']) {
      await makeSubscriber(started.api, listId, 'a@example.com', { custom_fields: { City } })
    }
    expect(await trigger('a@example.com', names)).toMatchObject({ error_code: 'multiple_records_found' })
  })

  it('is created only by a user who may create subscribers', async () => {
    const { listId } = await makeWorld()
    const updater = await clientOfUser(started, { permissions: { subscriber: ['update'] } })
    const answer = await updater.post(
      `/mailing_lists/${listId}/subscribers/new%40example.com/trigger_autoresponders`,
      { ...names, create_missing_subscriber: true }
    )
    expect(answer).toMatchObject({ status: 403, error_code: 'not_authorized' })
  })
})

describe('custom_fields', () => {
  const custom_fields = {
    for_all: { City: 'all', Note: 'all' },
    for_new: { City: 'new' },
    for_active: { City: 'active' },
    for_reactivated: { City: 'reactivated' }
  }
  it.each([
    ['created', null, 'new'],
    ['remained_active', 'active', 'active'],
    ['reactivated', 'unsubscribed', 'reactivated']
  ])('of a subscriber who is %s: the more specific hash wins over for_all', async (result, status, city) => {
    const { listId, trigger } = await makeWorld()
    if (status !== null) await subscribe(listId, status)
    const { data } = await trigger('a@example.com', {
      autoresponder_names: ['Hello'],
      create_missing_subscriber: true,
      reactivate_subscriber: true,
      custom_fields
    })
    expect(data).toMatchObject({
      subscription_result: result,
      subscriber: { custom_fields: { City: { value: city }, Note: { value: 'all' } } }
    })
  })

  it('that are wrong refuse the whole request: no autoresponder is triggered and no subscriber created', async () => {
    const { listId, trigger } = await makeWorld()
    const answer = await trigger('a@example.com', {
      autoresponder_names: ['Hello'],
      create_missing_subscriber: true,
      custom_fields: { for_new: { Shoe: 1 } }
    })
    expect(answer).toMatchObject({
      error_code: 'validation_failed',
      error_message: expect.stringContaining('Shoe') as string
    })
    expect(queued(listId)).toEqual([])
    expect(await allSubscribers(started.api, listId)).toEqual([])
  })
})

describe('content_replacement_fields', () => {
  it('are stored only with the messages that the request triggered', async () => {
    const { listId, trigger } = await makeWorld()
    await trigger('a@example.com', {
      autoresponder_names: ['Hello'],
      create_missing_subscriber: true,
      content_replacement_fields: { 'Order Number': '7', Total: '12.50' }
    })
    expect(reactionsOf(started, listId)).toMatchObject([
      { autoresponder: 'Hello', content_replacement_fields: { 'Order Number': '7', Total: '12.50' } },
      { autoresponder: 'Welcome', content_replacement_fields: {} }
    ])
  })

  it.each([
    ['is blank', { ' ': 'x' }],
    ['has no letter or digit', { '--': 'x' }],
    ['is longer than 50 characters', { ['a'.repeat(51)]: 'x' }],
    ['is there twice, whatever the case', { Total: 'x', TOTAL: 'y' }],
    ['is there twice, once with an underscore for white space', { 'Order Number': 'x', order_number: 'y' }]
  ])('with a key that %s give invalid_request', async (_what, fields) => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const answer = await trigger(id, { autoresponder_names: ['*'], content_replacement_fields: fields })
    expect(answer).toMatchObject({ success: false, error_code: 'invalid_request' })
    expect(answer.error_message).toMatch(/^content_replacement_fields: /)
    expect(queued(listId)).toEqual([])
  })

  it('with a key of 50 characters are taken', async () => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const content_replacement_fields = { ['a'.repeat(50)]: 'x' }
    expect((await trigger(id, { autoresponder_names: ['*'], content_replacement_fields })).success).toBe(true)
  })

  it('with a value that is not a text are refused', async () => {
    const { listId, trigger } = await makeWorld()
    const { id } = await subscribe(listId)
    const answer = await trigger(id, {
      autoresponder_names: ['*'],
      content_replacement_fields: { Total: { amount: 7 } }
    })
    expect(answer).toMatchObject({ error_code: 'validation_failed' })
  })
})

it('triggered_on is when an autoresponder last queued a message, for one subscriber or for those of an import', async () => {
  const { listId, ids, trigger } = await makeWorld()
  const { id } = await subscribe(listId)
  const triggered = async (): Promise<boolean[]> => {
    const { data } = await started.api.get<Autoresponder[]>(`/mailing_lists/${listId}/autoresponders`)
    return data.map(({ triggered_on }) => triggered_on !== null)
  }
  expect(await triggered()).toEqual([false, false, false])

  await trigger(id, { autoresponder_ids: [ids[0]] })
  expect(await triggered()).toEqual([true, false, false])

  // No subscriber of this import is active.
  const settings = {
    column_mapping: ['email', 'status'],
    autoresponders: { api: { trigger_new: { id: ids[1] } } }
  }
  await importText(started.api, listId, 'email,status\nb@example.com,bounced\n', settings)
  expect(await triggered()).toEqual([true, false, false])

  await importText(started.api, listId, 'email,status\nc@example.com,\n', settings)
  expect(await triggered()).toEqual([true, true, false])
})
