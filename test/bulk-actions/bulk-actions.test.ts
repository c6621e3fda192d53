import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BulkAction } from '../../src-main/api/bulk-actions/schema.ts'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import { recount } from '../../src-main/api/subscriber-counts/recount.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { SuppressedAddress, SuppressionList } from '../../src-main/api/suppression-lists/schema.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { act, bulkActionEnded, select, undo } from '../support/bulk-actions.ts'
import {
  allSubscribers,
  deleteList,
  expectSuccess,
  importText,
  makeAutoresponder,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import { roundsToRun } from '../support/long.ts'
import { reactionsOf } from '../support/reactions.ts'
import { unsubscribeTokenOf } from '../support/unsubscribe.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

const isActive = [{ type: 'status', operator: 'is one of', statuses: ['active'] }]
const inCity = (field: CustomField, value: string) => [
  { type: 'custom_field', custom_field_id: field.id, operator: 'is', value }
]

async function statusesOf(listId: number): Promise<Record<string, string>> {
  const all = await allSubscribers(started.api, listId)
  return Object.fromEntries(all.map(({ email, status }) => [email.split('@')[0] ?? '', status]))
}

async function valuesOf(listId: number, field: string): Promise<Record<string, unknown>> {
  const all = await allSubscribers(started.api, listId)
  return Object.fromEntries(
    all.map(({ email, custom_fields }) => [email.split('@')[0] ?? '', custom_fields[field]?.value])
  )
}

async function listOf(people: Record<string, string>) {
  const list = await makeList(started.api)
  for (const [name, status] of Object.entries(people)) {
    await makeSubscriber(started.api, list.id, `${name}@example.com`, { status })
  }
  return list
}

async function expectNoDrift(): Promise<void> {
  const database = openForReading(join(started.dataDirectory, 'listwright.db'))
  expect((await recount(kyselyOver(database))).drifts).toEqual([])
  database.close()
}

async function recordedBy(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  const last = database.prepare('SELECT max(id) FROM change_log').pluck().get()
  await work()
  const entries = database
    .prepare<[unknown], Record<string, unknown>>(
      `SELECT mailing_list_id AS list, action, last_id - first_id + 1 AS subscribers FROM change_log
       WHERE id > ? AND entity = 'subscriber' ORDER BY id`
    )
    .all(last)
  database.close()
  return entries
}

function keptOf(id: number, isUndo = false): Promise<string[]> {
  return started.api
    .raw(`/app/v1/bulk_actions/${id}/kept?undo=${isUndo}`)
    .then((answer) => answer.text())
    .then((text) => text.trimEnd().split('\n').slice(1))
}

describe('a selection', () => {
  it('counts its subscribers by status, and describes them', async () => {
    const list = await listOf({ a: 'active', b: 'active', c: 'bounced', d: 'unsubscribed' })
    expect(await select(started.api, list.id)).toMatchObject({
      subscribers: 4,
      statuses: { active: 2, bounced: 1, unsubscribed: 1, scomp: 0, deactivated: 0 },
      description: 'everybody on the list'
    })
    expect(await select(started.api, list.id, { clause: isActive, search: 'a@' })).toMatchObject({
      subscribers: 1,
      description: 'status is one of active and matching the search "a@"'
    })
  })

  it('holds the subscribers of the list that it names, or all except those that it excludes', async () => {
    const list = await listOf({ a: 'active', b: 'active', c: 'active' })
    const other = await listOf({ d: 'active' })
    const [a, b] = await allSubscribers(started.api, list.id)
    const [d] = await allSubscribers(started.api, other.id)
    const only = [a?.id, b?.id, d?.id, 999_999_999]
    expect(await select(started.api, list.id, { only })).toMatchObject({
      subscribers: 2,
      description: 'chosen one by one'
    })
    expect(await select(started.api, list.id, { except: [a?.id, a?.id, -1, d?.id] })).toMatchObject({
      subscribers: 2,
      description: 'everybody on the list except 1'
    })
    expect(await select(started.api, list.id, { only: [] })).toMatchObject({ subscribers: 0 })
  })

  it('belongs only to the user who made it', async () => {
    const list = await listOf({ a: 'active' })
    const { id } = await select(started.api, list.id)
    const other = await clientOfUser(started, { role: 'organization_admin' })
    expect(await other.workbench('POST', `/selections/${id}/bulk_actions`, { kind: 'delete' })).toMatchObject(
      { error_code: 'not_found', error_message: `selection ${id} was not found` }
    )
    const elsewhere = await systemAdminIn(started.app, await makeOrganization(started))
    expect(
      await elsewhere.workbench('POST', `/selections/${id}/bulk_actions`, { kind: 'delete' })
    ).toMatchObject({ error_code: 'not_found' })
    expect(await elsewhere.workbench('POST', `/selections/${id}/exports`, {})).toMatchObject({
      error_code: 'not_found'
    })
  })
})

describe('a bulk action', () => {
  it('applies to exactly the subscribers that were counted, even if the filter matches others now', async () => {
    const list = await listOf({ a: 'active', b: 'active', gone: 'active', c: 'bounced' })
    const selection = await select(started.api, list.id, { clause: isActive })
    const path = `/mailing_lists/${list.id}/subscribers`
    // Who comes later or meets the filter later is not met; who does not meet it any more still is.
    await makeSubscriber(started.api, list.id, 'late@example.com')
    await started.api.put(`${path}/c@example.com`, { subscriber: { status: 'active' } })
    await started.api.put(`${path}/b@example.com`, { subscriber: { status: 'bounced' } })
    await started.api.delete(`${path}/gone@example.com`)
    const action = await act(started.api, selection, { kind: 'set_status', status: 'deactivated' })
    expect(action).toMatchObject({ state: 'finished', total: 3, done: 3, changed: 2, gone: 1 })
    expect(await statusesOf(list.id)).toEqual({
      a: 'deactivated',
      b: 'deactivated',
      c: 'active',
      late: 'active'
    })
  })

  it('of a filter without results changes no subscriber', async () => {
    const list = await listOf({ a: 'active', b: 'active' })
    const clause = [{ type: 'email', operator: 'contains', value: 'nobody' }]
    for (const choice of [{ clause }, { search: 'nobody' }, { only: [] }]) {
      const selection = await select(started.api, list.id, choice)
      expect(await act(started.api, selection, { kind: 'delete' })).toMatchObject({
        state: 'finished',
        total: 0,
        changed: 0
      })
    }
    expect(Object.keys(await statusesOf(list.id))).toEqual(['a', 'b'])
  })

  it('activates unsubscribed and complaining subscribers only if the request sets revives', async () => {
    const list = await listOf({ a: 'unsubscribed', b: 'scomp', c: 'bounced', d: 'active' })
    const kind = 'set_status'
    const status = 'active'
    const first = await act(started.api, await select(started.api, list.id), { kind, status })
    expect(first).toMatchObject({ changed: 1, same: 1, kept: 2 })
    expect(await keptOf(first.id)).toEqual([
      'a@example.com,unsubscribed or complained',
      'b@example.com,unsubscribed or complained'
    ])
    const all = await select(started.api, list.id)
    expect(await act(started.api, all, { kind, status, revives: true })).toMatchObject({ changed: 2 })
  })

  it('that is cancelled stops, and its changes so far can be undone', async () => {
    const list = await makeList(started.api)
    const people = Array.from({ length: 60_000 }, (_, index) => `p${index}@example.com\n`).join('')
    await importText(started.api, list.id, people, { file_format: { csv_has_headers: false } })
    const selection = await select(started.api, list.id)
    const begun = await started.api.workbench<BulkAction>(
      'POST',
      `/selections/${selection.id}/bulk_actions`,
      { kind: 'set_status', status: 'bounced' }
    )
    const { id } = expectSuccess(begun)
    expectSuccess(await started.api.workbench('POST', `/bulk_actions/${id}/cancel`))
    const cancelled = await bulkActionEnded(started.api, id)
    expect(cancelled.state).toBe('cancelled')
    expect(cancelled.changed).toBeLessThan(60_000)
    const after = await select(started.api, list.id)
    expect(after.statuses['bounced']).toBe(cancelled.changed)
    expect(await started.api.workbench('POST', `/bulk_actions/${id}/cancel`)).toMatchObject({
      error_message: 'a bulk action that is cancelled cannot be cancelled'
    })
    if (cancelled.changed > 0) await undo(started.api, id)
    expect((await select(started.api, list.id)).statuses['active']).toBe(60_000)
  })

  it('of each kind needs the permission for what it does', async () => {
    const list = await listOf({ a: 'active' })
    const reader = await clientOfUser(started, { permissions: { subscriber: ['read'] } })
    const selection = await select(reader, list.id)
    for (const kind of ['set_status', 'set_field', 'copy', 'move', 'suppress', 'correct_domains', 'delete']) {
      const answer = await reader.workbench('POST', `/selections/${selection.id}/bulk_actions`, { kind })
      expect([kind, answer.error_code]).toEqual([kind, 'not_authorized'])
    }
    expect(await reader.workbench('POST', `/selections/${selection.id}/exports`, {})).toMatchObject({
      error_code: 'not_authorized'
    })
    const { id } = await act(started.api, await select(started.api, list.id), {
      kind: 'set_status',
      status: 'bounced'
    })
    expect(await reader.workbench('POST', `/bulk_actions/${id}/undo`)).toMatchObject({
      error_code: 'not_authorized'
    })
    const other = await makeList(started.api)
    const adder = await clientOfUser(started, { permissions: { subscriber: ['read', 'create'] } })
    const move = { kind: 'move', mailing_list_id: other.id }
    const chosen = await select(adder, list.id)
    expect(await adder.workbench('POST', `/selections/${chosen.id}/bulk_actions`, move)).toMatchObject({
      error_code: 'not_authorized'
    })
    // What undoing does needs a permission as well.
    const copied = await act(adder, chosen, { kind: 'copy', mailing_list_id: other.id })
    expect(await adder.workbench('POST', `/bulk_actions/${copied.id}/undo`)).toMatchObject({
      error_code: 'not_authorized'
    })
    const remover = await clientOfUser(started, { permissions: { subscriber: ['read', 'delete'] } })
    const deleted = await act(remover, await select(remover, list.id), { kind: 'delete' })
    expect(await remover.workbench('POST', `/bulk_actions/${deleted.id}/undo`)).toMatchObject({
      error_code: 'not_authorized'
    })
  })

  it('refuses what cannot be done, in a sentence, before anything is done', async () => {
    const list = await listOf({ a: 'active' })
    const number = await makeField(started.api, list.id, 'Age', 'number', { required: true })
    const remote = await makeList(started.api)
    const selection = await select(started.api, list.id)
    const refusalOf = async (action: Record<string, unknown>): Promise<string | null> =>
      (await started.api.workbench('POST', `/selections/${selection.id}/bulk_actions`, action)).error_message
    expect(await refusalOf({ kind: 'set_status' })).toBe('status cannot be blank')
    expect(await refusalOf({ kind: 'set_field' })).toBe('custom_field_id cannot be blank')
    expect(await refusalOf({ kind: 'set_field', custom_field_id: 0 })).toBe(
      'custom_field_id 0 is no custom field of this list'
    )
    const set = { kind: 'set_field', custom_field_id: number.id }
    expect(await refusalOf({ ...set, value: 'x' })).toBe('Age must be a whole number, and "x" is not one')
    expect(await refusalOf({ ...set, value: null })).toBe('Age cannot be blank')
    expect(await refusalOf({ ...set, value: { toString: 1 } })).toBe(
      'Age must be a text, a number, true or false, or an array of texts'
    )
    const text = await makeField(started.api, list.id, 'Note', 'text')
    const long = { kind: 'set_field', custom_field_id: text.id, value: 'x'.repeat(10_001) }
    expect(await refusalOf(long)).toBe(
      'Note must be at most 10000 characters to be set for many subscribers at once'
    )
    expect(await refusalOf({ ...set, mode: 'add', value: 1 })).toBe(
      'mode must be set: Age can have only one value'
    )
    expect(await refusalOf({ kind: 'copy' })).toBe('mailing_list_id cannot be blank')
    expect(await refusalOf({ kind: 'move', mailing_list_id: list.id })).toBe(
      'mailing_list_id must be a different list from the one they are on'
    )
    await deleteList(started.api, remote.id)
    expect(await refusalOf({ kind: 'copy', mailing_list_id: remote.id })).toBe(
      `mailing list ${remote.id} was not found`
    )
    expect(await refusalOf({ kind: 'suppress' })).toBe('suppression_list_id cannot be blank')
    const correct = (domains: object) => refusalOf({ kind: 'correct_domains', domains })
    expect(await refusalOf({ kind: 'correct_domains' })).toBe('domains must name at least one domain')
    expect(await correct({ 'gmial.com': 'gmail' })).toBe('domains: "gmail" is not the name of a domain')
    expect(await correct({ 'GMAIL.com': 'gmail.com ' })).toBe(
      'domains: gmail.com cannot be replaced by itself'
    )
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`d${index}.com`, 'gmail.com']))
    expect(await correct(many)).toBe('domains must name at most 40 domains')
    const ofOther = { name: `Of another ${list.id}`, mailing_list_id: (await makeList(started.api)).id }
    const { id: suppressionId } = expectSuccess(
      await started.api.post<SuppressionList>('/suppression_lists', { suppression_list: ofOther })
    )
    expect(await refusalOf({ kind: 'suppress', suppression_list_id: suppressionId })).toBe(
      `the suppression list ${ofOther.name} is for another mailing list`
    )
    const { data } = await started.api.workbench<BulkAction[]>(
      'GET',
      `/bulk_actions?mailing_list_id=${list.id}`
    )
    expect(data).toEqual([])
  })

  it('keeps the primary key of the list from changing while it is under way, and never sets it', async () => {
    const list = await makeList(started.api)
    const key = await makeField(started.api, list.id, 'Number', 'number')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { Number: 1 } })
    expectSuccess(
      await started.api.put(`/mailing_lists/${list.id}`, {
        mailing_list: { primary_key_custom_field_id: key.id }
      })
    )
    const selection = await select(started.api, list.id)
    expect(
      await started.api.workbench('POST', `/selections/${selection.id}/bulk_actions`, {
        kind: 'set_field',
        custom_field_id: key.id,
        value: 2
      })
    ).toMatchObject({
      error_message: 'Number is the primary key of this list: no two subscribers can have the same'
    })
  })

  it('writes one change-log entry per run of ids', async () => {
    const list = await listOf({ a: 'active', b: 'active', c: 'active' })
    const chosen = await select(started.api, list.id)
    const entries = await recordedBy(() =>
      act(started.api, chosen, { kind: 'set_status', status: 'bounced' })
    )
    expect(entries).toEqual([{ list: list.id, action: 'update', subscribers: 3 }])
  })
})

