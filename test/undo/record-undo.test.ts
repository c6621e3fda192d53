import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { UndoableEntity } from '../../src-main/api/record-kinds.ts'
import { languages } from '../../src-main/base/languages.ts'
import { recordRules } from '../../src-main/undo/record-rules.ts'
import { attributeOf } from '../../src-main/workbench/audit/edits.ts'
import type { AuditEvent } from '../../src-main/workbench/audit/endpoints.ts'
import type { DeletedList, Undone } from '../../src-main/workbench/undo/endpoints.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  deleteList,
  expectSuccess,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { unsubscribeTokenOf } from '../support/unsubscribe.ts'

const started = sharedApplication()
let api: Client
beforeAll(() => void (api = started.api))
const day = 24 * 60 * 60 * 1000

interface Made {
  id: number
  path: string
  change: object
}

/** Kinds with tests of their own below, or that are only added and deleted. */
type TestedApart = 'organization' | 'suppression_list' | 'virtual_mta' | 'url_domain' | 'bounce_email'
type Make = (listId: number) => Promise<Made>

const kinds: Record<Exclude<UndoableEntity, TestedApart>, Make> = {
  segment: async (listId) => {
    const { id } = await makeSegment(api, listId)
    const other = await makeList(api)
    const clause = [{ type: 'in_mailing_list', operator: 'is not in', mailing_list_id: other.id }]
    return { id, path: `/segments/${id}`, change: { segmentation_criteria: { name: 'Others', clause } } }
  },
  custom_field: async (listId) => {
    const { id } = await makeField(api, listId, 'Colour', 'select_single_dropdown', {
      options: [{ name: 'Red' }, { name: 'Blue' }],
      instructions: 'Choose one'
    })
    const options = [{ name: 'Blue' }, { name: 'Red' }, { name: 'Green' }]
    const path = `/mailing_lists/${listId}/custom_fields/${id}`
    return {
      id,
      path,
      change: { custom_field: { name: 'Tint', required: true, instructions: null, options } }
    }
  },
  campaign: async (listId) => {
    const { id } = await makeCampaign(api, listId, {
      contents: [
        { name: 'A', subject: 'One', format: 'both', html: '<p>1</p>', text: '1' },
        { name: 'B', subject: 'Two', format: 'text', html: '', text: '2' }
      ]
    })
    const change = {
      name: 'Renamed',
      contents: [{ name: 'C', subject: 'Three', format: 'text', html: '', text: '3' }],
      segmentation_criteria_ad_hoc: [
        { type: 'in_mailing_list', operator: 'is in', mailing_list_id: (await makeList(api)).id }
      ],
      dispatch_attributes: { from_email: 'other@example.com', track_opens: false }
    }
    return { id, path: `/campaigns/${id}`, change: { campaign: change } }
  },
  template: async (listId) => {
    const template = {
      name: 'Plain',
      contents: [{ subject: 'Hello', format: 'text', html: '', text: 'Hello' }]
    }
    const { id } = expectSuccess(
      await api.post<{ id: number }>(`/mailing_lists/${listId}/templates`, { template })
    )
    return { id, path: `/templates/${id}`, change: { template: { name: 'Fancy' } } }
  },
  autoresponder: async (listId) => {
    const { id } = await makeAutoresponder(api, listId, 'Welcome', { content_subject: 'Hello' })
    const path = `/mailing_lists/${listId}/autoresponders/${id}`
    return { id, path, change: { autoresponder: { name: 'Bye', content_html: '<p>Bye</p>', paused: true } } }
  },
  web_form: async (listId) => {
    const { id } = await makeWebForm(api, listId)
    const path = `/mailing_lists/${listId}/web_forms/${id}`
    return { id, path, change: { web_form: { name: 'Other', requires_confirmation: false } } }
  },
  seed_list: async () => {
    const seed_list = { name: `Seeds ${Math.random()}`, addresses_array: ['a@example.com'] }
    const { id } = expectSuccess(await api.post<{ id: number }>('/seed_lists', { seed_list }))
    return { id, path: `/seed_lists/${id}`, change: { seed_list: { name: 'Seed', addresses_array: [] } } }
  },
  mailing_list: async (listId) => ({
    id: listId,
    path: `/mailing_lists/${listId}`,
    change: { mailing_list: { name: 'Renamed', d_from_email: 'other@example.com', has_format: true } }
  })
}

