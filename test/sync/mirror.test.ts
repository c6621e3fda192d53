import { expect, test } from 'vitest'
import type { CampaignSummary } from '../../src-main/api/campaigns/schema.ts'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { CampaignThere, Conflict } from '../../src-main/sync/schema.ts'
import {
  deleteList,
  importText,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { endOfRun, runSync, startPair, verifySync } from '../support/sync.ts'

async function listNamed(api: Client, name: string): Promise<MailingList> {
  const { data } = await api.get<MailingList[]>('/mailing_lists')
  const list = data.find((each) => each.name === name)
  if (!list) throw new Error(`no list ${name}`)
  return list
}

async function people(api: Client, listId: number): Promise<Record<string, Subscriber>> {
  const { data } = await api.get<Subscriber[]>(`/mailing_lists/${listId}/subscribers?per_page=500`)
  return Object.fromEntries(data.map((each) => [each.email, each]))
}

test('a list is mirrored with its fields and its people, and nothing is sent twice', async () => {
  const { here, there, remoteId } = await startPair()
  const list = await makeList(here.api, { name: 'Readers', has_format: true, d_from_name: 'Ada' })
  await makeField(here.api, list.id, 'City', 'text')
  await makeField(here.api, list.id, 'Plan', 'select_single_dropdown', {
    options: [{ name: 'Free' }, { name: 'Paid' }]
  })
  await makeField(here.api, list.id, 'Likes', 'select_multiple_checkboxes', {
    options: [{ name: 'Tea' }, { name: 'Coffee; black' }]
  })
  await makeField(here.api, list.id, 'Born', 'date')
  await makeField(here.api, list.id, 'Birthday', 'day_of_year')
  await makeField(here.api, list.id, 'Points', 'number')
  await makeField(here.api, list.id, 'VIP', 'boolean')
  await makeSubscriber(here.api, list.id, 'Ada@Example.com', {
    subscribe_ip: '192.0.2.1',
    subscribe_time: '2020-01-02T03:04:05Z',
    custom_fields: {
      City: 'London, "old"\u00e9',
      Plan: 'Paid',
      Likes: ['Coffee; black', 'Tea'],
      Born: '1815-12-10',
      Birthday: '02-29',
      Points: -7,
      VIP: false
    }
  })
  await makeSubscriber(here.api, list.id, 'gone@example.com', { status: 'unsubscribed' })

  const first = await runSync(here.api, remoteId)
  expect(first).toMatchObject({
    outcome: 'finished',
    pushed: { mailing_list: 1, custom_field: 7, subscriber: 2 },
    refused: 0,
    conflicts: 0
  })
  const copy = await listNamed(there.api, 'Readers')
  expect(copy).toMatchObject({ has_format: true, d_from_name: 'Ada' })
  const mine = await people(here.api, list.id)
  const theirs = await people(there.api, copy.id)
  for (const [
    email,
    { id: _, mailing_list_id: __, created_at: ___, created_at_epoch: ____, ...rest }
  ] of Object.entries(mine)) {
    expect(theirs[email]).toMatchObject(rest)
  }
  expect(await verifySync(here.api, remoteId)).toEqual({
    equal: true,
    differences: [],
    number_of_differences: 0
  })

  const second = await runSync(here.api, remoteId)
  expect(second).toMatchObject({ outcome: 'finished', pushed: {}, pulled: {}, refused: 0, conflicts: 0 })
})

test('a thousand new people are sent by imports of the remote', async () => {
  const { here, remoteId } = await startPair()
  const list = await makeList(here.api, { name: 'Many', has_format: true })
  await makeField(here.api, list.id, 'Likes', 'select_multiple_checkboxes', {
    options: [{ name: 'Tea' }, { name: 'Coffee; black' }]
  })
  await makeField(here.api, list.id, 'Birthday', 'day_of_year')
  const rows = Array.from({ length: 1000 }, (_, at) =>
    [
      `p${at}@example.com`,
      ['active', 'unsubscribed', 'bounced'][at % 3],
      ['', 'Tea', '"Tea;""Coffee; black"""'][at % 3],
      '2000-02-29',
      ['text', 'html', ''][at % 3]
    ].join(',')
  )
  const { data } = await here.api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: ['email', 'status', 'Likes', 'Birthday', 'email_format'],
      file_source: { type: 'json', content: rows.join('\n') },
      file_format: { csv_has_headers: false }
    }
  })
  expect((await here.api.imported(data.id)).stats.subscribers).toMatchObject({ added: 1000, failed: 0 })
  const run = await runSync(here.api, remoteId)
  expect(run).toMatchObject({ outcome: 'finished', pushed: { subscriber: 1000 }, refused: 0 })
  expect(run.requests).toBeLessThan(40)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
  // More changes than are asked for one by one.
  const many = Array.from({ length: 6000 }, (_, at) => `q${at}@example.com`)
  await importText(here.api, list.id, `email\n${many.join('\n')}`)
  expect(await runSync(here.api, remoteId)).toMatchObject({
    outcome: 'finished',
    pushed: { subscriber: 6000 }
  })
  // Subscribers that were deleted here before their remote ids were known are deleted on the remote.
  await here.api.delete(`/mailing_lists/${list.id}/subscribers/p7@example.com`)
  await runSync(here.api, remoteId)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('with both directions, changes of both sides are merged field by field', async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both', conflicts: 'local' })
  const list = await makeList(here.api, { name: 'Both' })
  await makeField(here.api, list.id, 'City', 'text')
  await makeField(here.api, list.id, 'Name', 'text')
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await makeSubscriber(here.api, list.id, `${name}@example.com`, {
      custom_fields: { City: 'Old', Name: 'Old' }
    })
  }
  await runSync(here.api, remoteId)
  const copy = await listNamed(there.api, 'Both')
  const change = (api: Client, listId: number, name: string, subscriber: object) =>
    api.put(`/mailing_lists/${listId}/subscribers/${name}@example.com`, { subscriber })
  await change(here.api, list.id, 'a', { custom_fields: { City: 'Here' } })
  await change(there.api, copy.id, 'a', { custom_fields: { Name: 'There' } })
  await change(here.api, list.id, 'b', { custom_fields: { City: 'Here' } })
  await change(there.api, copy.id, 'b', { custom_fields: { City: 'There' } })
  await change(there.api, copy.id, 'c', { status: 'unsubscribed' })
  await here.api.delete(`/mailing_lists/${list.id}/subscribers/d@example.com`)
  await there.api.delete(`/mailing_lists/${copy.id}/subscribers/e@example.com`)
  await makeSubscriber(here.api, list.id, 'new-here@example.com')
  await makeSubscriber(there.api, copy.id, 'new-there@example.com', { custom_fields: { City: 'Rome' } })
  await makeList(there.api, { name: 'Theirs' })

  const run = await runSync(here.api, remoteId)
  expect(run).toMatchObject({ outcome: 'finished', conflicts: 1, refused: 0 })
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
  const mine = await people(here.api, list.id)
  expect(Object.keys(mine).sort()).toEqual(
    ['a', 'b', 'c', 'new-here', 'new-there'].map((name) => `${name}@example.com`)
  )
  expect(mine['a@example.com']?.custom_fields).toMatchObject({
    City: { value: 'Here' },
    Name: { value: 'There' }
  })
  expect(mine['b@example.com']?.custom_fields['City']?.value).toBe('Here')
  expect(mine['c@example.com']?.status).toBe('unsubscribed')
  expect(mine['new-there@example.com']?.custom_fields['City']?.value).toBe('Rome')
  const { data: conflicts } = await here.api.workbench<Conflict[]>('GET', `/remotes/${remoteId}/conflicts`)
  expect(conflicts).toMatchObject([
    { name: 'b@example.com', field: 'City', local_value: 'Here', remote_value: 'There', kept: 'local' }
  ])
  // Decided the other way, both get the other value.
  await here.api.workbench('POST', `/remotes/${remoteId}/conflicts/${conflicts[0]?.id ?? 0}/decide`, {
    keep: 'remote'
  })
  await runSync(here.api, remoteId)
  expect((await people(here.api, list.id))['b@example.com']?.custom_fields['City']?.value).toBe('There')
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('sync never reactivates an unsubscribed subscriber, until a user decides so', async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both' })
  const list = await makeList(here.api, { name: 'Removed' })
  await makeSubscriber(here.api, list.id, 'a@example.com', { status: 'unsubscribed' })
  await runSync(here.api, remoteId)
  const copy = await listNamed(there.api, 'Removed')
  await here.api.put(`/mailing_lists/${list.id}/subscribers/a@example.com`, {
    subscriber: { status: 'active' }
  })
  await runSync(here.api, remoteId)
  expect((await people(here.api, list.id))['a@example.com']?.status).toBe('unsubscribed')
  expect((await people(there.api, copy.id))['a@example.com']?.status).toBe('unsubscribed')
  const { data } = await here.api.workbench<Conflict[]>('GET', `/remotes/${remoteId}/conflicts`)
  expect(data).toMatchObject([
    { field: 'status', local_value: 'active', remote_value: 'unsubscribed', kept: 'remote' }
  ])
  await here.api.workbench('POST', `/remotes/${remoteId}/conflicts/${data[0]?.id ?? 0}/decide`, {
    keep: 'local'
  })
  await runSync(here.api, remoteId)
  expect((await people(there.api, copy.id))['a@example.com']?.status).toBe('active')
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true })
})