describe('the change log', () => {
  it.each(['set_status', 'set_field', 'delete', 'move'] as const)(
    'records what %s does, and what undoing it does',
    async (kind) => {
      const list = await listOf({ a: 'active', b: 'active' })
      const other = await makeList(started.api)
      const field = await makeField(started.api, list.id, 'City', 'text')
      const settings = {
        set_status: { status: 'bounced' },
        set_field: { custom_field_id: field.id, value: 'Wien' },
        delete: {},
        move: { mailing_list_id: other.id }
      }[kind]
      const chosen = await select(started.api, list.id)
      let id = 0
      const done = await recordedBy(async () => {
        id = (await act(started.api, chosen, { kind, ...settings })).id
      })
      const undone = await recordedBy(() => undo(started.api, id))
      const [here, there] = [
        (action: string) => ({ list: list.id, action, subscribers: 2 }),
        (action: string) => ({ list: other.id, action, subscribers: 2 })
      ]
      const expected = {
        set_status: [[here('update')], [here('update')]],
        set_field: [[here('update')], [here('update')]],
        delete: [[here('delete')], [here('create')]],
        move: [
          [here('delete'), there('create')],
          [there('delete'), here('create')]
        ]
      }[kind]
      expect([done, undone]).toEqual(expected)
      await expectNoDrift()
    }
  )
})