async function read(path: string): Promise<object | null> {
  const { success, data } = await api.get<Record<string, unknown>>(path)
  return success ? { ...data, updated_at: null } : null
}

async function changesOf(entity: string, id: number, client = api): Promise<AuditEvent[]> {
  const path = `/audit_log?entity=${entity}&record_id=${id}`
  return expectSuccess(await client.workbench<{ events: AuditEvent[] }>('GET', path)).events
}

/** @returns the refusal, or null */
async function undo(changeId: number | undefined, client = api): Promise<string | null> {
  return (await client.workbench('POST', `/changes/${changeId}/undo`)).error_message
}

function restore(entity: string, id: number, client = api) {
  return client.workbench<Undone>('POST', `/deleted_records/${entity}/${id}/restore`)
}

async function remove(entity: string, { id, path }: Made): Promise<void> {
  if (entity === 'mailing_list') await deleteList(api, id)
  else expectSuccess(await api.delete(path))
}

function age(days: number): void {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  database.prepare('UPDATE change_log SET at = at - ?').run(days * day)
  database.close()
}

describe('what an edit changed', () => {
  const untold =
    /^(id|organization_id|is_template|is_remote_list|primary_key_custom_field_id|expired)$|_key$|_at$/

  it.each(Object.keys(languages))(
    'has words for every column and part that an edit can change (%s)',
    (language) => {
      const texts = JSON.parse(readFileSync(`src-renderer/locales/${language}.json`, 'utf8')) as {
        auditAttribute: Record<string, string>
      }
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
      const places = Object.entries(recordRules).flatMap(([entity, { tables }]) => {
        const columns = database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
        const parts = tables.parts.map(({ table }) => table)
        // These are a part of what is deleted, and edited by themselves.
        const edited = parts.filter(
          (table) => !['autoresponders', 'pending_subscriptions', 'confirmation_deliveries'].includes(table)
        )
        const kept = columns.all(tables.table).filter((name) => !untold.test(name))
        return Object.hasOwn(kinds, entity) ? [...kept, ...edited] : []
      })
      database.close()
      const wordless = places.filter((place) => texts.auditAttribute[attributeOf(place) ?? ''] === undefined)
      expect(wordless).toEqual([])
    }
  )
})