test('a record that the remote refuses is shown with its message, and holds up no other', async () => {
  const { here, there, remoteId } = await startPair()
  const list = await makeList(here.api, { name: 'Refused' })
  await makeField(here.api, list.id, 'Code', 'text')
  await runSync(here.api, remoteId)
  const copy = await listNamed(there.api, 'Refused')
  const { data: fields } = await there.api.get<CustomField[]>(`/mailing_lists/${copy.id}/custom_fields`)
  await there.api.put(`/custom_fields/${fields[0]?.id ?? 0}`, { custom_field: { maximum_length: 3 } })
  await makeSubscriber(here.api, list.id, 'long@example.com', { custom_fields: { Code: 'abcdef' } })
  await makeSubscriber(here.api, list.id, 'short@example.com', { custom_fields: { Code: 'abc' } })
  await here.api.workbench('PUT', `/remotes/${remoteId}`, { direction: 'both', conflicts: 'remote' })
  const run = await runSync(here.api, remoteId)
  expect(run.outcome).toBe('finished')
  expect(Object.keys(await people(there.api, copy.id))).toContain('short@example.com')
})

test('segments, templates, drafts of campaigns and suppressed addresses are mirrored', async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both' })
  const list = await makeList(here.api, { name: 'All' })
  const other = await makeList(here.api, { name: 'Other' })
  const segment = await makeSegment(here.api, list.id, { name: 'In both', other: other.id })
  const contents = [{ name: 'A', subject: 'Hello', format: 'html', html: '<p>Hi</p>', text: '' }]
  await here.api.post(`/mailing_lists/${list.id}/templates`, { campaign: { name: 'Layout', contents } })
  const { data: draft } = await here.api.post<{ id: number }>(`/mailing_lists/${list.id}/campaigns`, {
    campaign: { name: 'News', contents, segmentation_criteria_id: segment.id }
  })
  const { data: suppression } = await here.api.post<{ id: number }>('/suppression_lists', {
    suppression_list: { name: 'Never', mailing_list_id: list.id }
  })
  await here.api.post(`/suppression_lists/${suppression.id}/suppressed_addresses/create_multiple`, {
    data: ['never@example.com', '@blocked.example']
  })
  const first = await runSync(here.api, remoteId)
  expect(first).toMatchObject({
    outcome: 'finished',
    refused: 0,
    pushed: {
      mailing_list: 2,
      segment: 1,
      template: 1,
      campaign: 1,
      suppression_list: 1,
      suppressed_address: 2
    }
  })
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
  expect((await runSync(here.api, remoteId)).pushed).toEqual({})

  const copy = await listNamed(there.api, 'All')
  const { data: campaigns } = await there.api.get<CampaignSummary[]>(`/mailing_lists/${copy.id}/campaigns`)
  const theirs = campaigns[0]?.id ?? 0
  await there.api.put(`/campaigns/${theirs}`, { campaign: { name: 'News of May' } })
  await makeSegment(there.api, copy.id, {
    name: 'Made there',
    other: (await listNamed(there.api, 'Other')).id
  })
  expect(await runSync(here.api, remoteId)).toMatchObject({
    pulled: { campaign: 1, segment: 1 },
    conflicts: 0
  })
  expect((await here.api.get<{ name: string }>(`/campaigns/${draft.id}`)).data.name).toBe('News of May')
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })

  // Once the remote has sent it, it cannot be changed there, and its figures are shown here.
  await makeSubscriber(there.api, (await listNamed(there.api, 'Other')).id, 'a@example.com')
  await makeSubscriber(there.api, copy.id, 'a@example.com')
  await there.api.put(`/campaigns/${theirs}`, {
    campaign: {
      dispatch_attributes: {
        from_email: 'me@example.com',
        from_name: 'Me',
        begins_at: new Date().toISOString()
      }
    }
  })
  expect((await there.api.sent(theirs)).dispatch?.state).toBe('finished')
  await runSync(here.api, remoteId)
  const { data: sent } = await here.api.workbench<CampaignThere[]>('GET', `/remotes/${remoteId}/campaigns`)
  expect(sent).toMatchObject([{ campaign_id: draft.id, there: { state: 'finished', messages_sent: 1 } }])
  const { data: after } = await there.api.get<CampaignSummary[]>(`/mailing_lists/${copy.id}/campaigns`)
  expect(after.length).toBe(1)
})