describe('setting a field', () => {
  it('takes a long value, and shows its beginning', async () => {
    const list = await listOf({ a: 'active' })
    const note = await makeField(started.api, list.id, 'Note', 'text')
    const set = async (value: string) =>
      act(started.api, await select(started.api, list.id), {
        kind: 'set_field',
        custom_field_id: note.id,
        value
      })
    expect(await set('x'.repeat(10_000))).toMatchObject({ changed: 1, value: `${'x'.repeat(200)}…` })
    expect(await set('y'.repeat(200))).toMatchObject({ value: 'y'.repeat(200) })
    expect(await set('z'.repeat(201))).toMatchObject({ value: `${'z'.repeat(200)}…` })
  })

  it('replaces the existing value, or blanks it', async () => {
    const list = await makeList(started.api)
    const city = await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Wien' } })
    await makeSubscriber(started.api, list.id, 'b@example.com', { custom_fields: { City: 'Graz' } })
    await makeSubscriber(started.api, list.id, 'c@example.com')
    const set = { kind: 'set_field', custom_field_id: city.id }
    const action = await act(started.api, await select(started.api, list.id), { ...set, value: 'Graz' })
    expect(action).toMatchObject({ changed: 2, same: 1, name: 'City', value: 'Graz' })
    expect(await valuesOf(list.id, 'City')).toEqual({ a: 'Graz', b: 'Graz', c: 'Graz' })
    expect(await undo(started.api, action.id)).toMatchObject({ state: 'undone', restored: 2 })
    expect(await valuesOf(list.id, 'City')).toEqual({ a: 'Wien', b: 'Graz', c: null })
    await act(started.api, await select(started.api, list.id, { clause: inCity(city, 'Wien') }), {
      ...set,
      value: null
    })
    expect(await valuesOf(list.id, 'City')).toEqual({ a: null, b: 'Graz', c: null })
  })

  it('adds options to the selected ones, and removes them', async () => {
    const list = await makeList(started.api)
    const options = ['Red', 'Green', 'Blue'].map((name) => ({ name }))
    const colours = await makeField(started.api, list.id, 'Colours', 'select_multiple_checkboxes', {
      options
    })
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { Colours: ['Red'] } })
    await makeSubscriber(started.api, list.id, 'b@example.com')
    const set = { kind: 'set_field', custom_field_id: colours.id, value: ['Red', 'Blue'] }
    const added = await act(started.api, await select(started.api, list.id), { ...set, mode: 'add' })
    expect(added).toMatchObject({ changed: 2, mode: 'add', value: 'Red;Blue' })
    // The order in which options were selected is no difference.
    const same = { ...set, mode: 'set', value: ['Blue', 'Red'] }
    expect(await act(started.api, await select(started.api, list.id), same)).toMatchObject({ same: 2 })
    expect(await valuesOf(list.id, 'Colours')).toEqual({ a: ['Red', 'Blue'], b: ['Red', 'Blue'] })
    await act(started.api, await select(started.api, list.id), { ...set, mode: 'remove', value: ['Red'] })
    expect(await valuesOf(list.id, 'Colours')).toEqual({ a: ['Blue'], b: ['Blue'] })
    await act(started.api, await select(started.api, list.id), { ...set, mode: 'remove', value: ['Blue'] })
    expect(await valuesOf(list.id, 'Colours')).toEqual({ a: [], b: [] })
    // A subscriber without options left is like one that never had any.
    const isBlank = [{ type: 'custom_field', custom_field_id: colours.id, operator: 'is blank' }]
    await makeSubscriber(started.api, list.id, 'c@example.com')
    const blank = await select(started.api, list.id, { clause: isBlank })
    expect(blank).toMatchObject({ subscribers: 3 })
    expect(await act(started.api, blank, { ...set, mode: 'remove', value: ['Blue'] })).toMatchObject({
      same: 3
    })
  })

  it('whose field was deleted cannot be undone, and says so', async () => {
    const list = await listOf({ a: 'active' })
    const city = await makeField(started.api, list.id, 'City', 'text')
    const { id } = await act(started.api, await select(started.api, list.id), {
      kind: 'set_field',
      custom_field_id: city.id,
      value: 'Wien'
    })
    expectSuccess(await started.api.delete(`/mailing_lists/${list.id}/custom_fields/${city.id}`))
    expect(await undo(started.api, id)).toMatchObject({
      state: 'failed',
      error_message: 'the custom field City was deleted'
    })
  })
})

