import { refusal } from '../../src-main/base/refusal.ts'
import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SignIn } from '../../src-main/api/accounts/authentication.ts'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
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
  makeSubscriber
} from '../support/builders.ts'
import { commandBench, plainImport } from '../support/commands.ts'

const started = sharedApplication()

function inDatabase(sql: string, ...parameters: unknown[]): void {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  database.prepare(sql).run(...parameters)
  database.close()
}

describe('a code that confirms the deletion of a list', () => {
  async function issued() {
    const list = await makeList(started.api)
    const { data } = await started.api.get<{ delete_confirmation_code: string }>(
      `/mailing_lists/${list.id}/delete_confirmation_code`
    )
    return {
      list,
      use: () => started.api.delete(`/mailing_lists/${list.id}/confirmed/${data.delete_confirmation_code}`)
    }
  }

  it('holds for two minutes and no longer', async () => {
    const { list, use } = await issued()
    inDatabase(
      'UPDATE delete_confirmations SET expires_at = ? WHERE mailing_list_id = ?',
      Date.now() - 1,
      list.id
    )
    expect((await use()).error_message).toBe('delete_confirmation_code has expired; ask for a new one')
    expect((await started.api.get(`/mailing_lists/${list.id}`)).success).toBe(true)
    inDatabase(
      'UPDATE delete_confirmations SET expires_at = ? WHERE mailing_list_id = ?',
      Date.now() + 5000,
      list.id
    )
    expect((await use()).success).toBe(true)
  })

  it('works once', async () => {
    const { list, use } = await issued()
    expect((await use()).success).toBe(true)
    inDatabase('UPDATE mailing_lists SET deleted_at = NULL WHERE id = ?', list.id)
    expect((await use()).error_message).toMatch(/^delete_confirmation_code is not the one/)
    inDatabase('UPDATE mailing_lists SET deleted_at = 1 WHERE id = ?', list.id)
  })
})

describe('a token that signs a window in', () => {
  it('works once', () => {
    const signIn = new SignIn()
    const token = signIn.issue({ organizationId: 1, userId: 2, apiKeyId: null })
    expect(signIn.redeem(token)).toMatchObject({ organizationId: 1, userId: 2 })
    expect(signIn.redeem(token)).toBeUndefined()
    expect(signIn.redeem('none')).toBeUndefined()
  })

  it.each([
    [10 * 60_000 - 1, true],
    [10 * 60_000, false]
  ])('used %i ms later works: %s', (later, isGood) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const signIn = new SignIn()
    const token = signIn.issue({ organizationId: 1, userId: 2, apiKeyId: null })
    vi.advanceTimersByTime(later)
    expect(signIn.redeem(token) !== undefined).toBe(isGood)
  })
})

it('a deleted list keeps its finished exports, and its unfinished ones end', async () => {
  const { api } = started
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const { id } = expectSuccess(
    await api.post<SubscriberExport>(`/mailing_lists/${list.id}/subscriber_exports`, {
      subscriber_export: {}
    })
  )
  const before = await api.exported(id)
  const waiting = expectSuccess(
    await api.post<SubscriberExport>(`/mailing_lists/${list.id}/subscriber_exports`, {
      subscriber_export: {}
    })
  )
  await api.exported(waiting.id)
  inDatabase("UPDATE subscriber_exports SET state = 'paused', finished_at = NULL WHERE id = ?", waiting.id)
  await deleteList(api, list.id)
  const stateOf = async (exportId: number) =>
    (await api.get<SubscriberExport>(`/subscriber_exports/${exportId}`)).data
  expect(await stateOf(id)).toEqual(before)
  expect((await stateOf(waiting.id)).state).toBe('cancelled')
})

