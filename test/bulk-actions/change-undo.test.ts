import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { SubscriberEvent } from '../../src-main/workbench/subscriber-page/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  makeAutoresponder,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { unsubscribeTokenOf } from '../support/unsubscribe.ts'

const started = sharedApplication()
const day = 24 * 60 * 60 * 1000

async function makeClub(api = started.api) {
  const list = await makeList(api, { has_format: true, has_confirmed: true })
  const city = await makeField(api, list.id, 'City', 'text')
  await makeField(api, list.id, 'Age', 'number')
  await makeField(api, list.id, 'Colours', 'select_multiple_checkboxes', {
    options: [{ name: 'Red' }, { name: 'Blue' }]
  })
  const custom_fields = { City: 'Wien', Age: 30, Colours: ['Red'] }
  const anna = await makeSubscriber(api, list.id, 'anna@example.com', { custom_fields })
  const path = `/mailing_lists/${list.id}/subscribers/${anna.id}`
  return {
    list,
    city,
    anna,
    change: (subscriber: object) => api.put<Subscriber>(path, { subscriber }),
    remove: () => api.delete(path),
    now: async () => {
      const found = (await allSubscribers(api, list.id)).find(({ id }) => id === anna.id)
      if (!found) throw new Error('she is gone')
      return found
    },
    counts: async () => {
      const { data } = await api.get<SubscriberCounts>('/subscriber_counts')
      return data.mailing_lists.find(({ mailing_list }) => mailing_list.id === list.id)?.counts
    }
  }
}

async function eventsOf(id: number, api = started.api): Promise<SubscriberEvent[]> {
  return (await api.workbench<{ events: SubscriberEvent[] }>('GET', `/subscribers/${id}/history`)).data.events
}

async function undo(
  id: number,
  undoId: number | null | undefined,
  api = started.api
): Promise<string | null> {
  return (await api.workbench('POST', `/subscribers/${id}/history/${undoId}/undo`)).error_message
}

async function restore(id: number, api: Client = started.api): Promise<string | null> {
  return (await api.workbench('POST', `/subscribers/${id}/restore`)).error_message
}

function age(days: number): void {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  database.prepare('UPDATE change_log SET at = at - ?').run(days * day)
  database.close()
}

describe('undoing a change of a subscriber', () => {
  it('restores them, and can itself be undone', async () => {
    const { anna, change, now, counts } = await makeClub()
    const before = await now()
    await change({
      email: 'anne@example.com',
      status: 'bounced',
      confirmed: true,
      email_format: 'html',
      custom_fields: { City: 'Graz', Age: null, Colours: ['Red', 'Blue'] }
    })
    const after = await now()
    const [changed] = await eventsOf(anna.id)
    expect(await undo(anna.id, changed?.undo_id)).toBeNull()
    expect({ ...(await now()), updated_at: '' }).toEqual({ ...before, updated_at: '' })
    expect(await counts()).toMatchObject({ active: 1, bounced: 0 })
    const [undone] = await eventsOf(anna.id)
    expect(await undo(anna.id, undone?.undo_id)).toBeNull()
    expect({ ...(await now()), updated_at: '' }).toEqual({ ...after, updated_at: '' })
    expect(await counts()).toMatchObject({ active: 0, bounced: 1 })
  })

  it('restores every change, in any order that hides none', async () => {
    const { anna, change, now } = await makeClub()
    const values = fc.record(
      {
        City: fc.constantFrom('Wien', 'Graz', null),
        Age: fc.constantFrom(30, 31, null),
        Colours: fc.subarray(['Red', 'Blue'])
      },
      { requiredKeys: [] }
    )
    const changes = fc.record(
      { status: fc.constantFrom('active', 'bounced', 'deactivated'), custom_fields: values },
      { requiredKeys: [] }
    )
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 4 }), async (all) => {
        const states: Subscriber[] = []
        const ids: number[] = []
        for (const each of all) {
          const state = await now()
          await change(each)
          const [newest] = await eventsOf(anna.id)
          if (newest?.undo_id == null || ids.includes(newest.undo_id)) continue
          states.push(state)
          ids.push(newest.undo_id)
        }
        for (const [index, id] of [...ids.entries()].reverse()) {
          expect(await undo(anna.id, id)).toBeNull()
          expect({ ...(await now()), updated_at: '' }).toEqual({ ...states[index], updated_at: '' })
        }
      }),
      { numRuns: 15 }
    )
  })

  it('is refused, with names, for values that were changed since', async () => {
    const { anna, change, now } = await makeClub()
    await change({ custom_fields: { City: 'Graz', Age: 31 } })
    const [first] = await eventsOf(anna.id)
    await change({ custom_fields: { City: 'Linz' } })
    expect(await undo(anna.id, first?.undo_id)).toBe(
      'City changed again since then, so this change cannot be undone on its own'
    )
    expect((await now()).custom_fields['Age']?.value).toBe(31)
    const [second] = await eventsOf(anna.id)
    expect(await undo(anna.id, second?.undo_id)).toBeNull()
    expect(await undo(anna.id, first?.undo_id)).toBeNull()
    expect((await now()).custom_fields).toMatchObject({ City: { value: 'Wien' }, Age: { value: 30 } })
  })

  it('is refused if another subscriber has the address by now', async () => {
    const { anna, list, change } = await makeClub()
    await change({ email: 'anne@example.com' })
    const [changed] = await eventsOf(anna.id)
    await makeSubscriber(started.api, list.id, 'anna@example.com')
    expect(await undo(anna.id, changed?.undo_id)).toBe(
      'another subscriber on the list has the primary key value that anna@example.com had'
    )
  })

  it("is neither offered nor possible for the subscriber's own actions", async () => {
    const { anna } = await makeClub()
    const token = await unsubscribeTokenOf(started, anna.id)
    await started.api.raw(`/ga/api/v2/subscribers/unsubscribe`, {
      method: 'POST',
      body: JSON.stringify({ token })
    })
    const [unsubscribed] = await eventsOf(anna.id)
    expect(unsubscribed?.status?.now).toBe('unsubscribed')
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
    database
      .prepare(
        "UPDATE change_log SET via = 'link' WHERE id = (SELECT max(id) FROM change_log WHERE first_id = ?)"
      )
      .run(anna.id)
    const id = database.prepare<[], number>('SELECT max(id) FROM change_log').pluck().get()
    database.close()
    expect((await eventsOf(anna.id))[0]?.undo_id).toBeNull()
    expect(await undo(anna.id, id)).toBe(
      'only changes made in the app or with an API key can be undone one by one'
    )
  })

  it('is possible for 7 days', async () => {
    const { anna, change } = await makeClub()
    await change({ status: 'bounced' })
    const [changed] = await eventsOf(anna.id)
    age(7.01)
    expect((await eventsOf(anna.id))[0]?.undo_id).toBeNull()
    expect(await undo(anna.id, changed?.undo_id)).toBe(
      'changes can be undone for 7 days, and this one is older'
    )
  })

  it('is refused if the change belongs to another subscriber, or the user to another organization', async () => {
    const { anna, change, list } = await makeClub()
    await change({ status: 'bounced' })
    const [changed] = await eventsOf(anna.id)
    const ben = await makeSubscriber(started.api, list.id, 'ben@example.com')
    expect(await undo(ben.id, changed?.undo_id)).toContain('not found')
    const organizationId = await makeOrganization(started)
    const stranger = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    expect(await undo(anna.id, changed?.undo_id, stranger)).toContain('not found')
  })
})