describe('copying and moving', () => {
  /** Two lists with the same fields except one. */
  async function twoLists() {
    const from = await makeList(started.api, { has_confirmed: true })
    const to = await makeList(started.api)
    const options = ['Red', 'Green'].map((name) => ({ name }))
    for (const { id } of [from, to]) {
      await makeField(started.api, id, 'City', 'text')
      await makeField(started.api, id, 'Colour', 'select_single_dropdown', { options })
    }
    await makeField(started.api, from.id, 'Age', 'number')
    return { from, to }
  }

  it('carries values to the fields of the same name, options by their names', async () => {
    const { from, to } = await twoLists()
    const custom_fields = { City: 'Wien', Colour: 'Green', Age: 3 }
    await makeSubscriber(started.api, from.id, 'a@example.com', {
      custom_fields,
      status: 'bounced',
      subscribe_time: '2020-01-02T03:04:05Z',
      subscribe_ip: '192.0.2.7'
    })
    const copied = await act(started.api, await select(started.api, from.id), {
      kind: 'copy',
      mailing_list_id: to.id
    })
    expect(copied).toMatchObject({ changed: 1, kept: 0, name: to.name })
    const [copy] = await allSubscribers(started.api, to.id)
    expect(copy).toMatchObject({
      email: 'a@example.com',
      status: 'bounced',
      subscribe_time_epoch: Date.UTC(2020, 0, 2, 3, 4, 5) / 1000,
      subscribe_ip: '192.0.2.7',
      custom_fields: { City: { value: 'Wien' }, Colour: { value: 'Green' } }
    })
    expect(await allSubscribers(started.api, from.id)).toHaveLength(1)
    expect(await undo(started.api, copied.id)).toMatchObject({ restored: 1 })
    expect(await allSubscribers(started.api, to.id)).toEqual([])
  })

  it('skips subscribers that the other list has already, and names them', async () => {
    const { from, to } = await twoLists()
    for (const name of ['a', 'b']) {
      await makeSubscriber(started.api, from.id, `${name}@example.com`, { custom_fields: { City: 'Wien' } })
    }
    await makeSubscriber(started.api, to.id, 'B@example.com', { custom_fields: { City: 'Graz' } })
    const moved = await act(started.api, await select(started.api, from.id), {
      kind: 'move',
      mailing_list_id: to.id
    })
    expect(moved).toMatchObject({ changed: 1, kept: 1 })
    expect(await keptOf(moved.id)).toEqual(['b@example.com,is on the other list already'])
    expect(await valuesOf(from.id, 'City')).toEqual({ b: 'Wien' })
    expect(await valuesOf(to.id, 'City')).toEqual({ B: 'Graz', a: 'Wien' })
  })

  it('skips subscribers whose values the other list does not allow, and reports the reason', async () => {
    const { from, to } = await twoLists()
    await makeField(started.api, to.id, 'Age', 'number', { required: true, maximum_value: 10 })
    await makeSubscriber(started.api, from.id, 'none@example.com')
    await makeSubscriber(started.api, from.id, 'old@example.com', { custom_fields: { Age: 11 } })
    await makeSubscriber(started.api, from.id, 'fits@example.com', { custom_fields: { Age: 10 } })
    const moved = await act(started.api, await select(started.api, from.id), {
      kind: 'move',
      mailing_list_id: to.id
    })
    expect(moved).toMatchObject({ changed: 1, kept: 2 })
    expect(await keptOf(moved.id)).toEqual([
      'none@example.com,does not fit the other list: Age cannot be blank',
      'old@example.com,does not fit the other list: Age must be at most 10'
    ])
  })

  it('copies no more subscribers than the organization may have', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 3 })
    const api = await systemAdminIn(started.app, organizationId)
    const [from, to] = [await makeList(api), await makeList(api)]
    for (const name of ['a', 'b']) await makeSubscriber(api, from.id, `${name}@example.com`)
    const copied = await act(api, await select(api, from.id), { kind: 'copy', mailing_list_id: to.id })
    expect(copied).toMatchObject({ changed: 1, kept: 1 })
    // Who is moved is no one more.
    await undo(api, copied.id)
    expect(
      await act(api, await select(api, from.id), { kind: 'move', mailing_list_id: to.id })
    ).toMatchObject({ changed: 2, kept: 0 })
  })

  it('back again cancels what the other list queued for them, and restores what was queued before', async () => {
    const { from, to } = await twoLists()
    await makeSubscriber(started.api, from.id, 'a@example.com')
    const trigger = async (listId: number, name: string): Promise<void> => {
      const { id } = await makeAutoresponder(started.api, listId, name)
      const path = `/mailing_lists/${listId}/subscribers/a@example.com/trigger_autoresponders`
      expectSuccess(await started.api.post(path, { autoresponder_ids: [id] }))
    }
    await trigger(from.id, 'Here')
    const moved = await act(started.api, await select(started.api, from.id), {
      kind: 'move',
      mailing_list_id: to.id
    })
    expect(reactionsOf(started, from.id)).toEqual([])
    const there = await makeAutoresponder(started.api, to.id, 'There')
    // It changes no subscriber, so the move can still be undone.
    await importText(started.api, to.id, 'email\na@example.com\n', {
      overwrite: true,
      autoresponders: { api: { trigger_updated: { id: there.id } } }
    })
    expect(reactionsOf(started, to.id)).toMatchObject([{ autoresponder: 'There' }])
    expect(await undo(started.api, moved.id)).toMatchObject({ restored: 1 })
    expect(reactionsOf(started, to.id)).toEqual([])
    expect(reactionsOf(started, from.id)).toMatchObject([{ autoresponder: 'Here' }])
  })

  it('back again skips copies that were changed, and addresses that were added again', async () => {
    const { from, to } = await twoLists()
    for (const name of ['a', 'b', 'c']) await makeSubscriber(started.api, from.id, `${name}@example.com`)
    const before = await allSubscribers(started.api, from.id)
    const moved = await act(started.api, await select(started.api, from.id), {
      kind: 'move',
      mailing_list_id: to.id
    })
    await started.api.put(`/mailing_lists/${to.id}/subscribers/a@example.com`, {
      subscriber: { custom_fields: { City: 'Wien' } }
    })
    await makeSubscriber(started.api, from.id, 'b@example.com')
    expect(await undo(started.api, moved.id)).toMatchObject({ restored: 1, not_restored: 2 })
    expect(await keptOf(moved.id, true)).toEqual([
      'a@example.com,changed since',
      'b@example.com,somebody else with the same primary key was added since'
    ])
    const after = await allSubscribers(started.api, from.id)
    expect(after.find(({ email }) => email === 'c@example.com')).toEqual(before[2])
    // No subscriber is lost: those that do not come back stay on the list that they were moved to.
    expect(Object.keys(await statusesOf(to.id)).toSorted()).toEqual(['a', 'b'])
    await expectNoDrift()
  })
})

