import { expect, test } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { importText, makeField, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { startApplication } from '../support/application.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { addRemote, runSync, type SyncedPair, startPair, verifySync } from '../support/sync.ts'

// Rules about people and lists that are easily broken where both sides change between two runs.

interface Lists {
  mine: MailingList
  theirs: number
}

async function mirrored(
  { here, there, remoteId }: SyncedPair,
  names: readonly string[],
  settings: Record<string, unknown> = {}
): Promise<Lists> {
  const mine = await makeList(here.api, { name: 'People', ...settings })
  for (const name of names) {
    const subscriber = { subscribe_time: '2020-01-01T00:00:00Z' }
    await makeSubscriber(here.api, mine.id, `${name}@example.com`, subscriber)
  }
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 0 })
  const { data } = await there.api.get<MailingList[]>('/mailing_lists')
  return { mine, theirs: data[0]?.id ?? 0 }
}

async function people(api: Client, listId: number): Promise<Map<string, Subscriber>> {
  const { data } = await api.get<Subscriber[]>(`/mailing_lists/${listId}/subscribers?per_page=500`)
  return new Map(data.map((person) => [person.email.replace('@example.com', ''), person]))
}

const put = (api: Client, listId: number, name: string, subscriber: object) =>
  api.put(`/mailing_lists/${listId}/subscribers/${name}@example.com`, { subscriber })
const remove = (api: Client, listId: number, name: string) =>
  api.delete(`/mailing_lists/${listId}/subscribers/${name}@example.com`)
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)

test.each(['mirror', 'both'] as const)(
  'a subscriber deleted and added again exists once on both sides: %s',
  async (direction) => {
    const pair = await startPair({ direction })
    const { here, there, remoteId } = pair
    const { mine, theirs } = await mirrored(pair, ['same', 'other'])
    for (const [name, subscribe_time] of [
      ['same', '2020-01-01T00:00:00Z'],
      ['other', '2021-01-01T00:00:00Z']
    ] as const) {
      await remove(here.api, mine.id, name)
      await makeSubscriber(here.api, mine.id, `${name}@example.com`, { subscribe_time })
    }
    await runSync(here.api, remoteId)
    for (const [api, listId] of [
      [here.api, mine.id],
      [there.api, theirs]
    ] as const) {
      expect([...(await people(api, listId)).keys()].sort()).toEqual(['other', 'same'])
    }
    expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
  }
)

test('subscribers sent by an import are matched later, even if their email changed on either side', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, numbered(250))
  await put(here.api, mine.id, 'p5', { email: 'new5@example.com' })
  await put(there.api, theirs, 'p7', { email: 'new7@example.com', status: 'unsubscribed' })
  await remove(there.api, theirs, 'p9')
  await runSync(here.api, remoteId)
  const found = await people(here.api, mine.id)
  expect([found.has('p5'), found.has('p7'), found.has('p9')]).toEqual([false, false, false])
  expect([found.has('new5'), found.get('new7')?.status]).toEqual([true, 'unsubscribed'])
  expect(found.size).toBe(249)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test.each([
  { hidesExtensions: false, reads: 'are not read again: the remote tells the ids that its import gave' },
  { hidesExtensions: true, reads: 'are read again for their ids if the remote does not tell these' }
])('subscribers sent by an import $reads', async ({ hidesExtensions }) => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = Object.assign(await startFaultProxy(there.app.baseUrl), { hidesExtensions })
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl })
  const list = await makeList(here.api, { name: 'People' })
  const emails = numbered(300).map((name) => `${name}@example.com`)
  await importText(here.api, list.id, ['email', ...emails].join('\n'))

  await runSync(here.api, remoteId)

  const imported = proxy.passed.findLastIndex(
    ({ path }) => path.endsWith('/added_ids') || path.includes('/subscriber_imports/')
  )
  const pagesAfter = proxy.passed.slice(imported).filter(({ path }) => /\/subscribers\?/.test(path))
  expect(pagesAfter.length > 0).toBe(hidesExtensions)
  await put(here.api, list.id, 'p5', { email: 'new5@example.com' })
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 0 })
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('ids that the remote gives to several subscribers of an import are not believed', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startFaultProxy(there.app.baseUrl)
  proxy.faultOf = ({ path }) => (path.endsWith('/added_ids') ? 'same id' : 'none')
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl })
  const list = await makeList(here.api, { name: 'People' })
  const emails = numbered(300).map((name) => `${name}@example.com`)
  await importText(here.api, list.id, ['email', ...emails].join('\n'))
  await runSync(here.api, remoteId)
  await put(here.api, list.id, 'p5', { email: 'new5@example.com' })

  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 0 })

  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('if a list is emptied on the remote after an import, sync asks', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, numbered(210))
  for (const name of numbered(210)) await remove(there.api, theirs, name)
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'asking', remote: { question: 'gone' } })
  expect((await people(here.api, mine.id)).size).toBe(210)
})