test('lists that were not chosen are left alone on both sides', async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both' })
  const one = await makeList(here.api, { name: 'One' })
  const two = await makeList(here.api, { name: 'Two' })
  await runSync(here.api, remoteId)
  const changed = await here.api.workbench('PUT', `/remotes/${remoteId}`, { mailing_list_ids: [one.id] })
  expect(changed.data).toMatchObject({ direction: 'both', mailing_list_ids: [one.id] })
  await makeSubscriber(here.api, two.id, 'two@example.com')
  await makeList(there.api, { name: 'Theirs' })
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', pushed: {}, pulled: {} })
  const { data } = await there.api.get<MailingList[]>('/mailing_lists')
  expect(data.map(({ name }) => name)).toEqual(['One', 'Two', 'Theirs'])
})

test('a list deleted here is deleted on the remote, and the user is asked about a list that was deleted there', async () => {
  const { here, there, remoteId } = await startPair()
  const one = await makeList(here.api, { name: 'One' })
  const two = await makeList(here.api, { name: 'Two' })
  await makeSubscriber(here.api, two.id, 'two@example.com')
  await runSync(here.api, remoteId)
  await deleteList(here.api, one.id)
  await runSync(here.api, remoteId)
  expect((await there.api.get<MailingList[]>('/mailing_lists')).data.map(({ name }) => name)).toEqual(['Two'])
  await deleteList(there.api, (await listNamed(there.api, 'Two')).id)
  const asked = await runSync(here.api, remoteId)
  expect(asked).toMatchObject({ outcome: 'asking', remote: { state: 'asking', question: 'list_gone' } })
  await here.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'send_again' })
  expect(await endOfRun(here.api, remoteId)).toMatchObject({ outcome: 'finished' })
  expect(Object.keys(await people(there.api, (await listNamed(there.api, 'Two')).id))).toEqual([
    'two@example.com'
  ])
})