describe('suppressing', () => {
  it('puts addresses on a suppression list; undoing removes exactly those', async () => {
    const list = await listOf({ a: 'active', b: 'active' })
    const { id } = expectSuccess(
      await started.api.post<SuppressionList>('/suppression_lists', {
        suppression_list: { name: `Suppressed ${list.id}` }
      })
    )
    const path = `/suppression_lists/${id}/suppressed_addresses`
    expectSuccess(await started.api.post(`${path}/create_multiple`, { data: ['a@example.com'] }))
    const suppressed = await act(started.api, await select(started.api, list.id), {
      kind: 'suppress',
      suppression_list_id: id
    })
    expect(suppressed).toMatchObject({ changed: 1, same: 1 })
    const addresses = async (): Promise<string[]> =>
      expectSuccess(await started.api.get<SuppressedAddress[]>(path)).map(({ email }) => email)
    expect(await addresses()).toEqual(['a@example.com', 'b@example.com'])
    await undo(started.api, suppressed.id)
    expect(await addresses()).toEqual(['a@example.com'])
    await expectNoDrift()
  })
})

describe('correcting domains', () => {
  const domains = { 'gmial.com': 'gmail.com', 'hotmial.com': 'hotmail.com' }

  async function listOfEmails(...emails: string[]) {
    const list = await makeList(started.api)
    for (const email of emails) await makeSubscriber(started.api, list.id, email)
    const emailsNow = async () => (await allSubscribers(started.api, list.id)).map(({ email }) => email)
    return { list, emailsNow }
  }

  it('keeps the name before the @ as it is written; undoing brings the former address back', async () => {
    const { list, emailsNow } = await listOfEmails(
      'Anna.B@gmial.com',
      'ben@hotmial.com',
      'c@sub.gmial.com',
      'd@gmail.com'
    )
    const corrected = await act(started.api, await select(started.api, list.id), {
      kind: 'correct_domains',
      domains
    })
    expect(corrected).toMatchObject({
      changed: 2,
      same: 2,
      name: 'gmial.com → gmail.com, hotmial.com → hotmail.com'
    })
    expect(await emailsNow()).toEqual([
      'Anna.B@gmail.com',
      'ben@hotmail.com',
      'c@sub.gmial.com',
      'd@gmail.com'
    ])
    const found = await started.api.get(`/mailing_lists/${list.id}/subscribers/anna.b@gmail.com`)
    expect(found.success).toBe(true)
    await makeSubscriber(started.api, list.id, 'ben@hotmial.com')
    const undone = await undo(started.api, corrected.id)
    expect(undone).toMatchObject({ restored: 1, not_restored: 1 })
    expect(await keptOf(corrected.id, true)).toEqual([
      'ben@hotmail.com,somebody else with the same primary key was added since'
    ])
    expect(await emailsNow()).toContain('Anna.B@gmial.com')
    await expectNoDrift()
  })

  it('skips subscribers whose corrected address is on the list already, and names them', async () => {
    const { list, emailsNow } = await listOfEmails('a@gmial.com', 'a@gmail.com')
    const corrected = await act(started.api, await select(started.api, list.id), {
      kind: 'correct_domains',
      domains
    })
    expect(corrected).toMatchObject({ changed: 0, kept: 1 })
    expect(await keptOf(corrected.id)).toEqual([
      'a@gmial.com,the list has the right address already: a@gmail.com'
    ])
    expect(await emailsNow()).toEqual(['a@gmial.com', 'a@gmail.com'])
  })
})