describe('values of custom fields', () => {
  it('name an option once, however often they repeat it', async () => {
    const list = await makeList(started.api)
    const options = [{ name: 'News' }, { name: 'Offers' }]
    await makeField(started.api, list.id, 'Topics', 'select_multiple_checkboxes', { options })
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { Topics: ['News', 'Offers', 'news'] }
    })
    expect(made.custom_fields['Topics']?.value).toEqual(['News', 'Offers'])
  })

  it.each([
    ['number', { minimum_value: 3, maximum_value: 5 }, 2, false],
    ['number', { minimum_value: 3, maximum_value: 5 }, 3, true],
    ['number', { minimum_value: 3, maximum_value: 5 }, 5, true],
    ['number', { minimum_value: 3, maximum_value: 5 }, 6, false],
    ['number', { minimum_value: 0 }, -1, false],
    ['text', { minimum_length: 3, maximum_length: 5 }, 'ab', false],
    ['text', { minimum_length: 3, maximum_length: 5 }, 'abc', true],
    ['text', { minimum_length: 3, maximum_length: 5 }, 'abcde', true],
    ['text', { minimum_length: 3, maximum_length: 5 }, 'abcdef', false]
  ])('of type %s with %j take %s: %s', async (type, attributes, value, isTaken) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Value', type, attributes)
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'a@example.com', status: 'active', custom_fields: { Value: value } }
    })
    expect(answer.success).toBe(isTaken)
  })

  it('that are required must be in imports, except checkboxes', async () => {
    const list = await makeList(started.api)
    const required = { required: true }
    await makeField(started.api, list.id, 'Topics', 'select_multiple_checkboxes', {
      ...required,
      options: [{ name: 'A' }]
    })
    const without = await importText(started.api, list.id, 'email\na@example.com\n')
    expect(without.stats.subscribers).toMatchObject({ added: 1, failed: 0 })
    await makeField(started.api, list.id, 'City', 'text', required)
    const missing = await importText(started.api, list.id, 'email\nb@example.com\n')
    expect(missing.stats.subscribers).toMatchObject({ added: 0, failed: 1 })
  })
})

describe('a custom field', () => {
  it('that is in use is not deleted, and its uses are named', async () => {
    const { api } = started
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'First Name', 'text')
    const path = `/mailing_lists/${list.id}/custom_fields/${field.id}`
    const text = 'Hello %%first_name:raw%%'
    const campaign = await makeCampaign(api, list.id, {
      contents: [
        { subject: 'A', text },
        { subject: 'B', text }
      ]
    })
    const { data: template } = await api.post<{ id: number }>(`/mailing_lists/${list.id}/templates`, {
      campaign: { name: 'T', contents: [{ subject: '%% First_Name %%', text: 'x' }] }
    })
    const autoresponder = await makeAutoresponder(api, list.id, 'Hi', {
      content_html: '<b>%%FIRST NAME%%</b>'
    })
    await makeCampaign(api, list.id, { contents: [{ subject: '%%first_names%%', text: 'first_name' }] })
    expect(await api.delete(path)).toMatchObject({
      success: false,
      error_code: 'validation_failed',
      error_message:
        'Cannot delete custom field because it is currently being used by the following records.',
      data: {
        dependencies: [
          { type: 'campaign', id: campaign.id },
          { type: 'template', id: template.id },
          { type: 'autoresponder', id: autoresponder.id }
        ]
      }
    })
    await api.delete(`/campaigns/${campaign.id}`)
    await api.delete(`/templates/${template.id}`)
    await api.delete(`/mailing_lists/${list.id}/autoresponders/${autoresponder.id}`)
    expect((await api.delete(path)).success).toBe(true)
  })

  it('is not deleted if a content begins to use it during the check', async () => {
    const bench = await commandBench()
    await bench.run('accounts.ensureSystemOrganization', undefined)
    const scope = {
      organizationId: 1,
      mailingListId: await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
    }
    const field = await bench.run('customFields.create', {
      ...scope,
      field: { name: 'Age', field_type: 'number' }
    })
    const create = (subject: string): Promise<number> =>
      bench.run('campaigns.create', {
        ...scope,
        timeZone: 'UTC',
        kind: 'campaign',
        source: {
          duplicate_content: false,
          duplicate_segmentation_criteria: false,
          duplicate_dispatch: false
        },
        campaign: { name: 'News', contents: [{ subject, text: 'x' }] }
      })
    const remove = async (): Promise<void> => {
      const unusedSince = bench.sqlite.prepare('SELECT max(id) FROM change_log').pluck().get() as number
      await create('%%age%%')
      await bench.run('customFields.delete', { ...scope, id: field.id, unusedSince })
    }
    await expect(remove()).rejects.toThrow('Cannot delete custom field')
  })

  it('can lose an option or change its type once no subscriber has an affected value', async () => {
    const { api } = started
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'Size', 'select_single_dropdown', {
      options: [{ name: 'S' }, { name: 'M' }]
    })
    const { id } = await makeSubscriber(api, list.id, 'a@example.com', { custom_fields: { Size: 'M' } })
    const change = (custom_field: Record<string, unknown>) =>
      api.put<CustomField>(`/mailing_lists/${list.id}/custom_fields/${field.id}`, { custom_field })
    expect((await change({ options: [{ name: 'S' }] })).error_message).toMatch(/^options cannot lose "M"/)
    expect((await change({ field_type: 'text' })).error_message).toMatch(/^field_type cannot change/)
    expect((await change({ options: [{ name: 'M' }] })).data.options?.map(({ name }) => name)).toEqual(['M'])
    await api.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
      subscriber: { custom_fields: { Size: '' } }
    })
    expect((await change({ field_type: 'text' })).data.field_type).toBe('text')
  })

  it('keeps its options and its type while an import goes on with them', async () => {
    const bench = await commandBench()
    await bench.run('accounts.ensureSystemOrganization', undefined)
    const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
    const field = await bench.run('customFields.create', {
      organizationId: 1,
      mailingListId,
      field: { name: 'Size', field_type: 'select_single_dropdown', options: [{ name: 'S' }, { name: 'M' }] }
    })
    const id = await bench.run('subscriberImports.create', plainImport(mailingListId))
    const change = (changes: Record<string, unknown>): Promise<unknown> =>
      bench.run('customFields.update', {
        organizationId: 1,
        mailingListId,
        id: field.id,
        changes,
        unusedSince: 0
      })
    await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
    await expect(change({ options: [{ name: 'S' }] })).rejects.toThrow(
      'options cannot lose "M" while an import is running; try again once it has ended'
    )
    await bench.run('subscriberImports.end', {
      id,
      end: { is: 'failed', fault: refusal('said', { text: 'no' }) }
    })
    await change({ options: [{ name: 'S' }] })
  })

  it('keeps an option that a subscriber got while its use was checked', async () => {
    const bench = await commandBench()
    await bench.run('accounts.ensureSystemOrganization', undefined)
    const scope = {
      organizationId: 1,
      mailingListId: await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
    }
    const field = await bench.run('customFields.create', {
      ...scope,
      field: { name: 'Size', field_type: 'select_single_dropdown', options: [{ name: 'S' }, { name: 'M' }] }
    })
    const subscriber = {
      email: 'a@example.com',
      status: 'active' as const,
      custom_fields: { Size: 'M' },
      apply_custom_field_defaults: false,
      skip_autoresponders: true,
      autoresponder_exclude_reacted: false
    }
    const unusedSince = bench.sqlite.prepare('SELECT max(id) FROM change_log').pluck().get() as number
    const change = { ...scope, id: field.id, changes: { options: [{ name: 'S' }] } }
    await bench.run('subscribers.create', { ...scope, timeZone: 'UTC', subscriber })
    await expect(bench.run('customFields.update', { ...change, unusedSince })).rejects.toThrow(
      'cannot lose "M"'
    )
  })
})

