import { expect, it } from 'vitest'
import type { ListedList } from '../../src-main/workbench/mailing-lists/endpoints.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { deleteList, expectSuccess, makeList, makeRemoteList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'

const started = sharedApplication()

async function listed(api: Client = started.api): Promise<ListedList[]> {
  return expectSuccess(await api.workbench<ListedList[]>('GET', '/mailing_lists'))
}

it('lists are shown with their subscribers by status, without deleted lists', async () => {
  const list = await makeList(started.api, { name: 'Shop' })
  await makeSubscriber(started.api, list.id, 'ann@example.com')
  await makeSubscriber(started.api, list.id, 'ben@example.com', { status: 'bounced' })
  const remote = await makeRemoteList(started.api)
  const gone = await makeList(started.api)
  await deleteList(started.api, gone.id)

  const none = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }
  expect(await listed()).toEqual([
    { id: list.id, name: 'Shop', is_remote_list: false, counts: { ...none, active: 1, bounced: 1 } },
    { id: remote.id, name: remote.name, is_remote_list: true, counts: none }
  ])
})

it('all lists are shown, however many there are', async () => {
  const api = await systemAdminIn(started.app, await makeOrganization(started))
  const ids: number[] = []
  for (let part = 0; part < 26; part++) {
    const made = await Promise.all(Array.from({ length: 40 }, () => makeList(api)))
    ids.push(...made.map(({ id }) => id))
  }
  const last = Math.max(...ids)
  await makeSubscriber(api, last, 'ann@example.com')

  const all = await listed(api)

  expect(all.map(({ id }) => id)).toEqual(ids.toSorted((a, b) => a - b))
  expect(all.at(-1)?.counts.active).toBe(1)
})