describe('deleting', () => {
  it('is undone with all data and queued messages', async () => {
    const list = await listOf({ a: 'active', b: 'unsubscribed' })
    const autoresponder = await makeAutoresponder(started.api, list.id, 'Hello')
    expectSuccess(
      await started.api.post(`/mailing_lists/${list.id}/subscribers/a@example.com/trigger_autoresponders`, {
        autoresponder_ids: [autoresponder.id]
      })
    )
    const [before, waiting] = [await allSubscribers(started.api, list.id), reactionsOf(started, list.id)]
    expect(waiting).toHaveLength(1)
    const deleted = await act(started.api, await select(started.api, list.id), { kind: 'delete' })
    expect(deleted).toMatchObject({ changed: 2 })
    expect(await allSubscribers(started.api, list.id)).toEqual([])
    expect(reactionsOf(started, list.id)).toEqual([])
    expect(await undo(started.api, deleted.id)).toMatchObject({ state: 'undone', restored: 2 })
    expect(await allSubscribers(started.api, list.id)).toEqual(before)
    expect(reactionsOf(started, list.id)).toEqual(waiting)
    expect(await started.api.workbench('POST', `/bulk_actions/${deleted.id}/undo`)).toMatchObject({
      error_message: 'this bulk action was already undone'
    })
  })

  it('is refused where subscribers must not be deleted', async () => {
    const list = await listOf({ a: 'active' })
    const setting = 'service_disable_subscriber_deletion'
    expectSuccess(await started.api.workbench('PUT', '/settings', { [setting]: true }))
    const selection = await select(started.api, list.id)
    for (const action of [{ kind: 'delete' }, { kind: 'move', mailing_list_id: (await listOf({})).id }]) {
      const answer = await started.api.workbench('POST', `/selections/${selection.id}/bulk_actions`, action)
      expect(answer.error_message).toBe(`subscribers cannot be deleted: ${setting} is on`)
    }
    expectSuccess(await started.api.workbench('PUT', '/settings', { [setting]: false }))
  })
})

let manyPeople: ReturnType<typeof makeManyPeople> | undefined

async function makeManyPeople() {
  const list = await makeList(started.api)
  const people = Array.from({ length: 60_000 }, (_, index) => `p${index}@example.com\n`).join('')
  await importText(started.api, list.id, people, { file_format: { csv_has_headers: false } })
  return list
}

/**
 * Starts an action behind a slow one.
 * @returns a function that waits for its end
 */
async function queued(listId: number, action: Record<string, unknown>) {
  const busy = await (manyPeople ??= makeManyPeople())
  const { statuses } = await select(started.api, busy.id, { search: 'p1@' })
  const begin = async (id: number, asked: Record<string, unknown>) => {
    const selection = await select(started.api, id)
    const path = `/selections/${selection.id}/bulk_actions`
    return expectSuccess(await started.api.workbench<BulkAction>('POST', path, asked)).id
  }
  const selection = await select(started.api, listId)
  const status = statuses['active'] === 1 ? 'bounced' : 'active'
  await begin(busy.id, { kind: 'set_status', status })
  const path = `/selections/${selection.id}/bulk_actions`
  const { id } = expectSuccess(await started.api.workbench<BulkAction>('POST', path, action))
  return { id, ended: () => bulkActionEnded(started.api, id) }
}

describe('an action that waits for another', () => {
  it('writes no value that its field no longer accepts', async () => {
    const list = await listOf({ a: 'active' })
    const field = await makeField(started.api, list.id, 'F', 'text')
    const { ended } = await queued(list.id, { kind: 'set_field', custom_field_id: field.id, value: 'hello' })
    expectSuccess(
      await started.api.put(`/mailing_lists/${list.id}/custom_fields/${field.id}`, {
        custom_field: { maximum_length: 3 }
      })
    )
    expect(await ended()).toMatchObject({
      state: 'failed',
      changed: 0,
      error_message: 'the custom field F has changed, and no longer accepts that value'
    })
  })

  it('fails with a sentence when its list was deleted', async () => {
    const list = await listOf({ a: 'active' })
    const { ended } = await queued(list.id, { kind: 'set_status', status: 'bounced' })
    await deleteList(started.api, list.id)
    expect(await ended()).toMatchObject({
      state: 'failed',
      changed: 0,
      error_message: `mailing list ${list.id} was not found`
    })
  })

  it('deletes no subscriber once deleting is disabled', async () => {
    const list = await listOf({ a: 'active' })
    const { ended } = await queued(list.id, { kind: 'delete' })
    const setting = 'service_disable_subscriber_deletion'
    expectSuccess(await started.api.workbench('PUT', '/settings', { [setting]: true }))
    const action = await ended()
    expectSuccess(await started.api.workbench('PUT', '/settings', { [setting]: false }))
    expect(action).toMatchObject({
      state: 'failed',
      error_message: `subscribers cannot be deleted: ${setting} is on`
    })
    expect(Object.keys(await statusesOf(list.id))).toEqual(['a'])
  })

  it('blocks changing the primary key of its list and of an empty target list', async () => {
    const [list, target] = [await listOf({ a: 'active' }), await makeList(started.api)]
    const keys = await Promise.all([list, target].map(({ id }) => makeField(started.api, id, 'Code', 'text')))
    const { id, ended } = await queued(list.id, { kind: 'copy', mailing_list_id: target.id })
    for (const [index, each] of [list, target].entries()) {
      const answer = await started.api.put(`/mailing_lists/${each.id}`, {
        mailing_list: { primary_key_custom_field_id: keys[index]?.id }
      })
      expect(answer.error_message).toBe(
        `primary_key_custom_field_id cannot change while bulk action ${id} is under way`
      )
    }
    await ended()
  })
})