describe('restoring a deleted subscriber', () => {
  it('brings them back as they were, under their id, with the messages that waited for them', async () => {
    const { anna, list, now, remove, counts } = await makeClub()
    const { id } = await makeAutoresponder(started.api, list.id, 'Later', {
      delay: 'with_delay',
      delay_time: 8,
      delay_unit: 'hours'
    })
    await started.api.post(`/mailing_lists/${list.id}/subscribers/${anna.id}/trigger_autoresponders`, {
      autoresponder_ids: [id]
    })
    const before = await now()
    const waiting = () => started.api.workbench('GET', `/subscribers/${anna.id}/surroundings`)
    const { data: queued } = await waiting()
    expect(queued).toMatchObject({ autoresponders: [{ id }] })
    await remove()
    expect(await counts()).toMatchObject({ active: 0 })
    expect(await restore(anna.id)).toBeNull()
    expect(await now()).toEqual(before)
    expect((await waiting()).data).toEqual(queued)
    expect(await counts()).toMatchObject({ active: 1 })
    // Their history is still theirs.
    const [newest, older] = await eventsOf(anna.id)
    expect([newest?.type, older?.type]).toEqual(['added', 'removed'])
  })

  it('restores a subscriber as unsubscribed who unsubscribed meanwhile', async () => {
    const { anna, now, remove } = await makeClub()
    await remove()
    const token = await unsubscribeTokenOf(started, anna.id)
    await started.api.post('/subscribers/unsubscribe', { token })
    expect(await restore(anna.id)).toBeNull()
    expect((await now()).status).toBe('unsubscribed')
  })

  it('is refused where the address is on the list again', async () => {
    const { anna, list, remove } = await makeClub()
    await remove()
    await makeSubscriber(started.api, list.id, 'anna@example.com')
    expect(await restore(anna.id)).toBe('anna@example.com is on the list again')
    expect(await allSubscribers(started.api, list.id)).toHaveLength(1)
  })

  it('is refused for an existing or unknown subscriber, and more than 7 days after the deletion', async () => {
    const { anna, remove } = await makeClub()
    expect(await restore(anna.id)).toContain(`deletion of subscriber ${anna.id}`)
    expect(await restore(987654)).toContain('deletion of subscriber 987654')
    await remove()
    age(7.01)
    expect(await restore(anna.id)).toContain('for 7 days')
  })

  it('is offered in the audit log, until it is done', async () => {
    const organizationId = await makeOrganization(started)
    const api = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const { anna, remove } = await makeClub(api)
    await remove()
    const deletion = async () =>
      (
        await api.workbench<{ events: { action: string; undo: string | null; record: { name: string } }[] }>(
          'GET',
          '/audit_log?entity=subscriber'
        )
      ).data.events.find(({ action }) => action === 'delete')
    expect(await deletion()).toMatchObject({ undo: 'deletion', record: { name: 'anna@example.com' } })
    expect(await restore(anna.id, api)).toBeNull()
    expect(await deletion()).toMatchObject({ undo: null })
  })
})