describe('limits that are met exactly', () => {
  it('let subscribers be added up to exactly the limit', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 2 })
    const api = await systemAdminIn(started.app, organizationId)
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    await makeSubscriber(api, list.id, 'b@example.com')
    const third = await api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'c@example.com', status: 'active' }
    })
    expect(third.error_message).toBe("the organization's limit of 2 subscribers is reached")
    const imported = await importText(api, list.id, 'email\nc@example.com\n')
    expect(imported.stats.subscribers).toMatchObject({ added: 0, skipped_over_limit: 1 })
  })

  it('let an import add the first rows of its file up to exactly the limit', async () => {
    const organizationId = await makeOrganization(started, { subscriberLimit: 60 })
    const api = await systemAdminIn(started.app, organizationId)
    const list = await makeList(api)
    const emails = Array.from({ length: 120 }, (_, n) => `p${n}@example.com`)
    const { stats } = await importText(api, list.id, `email\n${emails.join('\n')}\n`)
    expect(stats.subscribers).toMatchObject({ added: 60, skipped_over_limit: 60 })
    const added = (await allSubscribers(api, list.id)).map(({ email }) => email)
    expect(added.toSorted()).toEqual(emails.slice(0, 60).toSorted())
  })

  it.each([
    ['/mailing_lists/LIST/subscribers', 500],
    ['/subscriber_imports', 500],
    ['/subscriber_exports', 500],
    ['/system_campaigns', 500]
  ])('of %s per page are %i', async (path, most) => {
    const { id } = await makeList(started.api)
    const at = (count: number) => started.api.get(`${path.replace('LIST', String(id))}?per_page=${count}`)
    expect((await at(most)).success).toBe(true)
    expect(await at(most + 1)).toMatchObject({ success: false, error_code: 'requested_too_many' })
  })

  it('accept 100 subscribers in one path and refuse 101', async () => {
    const { id } = await makeList(started.api)
    const at = (count: number) =>
      started.api.get(
        `/mailing_lists/${id}/subscribers/${Array.from({ length: count }, (_, n) => n + 1).join()}`
      )
    expect((await at(100)).success).toBe(true)
    expect(await at(101)).toMatchObject({ error_code: 'requested_too_many' })
  })

  it('of a removal by email are 10 subscribers, with more_remaining false', async () => {
    const { data: field } = await started.api.post<{ id: number }>('/custom_fields', {
      custom_field: { name: `Key ${Math.random()}`, field_type: 'number' }
    })
    const { data } = await started.api.get<CustomField>(`/custom_fields/${field.id}`)
    const list = await makeList(started.api, { primary_key_custom_field_id: field.id })
    for (let key = 0; key < 10; key++) {
      await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { [data.name]: key } })
    }
    const removed = await started.api.delete<{ more_remaining: boolean; subscriber_ids_removed: number[] }>(
      `/mailing_lists/${list.id}/subscribers/a@example.com`
    )
    expect([removed.data.more_remaining, removed.data.subscriber_ids_removed.length]).toEqual([false, 10])
  })
})