describe('changing a list while subscribers are being moved', () => {
  async function keyed() {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const code = await makeField(started.api, list.id, 'Code', 'text')
    const setKey = async () =>
      expectSuccess(
        await started.api.put(`/mailing_lists/${list.id}`, {
          mailing_list: { primary_key_custom_field_id: code.id }
        })
      )
    return { list, other, setKey }
  }

  it('loses no moved subscriber: without a value for the new primary key they stay where they are', async () => {
    const { list, other, setKey } = await keyed()
    for (const name of ['a', 'b']) await makeSubscriber(started.api, list.id, `${name}@example.com`)
    const moved = await act(started.api, await select(started.api, list.id), {
      kind: 'move',
      mailing_list_id: other.id
    })
    await setKey()
    expect(await undo(started.api, moved.id)).toMatchObject({ restored: 0, not_restored: 2 })
    expect(await keptOf(moved.id, true)).toEqual([
      'a@example.com,the primary key of the list has changed since',
      'b@example.com,the primary key of the list has changed since'
    ])
    expect(Object.keys(await statusesOf(other.id))).toEqual(['a', 'b'])
    // With the former primary key, the undoing succeeds.
    expectSuccess(
      await started.api.put(`/mailing_lists/${list.id}`, {
        mailing_list: { primary_key_custom_field_id: null }
      })
    )
    expect(await undo(started.api, moved.id)).toMatchObject({ state: 'undone', restored: 2, not_restored: 0 })
    expect(Object.keys(await statusesOf(list.id))).toEqual(['a', 'b'])
    await expectNoDrift()
  })

  it('records the subscribers of an undone move in the change logs of both lists', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const choice = await select(started.api, list.id)
    const moved = await act(started.api, choice, { kind: 'move', mailing_list_id: other.id })
    const entries = await recordedBy(async () => {
      expect(await undo(started.api, moved.id)).toMatchObject({ restored: 1 })
    })
    expect(entries).toEqual([
      { list: other.id, action: 'delete', subscribers: 1 },
      { list: list.id, action: 'create', subscribers: 1 }
    ])
  })

  it.each(['that was deleted', 'that was deleted for good'])(
    'loses no subscriber that was moved to a list %s',
    async (deleted) => {
      const people = { a: 'active', b: 'bounced', link: 'active', put: 'active', gone: 'active' }
      const [list, other] = [await listOf(people), await makeList(started.api)]
      const before = await allSubscribers(started.api, list.id)
      const moved = await act(started.api, await select(started.api, list.id), {
        kind: 'move',
        mailing_list_id: other.id
      })
      const path = `/mailing_lists/${other.id}/subscribers`
      await started.api.put(`${path}/put@example.com`, { subscriber: { status: 'scomp' } })
      await started.api.delete(`${path}/gone@example.com`)
      await deleteList(started.api, other.id)
      // By now they may be gone with the list, or not yet.
      const token = await unsubscribeTokenOf(started, before[2]?.id ?? 0)
      await started.api.post('/subscribers/unsubscribe', { token })
      if (deleted === 'that was deleted for good') {
        await started.api.workbench('POST', `/deleted_lists/${other.id}/purge`)
        const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
        const left = database.prepare('SELECT count(*) FROM subscribers WHERE mailing_list_id = ?').pluck()
        await expect.poll(() => left.get(other.id), { timeout: 20_000 }).toBe(0)
        database.close()
      }
      expect(await undo(started.api, moved.id)).toMatchObject({ state: 'undone', restored: 4 })
      const after = await allSubscribers(started.api, list.id)
      expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
      // What they did there is not undone.
      expect(await statusesOf(list.id)).toEqual({
        a: 'active',
        b: 'bounced',
        link: 'unsubscribed',
        put: 'scomp'
      })
      await expectNoDrift()
    }
  )

  it('keeps moved and restored subscribers unsubscribed who unsubscribed by a link', async () => {
    const [list, other] = [await listOf({ a: 'active', b: 'active' }), await makeList(started.api)]
    const [a, b] = await allSubscribers(started.api, list.id)
    const tokens = await Promise.all(
      [a, b].map((subscriber) => unsubscribeTokenOf(started, subscriber?.id ?? 0))
    )
    const moved = await act(started.api, await select(started.api, list.id, { only: [a?.id] }), {
      kind: 'move',
      mailing_list_id: other.id
    })
    const deleted = await act(started.api, await select(started.api, list.id), { kind: 'delete' })
    for (const token of tokens) await started.api.post('/subscribers/unsubscribe', { token })
    expect(await statusesOf(other.id)).toEqual({ a: 'unsubscribed' })
    expect(await undo(started.api, deleted.id)).toMatchObject({ restored: 1 })
    expect(await statusesOf(list.id)).toEqual({ b: 'unsubscribed' })
    // A link that was followed once does so once.
    await started.api.put(`/mailing_lists/${list.id}/subscribers/b@example.com`, {
      subscriber: { status: 'active' }
    })
    const again = await act(started.api, await select(started.api, list.id), { kind: 'delete' })
    await undo(started.api, again.id)
    expect(await statusesOf(list.id)).toEqual({ b: 'active' })
    // What they did since is not undone.
    expect(await undo(started.api, moved.id)).toMatchObject({ restored: 0, not_restored: 1 })
    await expectNoDrift()
  })

  it('can be repeated: an undo that skipped subscribers can restore them later', async () => {
    const list = await listOf({ a: 'active', b: 'active' })
    const city = await makeField(started.api, list.id, 'City', 'text')
    const first = await act(started.api, await select(started.api, list.id), {
      kind: 'set_field',
      custom_field_id: city.id,
      value: 'Wien'
    })
    const second = await act(started.api, await select(started.api, list.id), {
      kind: 'set_status',
      status: 'bounced'
    })
    expect(await undo(started.api, first.id)).toMatchObject({
      restored: 0,
      not_restored: 2,
      can_be_undone: true
    })
    expect(await undo(started.api, second.id)).toMatchObject({ restored: 2, can_be_undone: false })
    expect(await undo(started.api, first.id)).toMatchObject({
      restored: 2,
      not_restored: 0,
      can_be_undone: false
    })
    expect(await valuesOf(list.id, 'City')).toEqual({ a: null, b: null })
    expect(await keptOf(first.id, true)).toEqual([])
  })

  it('restores no value that its field no longer accepts', async () => {
    const list = await makeList(started.api)
    const options = [{ name: 'x' }, { name: 'y' }]
    const field = await makeField(started.api, list.id, 'G', 'select_single_dropdown', { options })
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { G: 'x' } })
    const { id } = await act(started.api, await select(started.api, list.id), {
      kind: 'set_field',
      custom_field_id: field.id,
      value: 'y'
    })
    const [, y] = field.options ?? []
    expectSuccess(
      await started.api.put(`/mailing_lists/${list.id}/custom_fields/${field.id}`, {
        custom_field: { options: [{ id: y?.id, name: 'y' }] }
      })
    )
    expect(await undo(started.api, id)).toMatchObject({ restored: 0, not_restored: 1 })
    expect(await keptOf(id, true)).toEqual([
      'a@example.com,the custom field does not take the former value any more: G'
    ])
    expect(await valuesOf(list.id, 'G')).toEqual({ a: 'y' })
  })

  it('counts for the limit of the organization: deleted subscribers come back as far as there is room', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 3 })
    const api = await systemAdminIn(started.app, organizationId)
    const list = await makeList(api)
    for (const name of ['a', 'b']) await makeSubscriber(api, list.id, `${name}@example.com`)
    const deleted = await act(api, await select(api, list.id), { kind: 'delete' })
    for (const name of ['c', 'd']) await makeSubscriber(api, list.id, `${name}@example.com`)
    expect(await undo(api, deleted.id)).toMatchObject({ restored: 1, not_restored: 1, can_be_undone: true })
    expectSuccess(await api.delete(`/mailing_lists/${list.id}/subscribers/c@example.com`))
    expect(await undo(api, deleted.id)).toMatchObject({ restored: 2, not_restored: 0 })
  })
})