test.each(['mirror', 'both'] as const)(
  'a list deleted on the remote and restored here is sent again (%s)',
  async (direction) => {
    const { here, there, remoteId } = await startPair({ direction })
    const list = await makeList(here.api, { name: 'One' })
    await makeField(here.api, list.id, 'City', 'text')
    const custom_fields = { City: 'Bern' }
    await makeSubscriber(here.api, list.id, 'a@example.com', { custom_fields })
    await makeSegment(here.api, list.id, { name: 'All', other: list.id })
    await runSync(here.api, remoteId)
    const before = await people(here.api, list.id)
    await deleteList(here.api, list.id)
    await runSync(here.api, remoteId)
    expect((await there.api.get<MailingList[]>('/mailing_lists')).data).toEqual([])
    await here.api.workbench('POST', `/deleted_records/mailing_list/${list.id}/restore`)
    expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished' })
    expect(await people(here.api, list.id)).toEqual(before)
    const copy = await listNamed(there.api, 'One')
    expect(Object.keys(await people(there.api, copy.id))).toEqual(['a@example.com'])
    expect(
      (await there.api.get<{ name: string }[]>(`/mailing_lists/${copy.id}/segments`)).data
    ).toMatchObject([{ name: 'All' }])
  }
)

test.each(['mirror', 'both'] as const)(
  'a field deleted on the remote and restored here is sent again with its values (%s)',
  async (direction) => {
    const { here, there, remoteId } = await startPair({ direction })
    const list = await makeList(here.api, { name: 'One' })
    const field = await makeField(here.api, list.id, 'City', 'text')
    await makeSubscriber(here.api, list.id, 'a@example.com', { custom_fields: { City: 'Bern' } })
    await runSync(here.api, remoteId)
    await here.api.delete(`/mailing_lists/${list.id}/custom_fields/${field.id}`)
    await runSync(here.api, remoteId)
    await here.api.workbench('POST', `/deleted_records/custom_field/${field.id}/restore`)
    expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished' })
    const city = { City: { value: 'Bern' } }
    expect(await people(here.api, list.id)).toMatchObject({ 'a@example.com': { custom_fields: city } })
    const copy = await listNamed(there.api, 'One')
    expect(await people(there.api, copy.id)).toMatchObject({ 'a@example.com': { custom_fields: city } })
  }
)

test('if many subscribers disappear from a remote at once, sync asks before removing them here', async () => {
  const { here, there, remoteId } = await startPair({ direction: 'both' })
  const list = await makeList(here.api, { name: 'Restored' })
  for (let at = 0; at < 60; at++) await makeSubscriber(here.api, list.id, `p${at}@example.com`)
  await runSync(here.api, remoteId)
  const copy = await listNamed(there.api, 'Restored')
  for (let at = 0; at < 55; at++)
    await there.api.delete(`/mailing_lists/${copy.id}/subscribers/p${at}@example.com`)
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'asking', remote: { question: 'gone' } })
  expect(Object.keys(await people(here.api, list.id)).length).toBe(60)
  await here.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'send_again' })
  await endOfRun(here.api, remoteId)
  expect(Object.keys(await people(there.api, copy.id)).length).toBe(60)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})