describe('undoing an edit', () => {
  it.each(Object.entries(kinds))('makes a %s what it was, and can be undone itself', async (entity, make) => {
    const list = await makeList(api)
    const made = await make(list.id)
    const before = await read(made.path)
    expectSuccess(await api.put(made.path, made.change))
    const after = await read(made.path)
    expect(after).not.toEqual(before)
    const [edit] = await changesOf(entity, made.id)
    expect(edit).toMatchObject({ action: 'update', undo: 'edit', via: 'api_key' })
    expect(edit?.changes).not.toEqual([])
    expect(await undo(edit?.id)).toBeNull()
    expect(await read(made.path)).toEqual(before)
    const [undoing] = await changesOf(entity, made.id)
    expect(undoing?.id).toBeGreaterThan(edit?.id ?? 0)
    expect(await undo(undoing?.id)).toBeNull()
    expect(await read(made.path)).toEqual(after)
  })

  it('says in the log what was changed, in the words of the window', async () => {
    const list = await makeList(api, { name: 'Before', has_format: false })
    const mailing_list = { name: 'After', has_format: true, d_autowinner_delay_amount: 3 }
    await api.put(`/mailing_lists/${list.id}`, { mailing_list })
    const [edit] = await changesOf('mailing_list', list.id)
    expect(edit?.changes).toEqual([
      { attribute: 'name', field: null, before: 'Before', now: 'After' },
      { attribute: 'email_format', field: null, before: false, now: true },
      { attribute: 'split_test', field: null, before: null, now: null }
    ])
  })

  it('keeps later changes, and is refused if the same value was changed later', async () => {
    const list = await makeList(api, { name: 'One', d_from_name: 'Anna' })
    const change = (mailing_list: object) => api.put(`/mailing_lists/${list.id}`, { mailing_list })
    await change({ name: 'Two' })
    const [renaming] = await changesOf('mailing_list', list.id)
    await change({ d_from_name: 'Berta' })
    expect(await undo(renaming?.id)).toBeNull()
    expect(await read(`/mailing_lists/${list.id}`)).toMatchObject({ name: 'One', d_from_name: 'Berta' })
    await change({ name: 'Three' })
    expect(await undo(renaming?.id)).toContain('changed again since then')
    expect(await read(`/mailing_lists/${list.id}`)).toMatchObject({ name: 'Three' })
  })

  it('is refused for a field if it would remove values of subscribers', async () => {
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'Colour', 'select_single_dropdown', {
      options: [{ name: 'Red' }]
    })
    const path = `/mailing_lists/${list.id}/custom_fields/${field.id}`
    expectSuccess(await api.put(path, { custom_field: { options: [{ name: 'Red' }, { name: 'Blue' }] } }))
    await makeSubscriber(api, list.id, 'a@example.com', { custom_fields: { Colour: 'Blue' } })
    const [edit] = await changesOf('custom_field', field.id)
    expect(await undo(edit?.id)).toContain('could take values from subscribers')
    expect((await allSubscribers(api, list.id))[0]?.custom_fields).toMatchObject({
      Colour: { value: 'Blue' }
    })
  })

  it('is refused for an option that a segment uses', async () => {
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'Colour', 'select_single_dropdown', {
      options: [{ name: 'Red' }]
    })
    const path = `/mailing_lists/${list.id}/custom_fields/${field.id}`
    expectSuccess(await api.put(path, { custom_field: { options: [{ name: 'Red' }, { name: 'Blue' }] } }))
    const [edit] = await changesOf('custom_field', field.id)
    const { options } = expectSuccess(await api.get<{ options: { id: number; name: string }[] }>(path))
    const blue = options.find(({ name }) => name === 'Blue')
    const condition = {
      type: 'custom_field',
      custom_field_id: field.id,
      kind: 'options',
      operator: 'is one of',
      option_ids: [blue?.id]
    }
    const segmentation_criteria = { name: 'Blue ones', clause: [condition] }
    const segment = expectSuccess(
      await api.workbench<{ id: number }>('POST', `/mailing_lists/${list.id}/segments`, {
        segmentation_criteria
      })
    )
    expect(await undo(edit?.id)).toContain('segment "Blue ones"')
    expectSuccess(await api.delete(`/segments/${segment.id}`))
    expect(await undo(edit?.id)).toBeNull()
  })

  it('is refused if a former reference no longer exists', async () => {
    const list = await makeList(api)
    const [first, second] = [await makeList(api), await makeList(api)]
    const { id } = await makeSegment(api, list.id, { other: first.id })
    const clause = [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: second.id }]
    expectSuccess(await api.put(`/segments/${id}`, { segmentation_criteria: { clause } }))
    await deleteList(api, first.id)
    const [edit] = await changesOf('segment', id)
    expect(await undo(edit?.id)).toContain(`${first.id} does not exist`)
    expect(await read(`/segments/${id}`)).toMatchObject({ clause: [{ mailing_list_id: second.id }] })
  })

  it('is refused for a suppression list whose former list is gone', async () => {
    const list = await makeList(api)
    const suppression_list = { name: `Suppressed ${Math.random()}`, mailing_list_id: list.id }
    const { id } = expectSuccess(await api.post<{ id: number }>('/suppression_lists', { suppression_list }))
    expectSuccess(await api.put(`/suppression_lists/${id}`, { suppression_list: { mailing_list_id: null } }))
    const [edit] = await changesOf('suppression_list', id)
    await deleteList(api, list.id)
    expect(await undo(edit?.id)).toContain(`list ${list.id}`)
    expect(await read(`/suppression_lists/${id}`)).toMatchObject({ mailing_list_id: null })
  })

  it('removes a suppression list from a list that is gone', async () => {
    const list = await makeList(api)
    const suppression_list = { name: `Suppressed ${Math.random()}`, mailing_list_id: null }
    const { id } = expectSuccess(await api.post<{ id: number }>('/suppression_lists', { suppression_list }))
    const path = `/suppression_lists/${id}`
    expectSuccess(await api.put(path, { suppression_list: { mailing_list_id: list.id } }))
    const [edit] = await changesOf('suppression_list', id)
    await deleteList(api, list.id)
    expect(await undo(edit?.id)).toBeNull()
    expect(await read(path)).toMatchObject({ mailing_list_id: null })
  })

  it('is refused for a campaign whose segment was deleted since', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const segment = await makeSegment(api, list.id, { other: list.id })
    const toSegment = { segmentation_criteria_ad_hoc: undefined, segmentation_criteria_id: segment.id }
    const begins_at = Math.floor(Date.now() / 1000)
    const dispatch_attributes = { from_email: 'a@example.com', begins_at }
    const sent = await makeCampaign(api, list.id, { ...toSegment, dispatch_attributes })
    await api.sent(sent.id)
    const draft = await makeCampaign(api, list.id, toSegment)
    const path = `/campaigns/${draft.id}`
    const segmentation_criteria_ad_hoc = [
      { type: 'in_mailing_list', operator: 'is in', mailing_list_id: list.id }
    ]
    expectSuccess(await api.put(path, { campaign: { segmentation_criteria_ad_hoc } }))
    const [edit] = await changesOf('campaign', draft.id)
    // It is kept for the one that was sent to it.
    expectSuccess(await api.delete(`/segments/${segment.id}`))
    const before = await read(path)
    expect(await undo(edit?.id)).toContain('has been deleted since')
    expect(await read(path)).toEqual(before)
  })

  it('reverts the scheduling of a campaign, and never schedules one', async () => {
    const list = await makeList(api)
    const { id } = await makeCampaign(api, list.id)
    const path = `/campaigns/${id}`
    const at = (begins_at: number | null) =>
      api.put(path, { campaign: { dispatch_attributes: { begins_at } } }).then(expectSuccess)
    const state = async () =>
      expectSuccess(await api.get<{ dispatch: { state: string } }>(path)).dispatch.state
    await at(Math.floor(Date.now() / 1000) + 3600)
    expect(await state()).toBe('scheduled')
    const [scheduling] = await changesOf('campaign', id)
    expect(await undo(scheduling?.id)).toBeNull()
    expect(await state()).toBe('idle')
    const [undoing] = await changesOf('campaign', id)
    expect(await undo(undoing?.id)).toBeNull()
    expect(await state()).toBe('idle')
    await at(Math.floor(Date.now() / 1000) + 3600)
    await api.put(path, { campaign: { contents: [{ subject: 'New', format: 'text', html: '', text: 'x' }] } })
    const [edit] = await changesOf('campaign', id)
    expect(await undo(edit?.id)).toContain('is to be sent as it is now')
  })

  it('is refused for a campaign that has begun, except for its name', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const { id } = await makeCampaign(api, list.id)
    await api.put(`/campaigns/${id}`, { campaign: { dispatch_attributes: { from_name: 'Anna' } } })
    const [edit] = await changesOf('campaign', id)
    await api.put(`/campaigns/${id}`, {
      campaign: { dispatch_attributes: { begins_at: Math.floor(Date.now() / 1000) } }
    })
    await api.sent(id)
    await api.put(`/campaigns/${id}`, { campaign: { name: 'Renamed' } })
    const [renaming] = await changesOf('campaign', id)
    expect(await undo(edit?.id)).toMatch(/changed again|has begun/)
    expect(await undo(renaming?.id)).toBeNull()
    expect(await read(`/campaigns/${id}`)).not.toMatchObject({ name: 'Renamed' })
  })

  it('needs the permission to change such a record', async () => {
    const organizationId = await makeOrganization(started)
    const admin = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(admin)
    const { id } = await makeSegment(admin, list.id)
    await admin.put(`/segments/${id}`, { segmentation_criteria: { name: 'Renamed' } })
    const [edit] = await changesOf('segment', id, admin)
    const permissions = { segmentation_criteria: ['create', 'delete'] }
    const other = await clientOfUser(started, { organizationId, role: 'standard', permissions })
    expect(await undo(edit?.id, other)).toContain('segmentation_criteria')
    // The system organization does not find the change of another organization; the administrator of that organization can undo it.
    expect(await undo(edit?.id)).toContain(`change ${edit?.id}`)
    expect(await undo(edit?.id, admin)).toBeNull()
  })
})

