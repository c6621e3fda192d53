import { describe, expect, it } from 'vitest'
import { sharedApplication } from '../../support/application.ts'
import { importText, makeAutoresponder, makeList, makeSubscriber } from '../../support/builders.ts'
import { reactionsOf } from '../../support/reactions.ts'

const started = sharedApplication()
const file = 'email,status\nnew@example.com,\nold@example.com,\ngone@example.com,bounced\n'
const columns = { column_mapping: ['email', 'status'], overwrite: true }

/** A list with one subscriber, old@example.com, and three autoresponders. */
async function makeWorld(): Promise<{ listId: number; ids: number[] }> {
  const { id: listId } = await makeList(started.api)
  await makeSubscriber(started.api, listId, 'old@example.com')
  const onSubscription = { trigger: 'subscription' }
  const made = [
    await makeAutoresponder(started.api, listId, 'From imports', {
      ...onSubscription,
      trigger_include_subscribers_from_import: true
    }),
    await makeAutoresponder(started.api, listId, 'Not from imports', onSubscription),
    await makeAutoresponder(started.api, listId, 'By programs')
  ]
  return { listId, ids: made.map(({ id }) => id) }
}

async function queuedBy(listId: number, autoresponders: unknown): Promise<string[]> {
  const { id } = await importText(started.api, listId, file, { ...columns, autoresponders })
  expect(id).toBeGreaterThan(0)
  const { data } = await started.api.get<{ id: number; email: string }[]>(
    `/mailing_lists/${listId}/subscribers`
  )
  const emailOf = new Map(data.map((subscriber) => [subscriber.id, subscriber.email]))
  return reactionsOf(started, listId).map(
    (each) => `${each.autoresponder}: ${emailOf.get(each.subscriber_id)}`
  )
}

describe('an import', () => {
  it('triggers no autoresponder unless it is asked to', async () => {
    const { listId } = await makeWorld()
    expect(await queuedBy(listId, undefined)).toEqual([])
  })

  it('autoresponders.subscription.trigger: those flagged for imports run for new subscribers who are active', async () => {
    const { listId } = await makeWorld()
    expect(await queuedBy(listId, { subscription: { trigger: true } })).toEqual([
      'From imports: new@example.com'
    ])
  })

  it('also_trigger_on_updated_subscribers: they run for updated ones too, and mean nothing without trigger', async () => {
    const [first, second] = [await makeWorld(), await makeWorld()]
    const also = { also_trigger_on_updated_subscribers: true }
    expect(await queuedBy(first.listId, { subscription: { trigger: true, ...also } })).toEqual([
      'From imports: new@example.com',
      'From imports: old@example.com'
    ])
    expect(await queuedBy(second.listId, { subscription: also })).toEqual([])
  })

  it('autoresponders.api names one for new and one for updated subscribers, by name in any case', async () => {
    const { listId } = await makeWorld()
    const api = { trigger_new: { name: 'BY programs' }, trigger_updated: { name: 'From Imports' } }
    expect(await queuedBy(listId, { api })).toEqual([
      'By programs: new@example.com',
      'From imports: old@example.com'
    ])
  })

  it('with id and name both given the id wins, and the answer has both', async () => {
    const { listId, ids } = await makeWorld()
    const answer = await importText(started.api, listId, file, {
      ...columns,
      autoresponders: { api: { trigger_new: { id: ids[2], name: 'From imports' } } }
    })
    expect(answer.autoresponders).toEqual({
      subscription: { trigger: false, also_trigger_on_updated_subscribers: false },
      api: { trigger_new: { id: ids[2], name: 'By programs' }, trigger_updated: null }
    })
  })

  it.each([
    [
      { api: { trigger_new: { id: 999999 } } },
      /autoresponders\.api\.trigger_new: autoresponder 999999 is not on/
    ],
    [
      { api: { trigger_updated: { name: 'Nobody' } } },
      /autoresponders\.api\.trigger_updated: autoresponder "Nobody"/
    ]
  ])('refuses %j', async (autoresponders, message) => {
    const { listId } = await makeWorld()
    const answer = await started.api.post(`/mailing_lists/${listId}/subscriber_imports`, {
      subscriber_import: { ...columns, autoresponders, file_source: { type: 'json', content: file } }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })
})