it('an import is recent for two weeks after its end', async () => {
  const { api } = started
  const list = await makeList(api)
  const ids = [
    await importText(api, list.id, 'email\na@example.com\n'),
    await importText(api, list.id, 'email\n')
  ]
  const day = 24 * 60 * 60 * 1000
  for (const [index, days] of [13.9, 14.1].entries()) {
    inDatabase(
      'UPDATE subscriber_imports SET finished_at = ? WHERE id = ?',
      Date.now() - days * day,
      ids[index]?.id
    )
  }
  const { data } = await api.get<SubscriberImport[]>(
    `/mailing_lists/${list.id}/subscriber_imports?scope=recent`
  )
  expect(data.map(({ id }) => id)).toEqual([ids[0]?.id])
})

it('a delivery that was paused stays paused, whatever its thread reports', async () => {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  await bench.run('settings.ensureSigningSecret', undefined)
  const scope = { organizationId: 1, timeZone: 'UTC', kind: 'campaign' as const }
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
  const id = await bench.run('campaigns.create', {
    ...scope,
    mailingListId,
    source: { duplicate_content: false, duplicate_segmentation_criteria: false, duplicate_dispatch: false },
    campaign: {
      name: 'C',
      segmentation_criteria_ad_hoc: [],
      contents: [{ subject: 'S', text: 'T' }],
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
    }
  })
  const state = (): unknown =>
    bench.sqlite
      .prepare(
        "SELECT state, paused, error_message ->> 'text' AS error_message FROM dispatches WHERE campaign_id = ?"
      )
      .get(id)
  await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })
  await bench.run('campaigns.pause', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'failed', fault: refusal('said', { text: 'no' }) } })
  expect(state()).toEqual({ state: 'sending', paused: 1, error_message: null })
  await bench.run('campaigns.resume', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'held', fault: refusal('said', { text: 'wait' }) } })
  expect(state()).toEqual({ state: 'sending', paused: 1, error_message: 'wait' })
  await bench.run('campaigns.cancel', { organizationId: 1, id })
  await bench.run('deliveries.end', { id, end: { is: 'failed', fault: refusal('said', { text: 'no' }) } })
  expect(state()).toMatchObject({ state: 'cancelled' })
})

it.each([
  ['virtual_mta_id', 0],
  ['virtual_mta_id', null],
  ['bounce_email_id', ''],
  ['bounce_email_id', null],
  ['url_domain_id', 0],
  ['url_domain_id', null]
] as const)('a campaign whose %s is %j has no own value', async (name, value) => {
  const { api } = started
  const list = await makeList(api)
  const { dispatch } = await makeCampaign(api, list.id, { dispatch_attributes: { [name]: value } })
  expect([null, 0]).toContain(dispatch?.[name])
})