test('a subscriber deleted on the remote and changed here is sent again, and stays', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, ['a', 'b', 'c'])
  await makeField(here.api, mine.id, 'City', 'text')
  await remove(there.api, theirs, 'b')
  await put(here.api, mine.id, 'b', { custom_fields: { City: 'Oslo' } })
  await runSync(here.api, remoteId)
  await runSync(here.api, remoteId)
  expect((await people(here.api, mine.id)).get('b')?.custom_fields['City']?.value).toBe('Oslo')
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test("an unsubscription is sent even if the subscriber's other values are refused", async () => {
  const pair = await startPair({ direction: 'mirror' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, ['x', 'y'])
  await makeSubscriber(there.api, theirs, 'taken@example.com')
  await put(here.api, mine.id, 'x', { email: 'taken@example.com' })
  await put(there.api, theirs, 'x', { status: 'unsubscribed' })
  await put(here.api, mine.id, 'y', { email: 'taken2@example.com', status: 'unsubscribed' })
  await makeSubscriber(there.api, theirs, 'taken2@example.com')
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 2 })
  expect((await people(here.api, mine.id)).get('taken')?.status).toBe('unsubscribed')
  expect((await people(there.api, theirs)).get('y')?.status).toBe('unsubscribed')
})

test('a confirmed subscriber stays confirmed, also when sent by an import', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, remoteId } = pair
  const mine = await makeList(here.api, { name: 'Confirmed', has_confirmed: true })
  for (const name of numbered(250)) {
    await makeSubscriber(here.api, mine.id, `${name}@example.com`, { confirmed: name === 'p3' })
  }
  await runSync(here.api, remoteId)
  expect((await people(here.api, mine.id)).get('p3')?.confirmed).toBe(true)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('lists with different primary keys are reported, and block no other list', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const theirs = await makeList(there.api, { name: 'Keyed' })
  const field = await makeField(there.api, theirs.id, 'No', 'number')
  await there.api.put(`/mailing_lists/${theirs.id}`, {
    mailing_list: { primary_key_custom_field_id: field.id }
  })
  for (const No of [1, 2])
    await makeSubscriber(there.api, theirs.id, 'same@example.com', { custom_fields: { No } })
  const other = await makeList(here.api, { name: 'Other' })
  await makeSubscriber(here.api, other.id, 'a@example.com')
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', pushed: { subscriber: 1 } })
  const { data } = await here.api.workbench<{ message: string }[]>('GET', `/remotes/${remoteId}/refusals`)
  expect(data).toMatchObject([{ message: expect.stringContaining('different primary keys') as string }])
})

test('a draft is not pushed to the server if its segment cannot be created there', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, ['a'])
  const clause = [{ type: 'email', operator: 'contains', value: 'vip' }]
  const { data: segment } = await here.api.workbench<{ id: number }>(
    'POST',
    `/mailing_lists/${mine.id}/segments`,
    {
      name: 'VIP',
      clause
    }
  )
  const contents = [{ name: 'A', subject: 'Hello', format: 'html', html: '<p>Hi</p>', text: '' }]
  const campaign = { name: 'For some', contents, segmentation_criteria_id: segment.id }
  await here.api.post(`/mailing_lists/${mine.id}/campaigns`, { campaign })
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 2 })
  expect((await there.api.get<unknown[]>(`/mailing_lists/${theirs}/campaigns`)).data).toEqual([])
})

test('a campaign set back to the whole list is so on both sides', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, ['a'])
  const segment = await makeSegment(here.api, mine.id, { name: 'Segment', other: mine.id })
  const { data: draft } = await here.api.post<CampaignDetail>(`/mailing_lists/${mine.id}/campaigns`, {
    campaign: { name: 'News', segmentation_criteria_id: segment.id }
  })
  await runSync(here.api, remoteId)
  await here.api.put(`/campaigns/${draft.id}`, { campaign: { segmentation_criteria_id: null } })
  await runSync(here.api, remoteId)
  await runSync(here.api, remoteId)
  expect(
    (await here.api.get<CampaignDetail>(`/campaigns/${draft.id}`)).data.segmentation_criteria_id
  ).toBeNull()
  const { data } = await there.api.get<CampaignDetail[]>(`/mailing_lists/${theirs}/campaigns`)
  expect(data[0]?.segmentation_criteria_id).toBeNull()
})