describe('restoring what was deleted', () => {
  it.each(Object.entries(kinds))('brings a %s back under its id, as it was', async (entity, make) => {
    const list = await makeList(api)
    const made = await make(list.id)
    const before = await read(made.path)
    await remove(entity, made)
    expect(await read(made.path)).toBeNull()
    const [deletion] = await changesOf(entity, made.id)
    expect(deletion).toMatchObject({ action: 'delete', undo: 'deletion' })
    // Messages that it had queued are removed first.
    await vi.waitFor(async () => expect((await restore(entity, made.id)).error_message).toBeNull(), 5000)
    expect(await read(made.path)).toEqual(before)
    const [restoring, undone] = await changesOf(entity, made.id)
    expect(restoring?.changes).toMatchObject([{ attribute: 'restored' }])
    expect(undone).toMatchObject({ action: 'delete', undo: null })
    expect((await restore(entity, made.id)).error_message).toContain('restored already')
  })

  it('brings a list back with all that was on it, and its unfinished jobs stay cancelled', async () => {
    const list = await makeList(api)
    await makeField(api, list.id, 'City', 'text')
    await importText(api, list.id, 'email,City\na@example.com,Bern\nb@example.com,Wien\n', {
      column_mapping: ['email', 'City']
    })
    const campaign = await makeCampaign(api, list.id, {
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) + 3600 }
    })
    const segment = await makeSegment(api, list.id)
    const people = await allSubscribers(api, list.id)
    const total = (await api.get<{ counts: { active: number } }>('/subscriber_counts')).data.counts.active
    await deleteList(api, list.id)
    const listed = async () => expectSuccess(await api.workbench<DeletedList[]>('GET', '/deleted_lists'))
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id: list.id, name: list.name, subscribers: 2 })
    )
    expect(expectSuccess(await restore('mailing_list', list.id))).toMatchObject({ left_out: [] })
    expect((await listed()).map(({ id }) => id)).not.toContain(list.id)
    expect(await allSubscribers(api, list.id)).toEqual(people)
    expect((await api.get<{ counts: { active: number } }>('/subscriber_counts')).data.counts.active).toBe(
      total
    )
    expect((await api.get(`/segments/${segment.id}`)).success).toBe(true)
    expect(await read(`/campaigns/${campaign.id}`)).toMatchObject({ dispatch: { state: 'cancelled' } })
  })

  it('brings a list back with who unsubscribed from it meanwhile, and tells so', async () => {
    const list = await makeList(api)
    const { id } = await makeSubscriber(api, list.id, 'a@example.com')
    const token = await unsubscribeTokenOf(started, id)
    await deleteList(api, list.id)
    const refused = await api.post('/subscribers/unsubscribe', { unsubscribe: { token } })
    expect(refused.error_code).toBe('not_found')
    expectSuccess(await restore('mailing_list', list.id))
    expect(await allSubscribers(api, list.id)).toMatchObject([{ id, status: 'unsubscribed' }])
    const [unsubscribing] = await changesOf('subscriber', id)
    expect(unsubscribing?.changes).toMatchObject([
      { attribute: 'status', before: 'active', now: 'unsubscribed' }
    ])
  })

  it('leaves a stored segment alone that was deleted and restored since', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const segment = await makeSegment(api, list.id, { name: 'Loyal', other: list.id })
    const { id } = await makeCampaign(api, list.id, {
      segmentation_criteria_ad_hoc: undefined,
      segmentation_criteria_id: segment.id,
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await api.sent(id)
    expectSuccess(await api.delete(`/segments/${segment.id}`))
    expectSuccess(await api.delete(`/campaigns/${id}`))
    expectSuccess(await restore('segment', segment.id))
    expectSuccess(await api.put(`/segments/${segment.id}`, { segmentation_criteria: { name: 'Renamed' } }))
    const before = await read(`/segments/${segment.id}`)
    expectSuccess(await restore('campaign', id))
    expect(await read(`/segments/${segment.id}`)).toEqual(before)
    expect(before).toMatchObject({ name: 'Renamed' })
  })

  it('leaves the segment of a draft blank that was deleted and is kept for a sent campaign', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const segment = await makeSegment(api, list.id, { other: list.id })
    const toSegment = { segmentation_criteria_ad_hoc: undefined, segmentation_criteria_id: segment.id }
    const begins_at = Math.floor(Date.now() / 1000)
    const dispatch_attributes = { from_email: 'a@example.com', begins_at }
    const sent = await makeCampaign(api, list.id, { ...toSegment, dispatch_attributes })
    await api.sent(sent.id)
    const draft = await makeCampaign(api, list.id, toSegment)
    expectSuccess(await api.delete(`/campaigns/${draft.id}`))
    expectSuccess(await api.delete(`/segments/${segment.id}`))
    expect(expectSuccess(await restore('campaign', draft.id))).toMatchObject({ left_out: ['recipients'] })
    expectSuccess(await api.delete(`/campaigns/${draft.id}`))
  })

  it('brings a campaign back with its statistics', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const { id } = await makeCampaign(api, list.id, {
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    const sent = await api.sent(id)
    expect(sent.stat_summary).toMatchObject({ messages_sent: 1 })
    await api.delete(`/campaigns/${id}`)
    expectSuccess(await restore('campaign', id))
    expect((await api.get<typeof sent>(`/campaigns/${id}`)).data.stat_summary).toEqual(sent.stat_summary)
  })

  it('never lets a campaign be sent by that', async () => {
    const list = await makeList(api)
    const { id } = await makeCampaign(api, list.id, {
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) + 3600 }
    })
    await api.delete(`/campaigns/${id}`)
    expectSuccess(await restore('campaign', id))
    expect(await read(`/campaigns/${id}`)).toMatchObject({ dispatch: { state: 'idle', begins_at: null } })
    expectSuccess(await api.put(`/campaigns/${id}`, { campaign: { name: 'Renamed' } }))
    expect(await read(`/campaigns/${id}`)).toMatchObject({ name: 'Renamed', dispatch: { state: 'idle' } })
  })

  it('leaves blank what is gone by now, and says so', async () => {
    const make = async (path: string, body: object) =>
      expectSuccess(await api.post<{ id: number }>(path, body)).id
    const seedListId = await make('/seed_lists', { seed_list: { name: 'Seeds', addresses_array: [] } })
    const domainId = await make('/url_domains', { url_domain: { domain: 'links.example.com' } })
    const mtaId = await make('/virtual_mtas', { virtual_mta: { name: 'Fast' } })
    const list = await makeList(api, {
      d_url_domain: 'links.example.com',
      d_virtual_mta: 'Fast',
      d_seed_list_ids: [seedListId]
    })
    expect(list).toMatchObject({ d_url_domain_id: domainId })
    await deleteList(api, list.id)
    expectSuccess(await api.delete(`/seed_lists/${seedListId}`))
    expectSuccess(await api.delete(`/url_domains/${domainId}`))
    expectSuccess(await api.delete(`/virtual_mtas/${mtaId}`))
    const { left_out } = expectSuccess(await restore('mailing_list', list.id))
    expect(left_out.sort()).toEqual(['seed_lists', 'url_domain', 'virtual_mta'])
    expect(await read(`/mailing_lists/${list.id}`)).toMatchObject({ d_url_domain: null, d_virtual_mta_id: 0 })
  })

  it('is refused where another record has the name by now', async () => {
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'City', 'text')
    await api.delete(`/mailing_lists/${list.id}/custom_fields/${field.id}`)
    await makeField(api, list.id, 'city', 'number')
    expect((await restore('custom_field', field.id)).error_message).toContain('name by now')
    const responder = await makeAutoresponder(api, list.id, 'Welcome')
    await api.delete(`/mailing_lists/${list.id}/autoresponders/${responder.id}`)
    await makeAutoresponder(api, list.id, 'Welcome')
    await vi.waitFor(async () =>
      expect((await restore('autoresponder', responder.id)).error_message).toContain('name by now')
    )
  })

  it('keeps what two sent campaigns went to where one of them is deleted', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const segment = await makeSegment(api, list.id, { other: list.id })
    const send = async () => {
      const begins_at = Math.floor(Date.now() / 1000)
      const dispatch_attributes = { from_email: 'a@example.com', begins_at }
      const toSegment = { segmentation_criteria_ad_hoc: undefined, segmentation_criteria_id: segment.id }
      const { id } = await makeCampaign(api, list.id, { ...toSegment, dispatch_attributes })
      await api.sent(id)
      return id
    }
    const [first, second] = [await send(), await send()]
    expectSuccess(await api.delete(`/segments/${segment.id}`))
    const before = await read(`/campaigns/${second}`)
    expectSuccess(await api.delete(`/campaigns/${first}`))
    expect(await read(`/campaigns/${second}`)).toEqual(before)
  })

  it('advises to delete what has the name by now, where nothing can be given another', async () => {
    const add = async () =>
      expectSuccess(await api.post<{ id: number }>('/virtual_mtas', { virtual_mta: { name: 'Slow' } })).id
    const id = await add()
    expectSuccess(await api.delete(`/virtual_mtas/${id}`))
    await add()
    expect((await restore('virtual_mta', id)).error_message).toMatch(/name by now. Delete that one first/)
  })

  it('is refused when the list is gone, after 7 days, and for what was never deleted', async () => {
    const list = await makeList(api)
    const segment = await makeSegment(api, list.id)
    expect((await restore('segment', segment.id)).error_message).toContain(
      `deletion of segment ${segment.id}`
    )
    await api.delete(`/segments/${segment.id}`)
    await deleteList(api, list.id)
    expect((await restore('segment', segment.id)).error_message).toContain(`list ${list.id}`)
    expectSuccess(await restore('mailing_list', list.id))
    age(7.01)
    expect((await restore('segment', segment.id)).error_message).toContain('for 7 days')
  })

  it('makes an organization what it was, for system administrators', async () => {
    const id = await makeOrganization(started, { name: 'Ours', timeZone: 'Europe/Vienna' })
    const admin = await systemAdminIn(started.app, id)
    const path = `/organizations/${id}`
    const before = await read(path)
    const changes = { name: 'Theirs', time_zone_name: 'Asia/Tokyo', html_footer: '<p>Bye</p>' }
    expectSuccess(await api.put(path, { organization: changes }))
    const [edit] = await changesOf('organization', id, admin)
    expect(edit?.changes).toEqual([
      { attribute: 'name', field: null, before: 'Ours', now: 'Theirs' },
      { attribute: 'time_zone', field: null, before: 'Europe/Vienna', now: 'Asia/Tokyo' },
      { attribute: 'html_footer', field: null, before: null, now: null }
    ])
    const own = await clientOfUser(started, { organizationId: id, role: 'organization_admin' })
    expect(await undo(edit?.id, own)).toContain('only system administrators may do this')
    const [seen] = await changesOf('organization', id, own)
    expect([edit?.undo, seen?.undo]).toEqual(['edit', null])
    expect(await undo(edit?.id, admin)).toBeNull()
    expect(await read(path)).toEqual(before)
    expectSuccess(await admin.workbench('PUT', '/organization', { subscriber_limit: 7 }))
    const [limit] = await changesOf('organization', id, admin)
    expect(limit?.changes).toEqual([{ attribute: 'subscriber_limit', field: null, before: '', now: 7 }])
    expect(await undo(limit?.id, admin)).toBeNull()
    const { data: settings } = await admin.workbench<{ subscriber_limit: number | null }>(
      'GET',
      '/organization'
    )
    expect(settings.subscriber_limit).toBeNull()
  })

  it('ends at once for a list that is deleted for good', async () => {
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    await deleteList(api, list.id)
    expectSuccess(await api.workbench('POST', `/deleted_lists/${list.id}/purge`))
    expect((await api.workbench('POST', `/deleted_lists/${list.id}/purge`)).error_message).toContain(
      `deleted list ${list.id}`
    )
    const [, deletion] = await changesOf('mailing_list', list.id)
    expect(await undo(deletion?.id)).toContain('for good')
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    const left = database.prepare('SELECT count(*) FROM subscribers WHERE mailing_list_id = ?').pluck()
    await vi.waitFor(() => expect(left.get(list.id)).toBe(0), 5000)
    database.close()
  })
})