it('a template ignores begins_at, and so does a campaign created from it', async () => {
  const { api } = started
  const list = await makeList(api)
  const campaign = {
    name: 'T',
    segmentation_criteria_ad_hoc: [],
    contents: [{ subject: 'A', text: 'A' }],
    dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
  }
  const { data } = await api.post<CampaignDetail>(`/mailing_lists/${list.id}/templates`, { campaign })
  expect(data.dispatch?.state).toBe('idle')
  const { data: made } = await api.post<CampaignDetail>(`/mailing_lists/${list.id}/campaigns`, {
    source_template_id: data.id,
    duplicate_content: true,
    duplicate_segmentation_criteria: true,
    duplicate_dispatch: true,
    campaign: { name: 'C' }
  })
  expect(made.dispatch).toMatchObject({ state: 'idle', begins_at: null })
})

it('a campaign cannot take over a segment from a template of another list', async () => {
  const { api } = started
  const [list, other] = [await makeList(api), await makeList(api)]
  const campaign = { name: 'T', segmentation_criteria_ad_hoc: [], contents: [] }
  const { data } = await api.post<CampaignDetail>(`/mailing_lists/${other.id}/templates`, { campaign })
  const made = (duplicates: boolean) =>
    api.post<CampaignDetail>(`/mailing_lists/${list.id}/campaigns`, {
      source_template_id: data.id,
      duplicate_segmentation_criteria: duplicates,
      campaign: { name: 'C' }
    })
  expect(await made(true)).toMatchObject({
    error_code: 'validation_failed',
    error_message: `duplicate_segmentation_criteria: template ${data.id} belongs to another list, so its segment cannot be copied`
  })
  expect((await made(false)).success).toBe(true)
})

it('an ad hoc segment is deleted when another replaces it, and with its campaign', async () => {
  const { api } = started
  const [list, other] = [await makeList(api), await makeList(api)]
  const adHoc = [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: other.id }]
  const made = await makeCampaign(api, list.id, { segmentation_criteria_ad_hoc: adHoc })
  const criteria = async () =>
    (await api.get<{ id: number; mailing_list_id: number }[]>('/segmentation_criterias')).data.filter(
      ({ mailing_list_id }) => mailing_list_id === list.id
    )
  const [first] = await criteria()
  await api.put(`/campaigns/${made.id}`, { campaign: { segmentation_criteria_ad_hoc: [] } })
  const after = await criteria()
  expect(after).toHaveLength(1)
  expect(after[0]?.id).not.toBe(first?.id)
  const stored = await makeSegment(api, list.id, { other: other.id })
  await api.put(`/campaigns/${made.id}`, { campaign: { segmentation_criteria_id: stored.id } })
  expect((await criteria()).map(({ id }) => id)).toEqual([stored.id])
  await api.put(`/campaigns/${made.id}`, { campaign: { segmentation_criteria_ad_hoc: [] } })
  await api.delete(`/campaigns/${made.id}`)
  expect((await criteria()).map(({ id }) => id)).toEqual([stored.id])
})

it.each([19_999, 20_000, 20_001])(
  'the members of a segment of a list of %i are all counted',
  async (people) => {
    const { api } = started
    const [list, other] = [await makeList(api), await makeList(api)]
    const emails = Array.from({ length: people }, (_, n) => `p${n}@example.com`)
    await importText(api, list.id, `email\n${emails.join('\n')}\n`)
    await importText(api, other.id, `email\n${emails.at(0)}\n${emails.at(-1)}\n`)
    const segment = await makeSegment(api, list.id, { other: other.id })
    const { data } = await api.workbench<Record<string, number>>('GET', `/segments/${segment.id}/counts`)
    expect(data).toMatchObject({ active: 2, bounced: 0 })
  }
)

it('undoing an import needs the permissions to delete and to change subscribers', async () => {
  const list = await makeList(started.api)
  const { id } = await importText(started.api, list.id, 'email\na@example.com\n')
  const undo = async (...actions: string[]) => {
    const user = await clientOfUser(started, { permissions: { subscriber: ['import', ...actions] } })
    return (await user.workbench('POST', `/subscriber_imports/${id}/undo`)).status
  }
  expect([await undo(), await undo('delete'), await undo('update')]).toEqual([403, 403, 403])
  expect(await allSubscribers(started.api, list.id)).toHaveLength(1)
  expect(await undo('delete', 'update')).toBe(200)
})

