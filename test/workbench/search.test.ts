import { expect, it } from 'vitest'
import type { Found } from '../../src-main/workbench/search/endpoints.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  deleteList,
  importFile,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'

const started = sharedApplication()

async function found(text: string, api: Client = started.api): Promise<Found> {
  return (await api.workbench<Found>('GET', `/search?text=${encodeURIComponent(text)}`)).data
}

it('subscribers are found by the beginning of their address, in any case, on any list, also with another primary key', async () => {
  const list = await makeList(started.api)
  await makeSubscriber(started.api, list.id, 'Search.Me@example.com')
  const keyed = await makeList(started.api)
  const key = await makeField(started.api, keyed.id, 'Number', 'number')
  await started.api.put(`/mailing_lists/${keyed.id}`, {
    mailing_list: { primary_key_custom_field_id: key.id }
  })
  for (const Number of [1, 2]) {
    await makeSubscriber(started.api, keyed.id, 'search.me@example.com', { custom_fields: { Number } })
  }
  const gone = await makeList(started.api)
  await makeSubscriber(started.api, gone.id, 'search.me@example.com')
  await deleteList(started.api, gone.id)
  expect((await found('sEARCH.m')).subscribers.map((each) => each.mailing_list_id)).toEqual([
    list.id,
    keyed.id,
    keyed.id
  ])
  expect((await found('earch.me')).subscribers).toEqual([])
})

it('campaigns and imports are found by a part of their name, templates and content of requests are not', async () => {
  const list = await makeList(started.api)
  const { id } = await makeCampaign(started.api, list.id, { name: 'Grand Opening' })
  await started.api.post(`/mailing_lists/${list.id}/templates`, {
    campaign: { name: 'Opening template', contents: [] }
  })
  const imported = await importFile(started, list.id, 'email\na@example.com\n')
  expect((await found('OPENING')).campaigns).toEqual([
    { id, name: 'Grand Opening', mailing_list_id: list.id, mailing_list_name: list.name }
  ])
  expect((await found(imported.file_source.filename ?? '')).imports.map((each) => each.id)).toEqual([
    imported.id
  ])
  expect((await found('data')).imports).toEqual([])
})

it('lists are found by a part of their name, and sorted by name', async () => {
  await makeList(started.api, { name: 'Winter club' })
  await makeList(started.api, { name: 'The Club of summer' })
  await deleteList(started.api, (await makeList(started.api, { name: 'Old club' })).id)

  expect((await found('CLUB')).mailing_lists.map(({ name }) => name)).toEqual([
    'The Club of summer',
    'Winter club'
  ])
})

it('no one finds what they may not see', async () => {
  const list = await makeList(started.api)
  await makeSubscriber(started.api, list.id, 'hidden@example.com')
  await makeCampaign(started.api, list.id, { name: 'hidden campaign' })
  const stranger = await systemAdminIn(started.app, await makeOrganization(started))
  expect(await found('hidden', stranger)).toEqual({
    mailing_lists: [],
    subscribers: [],
    campaigns: [],
    imports: []
  })
  const writer = await clientOfUser(started, { permissions: { campaign: ['create'] } })
  expect(await found('hidden', writer)).toMatchObject({ subscribers: [], campaigns: [{}] })
})