test('an answer about one list does not apply to others', async () => {
  const pair = await startPair()
  const { here, there, remoteId } = pair
  const [one, two] = [await makeList(here.api, { name: 'One' }), await makeList(here.api, { name: 'Two' })]
  for (const list of [one, two]) {
    for (const name of numbered(20)) await makeSubscriber(here.api, list.id, `${name}@example.com`)
  }
  await runSync(here.api, remoteId)
  const { data: lists } = await there.api.get<MailingList[]>('/mailing_lists')
  for (const { id } of lists) for (const name of numbered(20)) await remove(there.api, id, name)
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'asking' })
  await here.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'remove_here' })
  await expect
    .poll(async () => {
      const { data } = await here.api.workbench<{ state: string; message: string }>(
        'GET',
        `/remotes/${remoteId}`
      )
      return `${data.state}: ${data.message}`
    })
    .toContain('asking: 20 of the 20 subscribers of "Two"')
  expect([(await people(here.api, one.id)).size, (await people(here.api, two.id)).size]).toEqual([0, 20])
})

test('a remote that is retried later is still retried after it was renamed', async () => {
  const { here, there, remoteId } = await startPair()
  await there.app.close()
  const { remote } = await runSync(here.api, remoteId)
  const { data } = await here.api.workbench<{ next_run_at: string }>('PUT', `/remotes/${remoteId}`, {
    name: 'Other'
  })
  expect(data.next_run_at).toBe(remote.next_run_at)
})

test('a refused subscriber stays listed until it changes, is not read again, and is unsubscribed anyway', async () => {
  const pair = await startPair({ direction: 'both' })
  const { here, there, remoteId } = pair
  const { mine, theirs } = await mirrored(pair, numbered(30))
  await makeField(here.api, mine.id, 'City', 'text')
  const idle = await runSync(here.api, remoteId)
  const theirField = `/mailing_lists/${theirs}/custom_fields`
  const { data: fields } = await there.api.get<{ id: number }[]>(theirField)
  await there.api.put(`${theirField}/${fields[0]?.id}`, { custom_field: { maximum_length: 5 } })
  for (const name of numbered(30))
    await put(here.api, mine.id, name, { custom_fields: { City: 'Copenhagen' } })
  const listed = async () => {
    const path = `/remotes/${remoteId}/refusals?per_page=100`
    return (await here.api.workbench<{ name: string; message: string }[]>('GET', path)).data
  }
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 30 })
  const again = await runSync(here.api, remoteId)
  expect(again).toMatchObject({ refused: 0, pushed: {} })
  expect(again.requests).toBeLessThanOrEqual(idle.requests)

  // Their unsubscription is sent, whatever else of them is refused, and again where the server takes it back.
  await put(here.api, mine.id, 'p1', { status: 'unsubscribed' })
  await runSync(here.api, remoteId)
  expect((await people(there.api, theirs)).get('p1')).toMatchObject({ status: 'unsubscribed' })
  await put(there.api, theirs, 'p1', { status: 'active' })
  await runSync(here.api, remoteId)
  expect((await people(there.api, theirs)).get('p1')).toMatchObject({ status: 'unsubscribed' })
  expect((await listed()).map(({ name }) => name)).toContain('p1@example.com')
  expect((await runSync(here.api, remoteId)).refused).toBe(0)
})

test("new subscribers that the server's import refuses are listed with the reason alone", async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both', conflicts: 'remote' })
  const mine = await makeList(here.api, { name: 'People' })
  await makeField(here.api, mine.id, 'City', 'text')
  const theirs = await makeList(there.api, { name: 'People' })
  await makeField(there.api, theirs.id, 'City', 'text', { maximum_length: 5 })
  const rows = numbered(250).map((name) => `${name}@example.com,${name === 'p7' ? 'Copenhagen' : 'Oslo'}`)
  await importText(here.api, mine.id, rows.join('\n'), {
    column_mapping: ['email', 'City'],
    file_format: { csv_has_headers: false }
  })
  expect(await runSync(here.api, remoteId)).toMatchObject({ refused: 1, pushed: { subscriber: 249 } })
  const { data } = await here.api.workbench('GET', `/remotes/${remoteId}/refusals`)
  expect(data).toMatchObject([{ name: 'p7@example.com', message: 'City must be at most 5 characters' }])
})