describe('the days of a statistics report', () => {
  it('are whole: from the first hour of the first to the last hour of the last', async () => {
    const { api } = started
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const begins_at = Math.floor(Date.now() / 1000)
    const { id } = await makeCampaign(api, list.id, {
      dispatch_attributes: { from_email: 'a@example.com', begins_at }
    })
    await api.sent(id)
    const sentOn = async (start: string, end: string) => {
      const { data } = await api.get<{ report: { campaign_id: number }[] }>(
        `/organizations/1/messages_sent/daily?start_date=${start}&end_date=${end}`
      )
      return data.report.filter(({ campaign_id }) => campaign_id === id).length
    }
    const at = (hour: string) =>
      inDatabase(
        `UPDATE stat_counters SET hour = ? WHERE stat_slice_id IN
           (SELECT stat_slices.id FROM stat_slices JOIN stats ON stats.id = stat_id WHERE campaign_id = ?)`,
        Date.parse(hour),
        id
      )
    at('2024-02-29T23:00:00Z')
    expect([await sentOn('20240229', '20240229'), await sentOn('20240301', '20240302')]).toEqual([1, 0])
    at('2024-02-29T00:00:00Z')
    expect([await sentOn('20240229', '20240229'), await sentOn('20240227', '20240228')]).toEqual([1, 0])
    for (const day of ['00500101', '19691231', '20240230']) {
      const answer = await api.get(`/organizations/1/messages_sent/daily?start_date=${day}`)
      expect(answer.error_message).toBe('start_date must be a day such as 20140131')
    }
    const turned = '/organizations/1/messages_sent/daily?start_date=20240302&end_date=20240301'
    expect((await api.get(turned)).error_message).toBe('start_date must not be after end_date')
  })

  it('leave out campaigns that are being sent on request', async () => {
    const { api } = started
    const list = await makeList(api)
    for (const name of ['a', 'b', 'c']) await makeSubscriber(api, list.id, `${name}@example.com`)
    const begins_at = Math.floor(Date.now() / 1000)
    const dispatch_attributes = { from_email: 'a@example.com', begins_at, speed: 60 }
    const { id } = await makeCampaign(api, list.id, { dispatch_attributes })
    const shown = async (query: string) => {
      const { data } = await api.get<{ campaign_report: { campaign: { id: number; state: string } }[] }>(
        `/system_campaigns?per_page=500${query}`
      )
      return data.campaign_report.find(({ campaign }) => campaign.id === id)?.campaign.state
    }
    await vi.waitUntil(async () => (await shown('')) === 'sending', { timeout: 20_000 })
    expect(await shown('&exclude_active_campaigns=1')).toBeUndefined()
    await api.post(`/campaigns/${id}/cancel`)
    expect(await shown('&exclude_active_campaigns=1')).toBe('cancelled')
  })
})

it('a rekey that was interrupted while collecting keys is abandoned, and can be started again', async () => {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const id = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
  const scope = { organizationId: 1, mailingListId: id }
  const field = await bench.run('customFields.create', {
    ...scope,
    field: { name: 'Number', field_type: 'number' }
  })
  const add = (number: number) =>
    bench.run('subscribers.create', {
      ...scope,
      timeZone: 'UTC',
      subscriber: {
        email: `p${number}@example.com`,
        status: 'active',
        custom_fields: { Number: number },
        apply_custom_field_defaults: false,
        skip_autoresponders: true,
        autoresponder_exclude_reacted: false
      }
    })
  for (let number = 0; number < 1001; number++) await add(number)
  const rekey = { organizationId: 1, id, changes: {}, fieldId: field.id }
  expect(await bench.run('rekeys.begin', rekey)).toBe(true)
  expect(await bench.run('rekeys.continue', { organizationId: 1, id })).toEqual({ more: true })
  // Here the application was killed.
  await bench.run('rekeys.abandon', { id })
  await expect(add(5000)).rejects.toThrow('changing its primary key')
  const keyOf = () =>
    bench.sqlite.prepare('SELECT primary_key_custom_field_id FROM mailing_lists').pluck().get()
  for (let more = true; more;)
    more = ((await bench.run('rekeys.continue', { organizationId: 1, id })) as { more: boolean }).more
  expect(keyOf()).toBeNull()
  expect(bench.sqlite.prepare('SELECT count(*) FROM rekey_entries').pluck().get()).toBe(0)
  await add(5000)
  expect(await bench.run('rekeys.begin', rekey)).toBe(true)
  for (let more = true; more;)
    more = ((await bench.run('rekeys.continue', { organizationId: 1, id })) as { more: boolean }).more
  expect(keyOf()).toBe(field.id)
})