describe('an export of a selection', () => {
  it('holds exactly those who were counted', async () => {
    const list = await makeList(started.api)
    const people = Array.from({ length: 1200 }, (_, index) => `p${index}@example.com\n`).join('')
    await importText(started.api, list.id, people, { file_format: { csv_has_headers: false } })
    const [first] = await allSubscribers(started.api, list.id)
    const selection = await select(started.api, list.id, { except: [first?.id] })
    await makeSubscriber(started.api, list.id, 'late@example.com')
    const created = await started.api.workbench<SubscriberExport>(
      'POST',
      `/selections/${selection.id}/exports`,
      { columns: ['email'] }
    )
    const { id } = expectSuccess(created)
    expect(await started.api.exported(id)).toMatchObject({
      state: 'finished',
      stats: { number_of_records: 1199, records_exported: 1199 }
    })
    const text = await (await started.api.raw(`/ga/api/v2/subscriber_exports/${id}/download`)).text()
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(1200)
    expect(lines).not.toContain(first?.email)
    expect(lines).not.toContain('late@example.com')
  })
})

describe('undoing', () => {
  it('skips subscribers that were changed since, and names them', async () => {
    const list = await listOf({ a: 'active', b: 'active', c: 'active' })
    const { id } = await act(started.api, await select(started.api, list.id), {
      kind: 'set_status',
      status: 'bounced'
    })
    const path = `/mailing_lists/${list.id}/subscribers`
    await started.api.put(`${path}/b@example.com`, { subscriber: { status: 'unsubscribed' } })
    await started.api.delete(`${path}/c@example.com`)
    expect(await undo(started.api, id)).toMatchObject({ undo_done: 3, restored: 1, not_restored: 1 })
    expect(await statusesOf(list.id)).toEqual({ a: 'active', b: 'unsubscribed' })
    expect(await keptOf(id, true)).toEqual(['b@example.com,changed since'])
  })

  it(`restores lists exactly, whatever was changed (SEED=${seed})`, async () => {
    const status = fc.constantFrom('active', 'bounced', 'unsubscribed', 'scomp', 'deactivated')
    const person = fc.record({
      status,
      city: fc.constantFrom('Wien', 'Graz', ''),
      colours: fc.subarray(['Red', 'Green'])
    })
    const kind = fc.constantFrom('set_status', 'set_city', 'set_colours', 'copy', 'move', 'delete')
    const step = fc.record({
      kind,
      status,
      revives: fc.boolean(),
      city: fc.constantFrom('Wien', 'Linz', null),
      colours: fc.subarray(['Red', 'Green'], { minLength: 1 }),
      mode: fc.constantFrom('set', 'add', 'remove'),
      of: fc.constantFrom('all', 'active', 'Wien', 'even')
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 12 }),
        fc.array(step, { minLength: 1, maxLength: 4 }),
        async (people, steps) => {
          const [list, other] = [await makeList(started.api), await makeList(started.api)]
          const fields = await Promise.all(
            [list.id, other.id].map(async (id) => ({
              city: await makeField(started.api, id, 'City', 'text'),
              colours: await makeField(started.api, id, 'Colours', 'select_multiple_checkboxes', {
                options: [{ name: 'Red' }, { name: 'Green' }]
              })
            }))
          )
          const own = fields[0]
          if (!own) throw new Error('a list has fields')
          for (const [index, { status, city, colours }] of people.entries()) {
            const custom_fields = { City: city, Colours: colours }
            await makeSubscriber(started.api, list.id, `p${index}@example.com`, { status, custom_fields })
          }
          await makeSubscriber(started.api, other.id, 'p0@example.com')
          const states: [Subscriber[], Subscriber[]][] = []
          const state = async (): Promise<[Subscriber[], Subscriber[]]> => [
            await allSubscribers(started.api, list.id),
            await allSubscribers(started.api, other.id)
          ]
          const ids: number[] = []
          for (const { kind, of, ...settings } of steps) {
            const before = await state()
            const meant = before[0].filter(({ id, status, custom_fields }) => {
              if (of === 'all') return true
              if (of === 'active') return status === 'active'
              return of === 'Wien' ? custom_fields['City']?.value === 'Wien' : id % 2 === 0
            })
            const choices = {
              all: {},
              active: { clause: isActive },
              Wien: { clause: inCity(own.city, 'Wien') },
              even: { only: meant.map(({ id }) => id) }
            }
            const selection = await select(started.api, list.id, choices[of])
            expect(selection.subscribers).toBe(meant.length)
            const action = await act(started.api, selection, actionOf(kind, settings, own, other.id))
            expect(action).toMatchObject({ state: 'finished', done: meant.length, gone: 0 })
            expect(action.changed + action.same + action.kept).toBe(meant.length)
            // No other subscriber was changed.
            const now = new Map((await state())[0].map((subscriber) => [subscriber.id, subscriber]))
            for (const subscriber of before[0]) {
              if (!meant.includes(subscriber)) expect(now.get(subscriber.id)).toEqual(subscriber)
            }
            if (action.changed === 0) {
              expect(await state()).toEqual(before)
              continue
            }
            states.push(before)
            ids.push(action.id)
          }
          await expectNoDrift()
          for (const id of ids.toReversed()) {
            expect(await undo(started.api, id)).toMatchObject({ state: 'undone', not_restored: 0 })
            expect(await state()).toEqual(states.pop())
          }
          await expectNoDrift()
        }
      ),
      { seed, numRuns: roundsToRun(12, 200) }
    )
    // Two hundred take most of a second each on a machine that does something else.
  }, 600_000)

  function actionOf(
    kind: string,
    settings: { status: string; revives: boolean; city: string | null; colours: string[]; mode: string },
    fields: { city: CustomField; colours: CustomField },
    otherId: number
  ): Record<string, unknown> {
    const { status, revives, city, colours, mode } = settings
    switch (kind) {
      case 'set_status':
        return { kind, status, revives }
      case 'set_city':
        return { kind: 'set_field', custom_field_id: fields.city.id, value: city }
      case 'set_colours':
        return { kind: 'set_field', custom_field_id: fields.colours.id, mode, value: colours }
      default:
        return { kind, mailing_list_id: otherId }
    }
  }
})
