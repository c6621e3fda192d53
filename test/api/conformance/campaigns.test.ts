import { describe, expect, it } from 'vitest'
import type {
  CampaignDetail,
  CampaignSummary,
  TemplateDetail
} from '../../../src-main/api/campaigns/schema.ts'
import type { SegmentationCriteria } from '../../../src-main/api/segments/schema.ts'
import { clientOfUser } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import {
  deleteList,
  makeAutoresponder,
  makeCampaign,
  makeList,
  makeSubscriber,
  makeRemoteList,
  makeSegment
} from '../../support/builders.ts'
import type { Answer } from '../../support/client.ts'

const started = sharedApplication()
const later = '2099-01-01T10:00:00Z'
const sender = { from_email: 'sender@example.com' }
const contents = [{ name: 'A', subject: 'Hello', format: 'html', html: '<p>Hello</p>' }]
let number = 0
const unique = (): string => `Name ${++number}`

async function create(
  listId: number,
  campaign: Record<string, unknown>,
  beside: Record<string, unknown> = {}
): Promise<Answer<CampaignDetail>> {
  return started.api.post(`/mailing_lists/${listId}/campaigns`, { ...beside, campaign })
}

function change(id: number, campaign: Record<string, unknown>): Promise<Answer<CampaignDetail>> {
  return started.api.put(`/campaigns/${id}`, { campaign })
}

async function put(id: number, campaign: object): Promise<Answer<CampaignDetail>> {
  return started.api.put<CampaignDetail>(`/campaigns/${id}`, { campaign })
}

describe('a campaign is refused with validation_failed', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['without a name', {}, /^name cannot be blank$/],
    [
      'with two of the three segment inputs',
      { name: 'A', segmentation_criteria_ad_hoc: [], segmentation_criteria_remote_sql: 'SELECT 1' },
      /^only one of segmentation_criteria_id, segmentation_criteria_ad_hoc and/
    ],
    [
      'with SQL for a list that is no Remote List',
      { name: 'A', segmentation_criteria_remote_sql: 'SELECT 1' },
      /^segmentation_criteria_remote_sql belongs to campaigns of Remote Lists only$/
    ],
    [
      'with a segment that the list lacks',
      { name: 'A', segmentation_criteria_id: 999_999 },
      /^segmentation_criteria_id 999999 is no segment of this list$/
    ],
    [
      'with an ad hoc segment on a list that is none',
      {
        name: 'A',
        segmentation_criteria_ad_hoc: [
          { type: 'in_mailing_list', operator: 'is in', mailing_list_id: 999_999 }
        ]
      },
      /^segmentation_criteria_ad_hoc\.0\.mailing_list_id 999999 does not exist$/
    ],
    [
      'with a format that is none',
      { name: 'A', contents: [{ format: 'rtf' }] },
      /^contents\.0\.format must be one of html, text, both$/
    ],
    [
      'with a begins_at more than 2 hours in the past',
      { name: 'A', dispatch_attributes: { begins_at: '2014-01-01T00:00:00Z' } },
      /^dispatch_attributes\.begins_at must not be more than 2 hours in the past$/
    ],
    [
      'with a begins_at that is no time',
      { name: 'A', dispatch_attributes: { begins_at: 'soon' } },
      /^dispatch_attributes\.begins_at must be an ISO 8601 time such as/
    ],
    [
      'with an address that is none',
      { name: 'A', dispatch_attributes: { from_email: 'nobody' } },
      /^dispatch_attributes\.from_email is not a valid email address/
    ],
    [
      'with a percentage of three decimals',
      { name: 'A', dispatch_attributes: { autowinner_percentage: 94.851 } },
      /^dispatch_attributes\.autowinner_percentage must be between 0 and 100 with at most two decimals/
    ],
    [
      'with half of a winner selection',
      { name: 'A', dispatch_attributes: { autowinner_enabled: true, autowinner_percentage: '20' } },
      /autowinner_delay_amount cannot be blank when autowinner_enabled is true/
    ],
    [
      'with two inputs for its seed lists',
      { name: 'A', dispatch_attributes: { seed_list_id: 1, seed_list_names: ['x'] } },
      /^dispatch_attributes: only one of seed_list_id, seed_list_name, seed_list_ids, seed_list_names/
    ],
    [
      'with a virtual MTA that is not there',
      { name: 'A', dispatch_attributes: { virtual_mta_name: 'None such' } },
      /^dispatch_attributes\.virtual_mta_name "None such" does not exist$/
    ],
    [
      'with a special sending rule, of which there are none',
      { name: 'A', dispatch_attributes: { special_sending_rule_id: 1 } },
      /^dispatch_attributes\.special_sending_rule_id 1 does not exist$/
    ],
    [
      'scheduled without a sender',
      {
        name: 'A',
        segmentation_criteria_ad_hoc: [],
        contents,
        dispatch_attributes: { begins_at: later }
      },
      /^dispatch_attributes\.from_email cannot be blank$/
    ],
    [
      'scheduled with a content that lacks something',
      {
        name: 'A',
        segmentation_criteria_ad_hoc: [],
        contents: [{ format: 'both', html: '<p>Hi</p>' }],
        dispatch_attributes: { ...sender, begins_at: later }
      },
      /^contents\.0\.subject cannot be blank, contents\.0\.text cannot be blank when the format is both$/
    ]
  ])('%s', async (_name, campaign, message) => {
    const list = await makeList(started.api)
    const answer = await create(list.id, campaign)
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
    expect((await started.api.get(`/mailing_lists/${list.id}/campaigns`)).data).toEqual([])
  })
})

describe('what a campaign is made of', () => {
  it('the deprecated content fields are those of the first content by id', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: 'Split',
      contents: [
        { name: 'First', subject: 'One', format: 'html', html: '<p>1</p>' },
        { name: 'Second', subject: 'Two', format: 'text', text: '2' }
      ]
    })
    expect(data).toMatchObject({
      content_subject: 'One',
      email_format: 'html',
      content_html: '<p>1</p>',
      content_text: '',
      campaign_contents: [{ name: 'First' }, { name: 'Second', subject: 'Two', html: '', text: '2' }],
      content_stats: [
        { content: { name: 'First' }, stat_summary: null },
        { content: { name: 'Second' }, stat_summary: null }
      ],
      stat_summary: null,
      automatic_winner_selection: null
    })
  })

  it('contents are read in the spelling of older clients as well', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: 'Old',
      active_html_editor: 'bee',
      campaign_contents_attributes: [
        { name: 'A', content_attributes: { format: 'both', subject: 'S', html: '<p>H</p>', text: 'T' } }
      ]
    })
    expect(data.campaign_contents).toMatchObject([
      { name: 'A', format: 'both', subject: 'S', html: '<p>H</p>', text: 'T' }
    ])
  })

  it('the deprecated attributes make the first content, or change it and keep the others', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: 'Old',
      content_subject: 'Hello',
      email_format: 'both',
      content_html: '<p>H</p>',
      content_text: 'T'
    })
    const [first] = data.campaign_contents
    expect(data.campaign_contents).toMatchObject([
      { subject: 'Hello', format: 'both', html: '<p>H</p>', text: 'T' }
    ])
    await put(data.id, { contents: [{ id: first?.id }, { name: 'Second', subject: 'Two', text: '2' }] })
    const changed = await put(data.id, { content_subject: 'Changed' })
    expect(changed.data.campaign_contents).toMatchObject([
      { id: first?.id, subject: 'Changed', html: '<p>H</p>' },
      { name: 'Second', subject: 'Two' }
    ])
    expect(changed.data).toMatchObject({ content_subject: 'Changed' })
    const both = await put(data.id, { content_subject: 'Not this', contents: [{ subject: 'This' }] })
    expect(both.data.campaign_contents).toMatchObject([{ subject: 'This' }])
  })

  it('archived and active_html_editor can be set and are returned', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, { name: 'Old', active_html_editor: 'bee' })
    expect(data).toMatchObject({ archived: false, active_html_editor: 'bee' })
    expect((await put(data.id, { archived: true })).data).toMatchObject({
      archived: true,
      active_html_editor: 'bee'
    })
    expect((await put(data.id, { archived: false })).data.archived).toBe(false)
  })

  it('an update of the contents keeps those that it names by id, adds others, and removes the rest', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: 'A',
      contents: [
        { name: 'Kept', subject: 'One', text: '1' },
        { name: 'Gone', subject: 'Two', text: '2' }
      ]
    })
    const [kept] = data.campaign_contents
    const changed = await change(data.id, {
      contents: [
        { id: kept?.id, subject: 'Uno' },
        { name: 'New', text: '3' }
      ]
    })
    expect(changed.data.campaign_contents).toEqual([
      { ...kept, subject: 'Uno' },
      expect.objectContaining({ name: 'New', subject: '', text: '3' })
    ])
    const foreign = await change(data.id, { contents: [{ id: 999_999 }] })
    expect(foreign.error_message).toBe('contents.0.id 999999 is no content of this campaign')
  })

  it('delivery settings exist once they are given, with the defaults of the list', async () => {
    const list = await makeList(started.api, {
      d_from_email: 'list@example.com',
      d_from_name: 'The list',
      d_speed: 700
    })
    const { data: without } = await create(list.id, { name: 'Without' })
    expect(without).not.toHaveProperty('dispatch')
    const { data } = await change(without.id, { dispatch_attributes: { from_name: 'Another' } })
    expect(data.dispatch).toMatchObject({
      from_email: 'list@example.com',
      from_name: 'Another',
      speed: 700,
      track_opens: true,
      track_links: true,
      virtual_mta_id: 0,
      virtual_mta_name: 'System Default Route',
      virtual_mta_type: 'default_route',
      state: 'idle',
      state_description: 'Step 1: Pending'
    })
  })

  it('the deprecated seed list is the first by id, and a deprecated input replaces the whole set', async () => {
    const seeds: number[] = []
    for (const address of ['a@example.com', 'b@example.com']) {
      const { data } = await started.api.post<{ id: number }>('/seed_lists', {
        seed_list: { name: unique(), addresses_array: [address] }
      })
      seeds.push(data.id)
    }
    const list = await makeList(started.api, { d_seed_list_ids: seeds })
    const campaign = await makeCampaign(started.api, list.id)
    expect(campaign.dispatch).toMatchObject({ seed_list_id: seeds[0], seed_lists: [{}, {}] })
    const { data } = await change(campaign.id, { dispatch_attributes: { seed_list_id: seeds[1] } })
    expect(data.dispatch).toMatchObject({ seed_list_id: seeds[1], seed_lists: [{ id: seeds[1] }] })
    const answer = await started.api.delete(`/seed_lists/${seeds[1]}`)
    expect(answer).toMatchObject({ error_code: 'validation_failed' })
    expect(answer.data).toMatchObject({
      dependencies: expect.arrayContaining([{ type: 'campaign', id: campaign.id }]) as unknown
    })
  })

  it('an ad hoc segment has no name, is listed by its SQL, and is deleted with its campaign', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id)
    expect(campaign).toMatchObject({ segmentation_criteria_name: null })
    const id = campaign.segmentation_criteria_id
    expect((await started.api.get<{ id: number }[]>('/segments')).data.some((each) => each.id === id)).toBe(
      false
    )
    const criterias = async (): Promise<(SegmentationCriteria | undefined)[]> =>
      (await started.api.get<SegmentationCriteria[]>('/segmentation_criterias')).data
    expect((await criterias()).find((each) => each?.id === id)).toMatchObject({ name: null })
    await started.api.delete(`/campaigns/${campaign.id}`)
    expect((await criterias()).find((each) => each?.id === id)).toBeUndefined()
  })

  it('a campaign of a Remote List has SQL for its recipients', async () => {
    const remote = await makeRemoteList(started.api)
    const refused = await create(remote.id, { name: 'A', segmentation_criteria_ad_hoc: [] })
    expect(refused.error_message).toBe('a Remote List has no segments: give segmentation_criteria_remote_sql')
    const { data } = await create(remote.id, {
      name: 'A',
      segmentation_criteria_remote_sql: 'SELECT email FROM people'
    })
    expect(data.segmentation_criteria_remote_sql).toBe('SELECT email FROM people')
  })

  it('include_engine_sendid=1 adds a string, and x_campaign_id has no prefix', async () => {
    const list = await makeList(started.api)
    const { id } = await makeCampaign(started.api, list.id)
    const { data } = await started.api.get<CampaignDetail>(`/campaigns/${id}?include_engine_sendid=1`)
    expect(data.engine_sendid).toEqual(expect.any(String))
    expect(data.x_campaign_id).not.toMatch(/^s4:/)
    expect((await started.api.get(`/campaigns/${id}`)).data).not.toHaveProperty('engine_sendid')
  })
})

describe('the states of a campaign', () => {
  it('it becomes scheduled once it has a time, a segment, content and delivery settings', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: 'A',
      dispatch_attributes: { ...sender, begins_at: later }
    })
    expect(data.dispatch).toMatchObject({ state: 'idle', begins_at: later })
    expect((await change(data.id, { contents })).data.dispatch?.state).toBe('idle')
    const complete = await change(data.id, { segmentation_criteria_ad_hoc: [] })
    expect(complete.data.dispatch).toMatchObject({
      state: 'scheduled',
      state_description: 'Step 2: Scheduled'
    })
    const withoutTime = await change(data.id, { dispatch_attributes: { begins_at: null } })
    expect(withoutTime.data.dispatch).toMatchObject({ state: 'idle', begins_at: null })
  })

  it('a content keeps the format that a change leaves out', async () => {
    const list = await makeList(started.api)
    const { data } = await create(list.id, {
      name: unique(),
      contents: [{ subject: 'Hello', format: 'text', html: '<p>Hello</p>', text: 'Hello' }]
    })
    const [content] = data.campaign_contents
    const changed = await change(data.id, { contents: [{ id: content?.id, subject: 'Good day' }] })
    expect(changed.data.campaign_contents).toMatchObject([{ subject: 'Good day', format: 'text' }])
  })

  it('a draft whose segment refers to a deleted list can be renamed but not scheduled', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const segment = await makeSegment(started.api, list.id, { other: other.id })
    const draft = await makeCampaign(started.api, list.id, {
      segmentation_criteria_ad_hoc: undefined,
      segmentation_criteria_id: segment.id
    })
    await deleteList(started.api, other.id)
    expect((await change(draft.id, { name: 'Renamed' })).success).toBe(true)
    const scheduled = await change(draft.id, { dispatch_attributes: { begins_at: later } })
    expect(scheduled.error_message).toContain(`refers to mailing list ${other.id}`)
    expect((await started.api.get<CampaignDetail>(`/campaigns/${draft.id}`)).data).toMatchObject({
      name: 'Renamed',
      dispatch: { state: 'idle' }
    })
  })

  it('a begins_at within the last two hours is now', async () => {
    const list = await makeList(started.api)
    const before = Date.now()
    const { data } = await create(list.id, {
      name: 'A',
      dispatch_attributes: { begins_at: Math.floor(before / 1000) - 3600 }
    })
    const begins = Date.parse(data.dispatch?.begins_at ?? '')
    expect(begins).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
    expect(begins).toBeLessThanOrEqual(Date.now())
  })

  it('pause, resume and cancel are refused in states that do not allow them', async () => {
    const list = await makeList(started.api)
    const act = async (id: number, action: string): Promise<string | null> =>
      (await started.api.post(`/campaigns/${id}/${action}`)).error_message
    const { id } = await makeCampaign(started.api, list.id, {
      dispatch_attributes: { ...sender, begins_at: later }
    })
    expect(await act(id, 'resume')).toBe('a campaign that is not paused cannot be resumed')
    expect(await act(id, 'pause')).toBeNull()
    expect(await act(id, 'pause')).toBe('a campaign that is paused already cannot be paused')
    const { data } = await started.api.get<CampaignSummary[]>(`/mailing_lists/${list.id}/campaigns`)
    expect(data).toMatchObject([{ state: 'scheduled', paused: true, begins_at: later }])
    expect(await act(id, 'resume')).toBeNull()
    expect(await act(id, 'cancel')).toBeNull()
    for (const action of ['pause', 'cancel']) {
      expect(await act(id, action)).toMatch(/^a campaign that is cancelled cannot be/)
    }
    expect((await change(id, { contents: [] })).error_message).toBe(
      'a campaign that is cancelled cannot be changed, except for its name'
    )
    expect((await change(id, { name: 'Renamed' })).data.name).toBe('Renamed')
    const paused = await makeCampaign(started.api, list.id, {
      dispatch_attributes: { ...sender, begins_at: later }
    })
    await act(paused.id, 'pause')
    await act(paused.id, 'cancel')
    expect(await act(paused.id, 'resume')).toMatch(
      /^a campaign that is (cancelled|not paused) cannot be resumed$/
    )
    const idle = await makeCampaign(started.api, list.id)
    expect(await act(idle.id, 'pause')).toBe('a campaign that is idle cannot be paused')
  })

  it('the started_at filters keep campaigns that began at or after one time and before the other', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const begins_at = Math.floor(Date.now() / 1000)
    const dispatch_attributes = { from_email: 'a@example.com', begins_at }
    const { id } = await makeCampaign(started.api, list.id, { dispatch_attributes })
    await started.api.sent(id)
    const found = async (query: string) =>
      (await started.api.get<unknown[]>(`/mailing_lists/${list.id}/campaigns?${query}`)).data.length
    expect(await found(`started_at__start=${begins_at}`)).toBe(1)
    expect(await found(`started_at__start=${begins_at + 3600}`)).toBe(0)
    expect(await found(`started_at__end=${begins_at + 3600}`)).toBe(1)
    expect(await found(`started_at__end=${begins_at}`)).toBe(0)
  })

  it('the started_at filters leave out campaigns that have not begun', async () => {
    const list = await makeList(started.api)
    await makeCampaign(started.api, list.id)
    const path = `/mailing_lists/${list.id}/campaigns`
    expect((await started.api.get<unknown[]>(path)).data).toHaveLength(1)
    expect((await started.api.get(`${path}?started_at__start=0`)).data).toEqual([])
    expect((await started.api.get(`${path}?started_at__end=2100-01-01`)).data).toEqual([])
    expect(await started.api.get(`${path}?started_at__end=never`)).toMatchObject({
      error_code: 'validation_failed'
    })
  })

  it('deleting its list cancels a scheduled campaign', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id, {
      dispatch_attributes: { ...sender, begins_at: later }
    })
    await deleteList(started.api, list.id)
    expect(await started.api.get(`/campaigns/${campaign.id}`)).toMatchObject({ error_code: 'not_found' })
  })

  it('scheduling needs campaign.send, and pausing by an update campaign.update_state', async () => {
    const list = await makeList(started.api)
    const editor = await clientOfUser(started, { permissions: { campaign: ['create', 'update'] } })
    const campaign = await makeCampaign(editor, list.id)
    for (const [dispatch, permission] of [
      [{ begins_at: later }, 'campaign.send'],
      [{ paused: true }, 'campaign.update_state']
    ] as const) {
      const answer = await editor.put(`/campaigns/${campaign.id}`, {
        campaign: { dispatch_attributes: dispatch }
      })
      expect(answer).toMatchObject({ success: false, error_code: 'not_authorized' })
      expect(answer.error_message).toContain(permission)
    }
  })
})

describe('what a campaign uses is kept', () => {
  it('a segment of an unfinished campaign or of a template is not deleted, one of a cancelled campaign is', async () => {
    const list = await makeList(started.api)
    const segment = await makeSegment(started.api, list.id)
    const campaign = await makeCampaign(started.api, list.id, {
      segmentation_criteria_ad_hoc: null,
      segmentation_criteria_id: segment.id
    })
    expect(campaign.segmentation_criteria_name).toBe(segment.name)
    expect(await started.api.delete(`/segments/${segment.id}`)).toMatchObject({
      error_code: 'validation_failed',
      data: { dependencies: [{ type: 'campaign', id: campaign.id }] }
    })
    await started.api.post(`/campaigns/${campaign.id}/cancel`)
    expect(await started.api.delete(`/segments/${segment.id}`)).toMatchObject({ success: true })
    const { data } = await started.api.get<CampaignDetail>(`/campaigns/${campaign.id}`)
    expect(data).toMatchObject({ segmentation_criteria_id: segment.id, segmentation_criteria_name: null })
  })

  it('a virtual MTA, a URL domain and a bounce email of a template are not deleted', async () => {
    const list = await makeList(started.api)
    const made = async (path: string, body: unknown) =>
      (await started.api.post<{ id: number | string }>(path, body)).data.id
    const mta = await made('/virtual_mtas', { virtual_mta: { name: unique() } })
    const domain = await made('/url_domains', { url_domain: { domain: `d${++number}.example.com` } })
    const bounce = await made('/bounce_emails', {
      bounce_email: { username: 'b', domain: `b${++number}.example.com` }
    })
    const { data: template } = await started.api.post<TemplateDetail>(`/mailing_lists/${list.id}/templates`, {
      campaign: {
        name: 'T',
        dispatch_attributes: { virtual_mta_id: mta, url_domain_id: domain, bounce_email_id: bounce }
      }
    })
    expect(template.dispatch).toMatchObject({
      virtual_mta_id: mta,
      url_domain_id: domain,
      bounce_email_id: bounce
    })
    for (const path of [`/virtual_mtas/${mta}`, `/url_domains/${domain}`, `/bounce_emails/${bounce}`]) {
      expect(await started.api.delete(path)).toMatchObject({
        error_code: 'validation_failed',
        data: { dependencies: [{ type: 'template', id: template.id }] }
      })
    }
  })

  it('a campaign that triggers an autoresponder is not deleted', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id)
    const autoresponder = await makeAutoresponder(started.api, list.id, 'After opening', {
      trigger: 'campaign_open',
      trigger_campaign_to_open_id: campaign.id
    })
    expect(autoresponder.trigger_campaign_to_open_id).toBe(campaign.id)
    expect(await started.api.delete(`/campaigns/${campaign.id}`)).toMatchObject({
      error_code: 'validation_failed',
      data: { dependencies: [{ type: 'autoresponder', id: autoresponder.id }] }
    })
  })
})

describe('a campaign from a template', () => {
  const template = {
    name: 'Monthly',
    segmentation_criteria_ad_hoc: [],
    contents: [{ name: 'Body', subject: 'News', format: 'text', text: 'Hello' }],
    dispatch_attributes: { ...sender, speed: 9 }
  }

  async function makeTemplate(listId: number): Promise<TemplateDetail> {
    const { data } = await started.api.post<TemplateDetail>(`/mailing_lists/${listId}/templates`, {
      campaign: template
    })
    return data
  }

  it.each([
    [[], { contents: 0, segment: false, dispatch: false }],
    [['duplicate_content'], { contents: 1, segment: false, dispatch: false }],
    [['duplicate_segmentation_criteria'], { contents: 0, segment: true, dispatch: false }],
    [['duplicate_dispatch'], { contents: 0, segment: false, dispatch: true }]
  ])('copies the parts that %j requests', async (flags, taken) => {
    const list = await makeList(started.api)
    const source = await makeTemplate(list.id)
    const { data } = await create(
      list.id,
      { name: 'From it' },
      { source_template_id: source.id, ...Object.fromEntries(flags.map((flag) => [flag, 1])) }
    )
    expect(data.campaign_contents).toHaveLength(taken.contents)
    expect(data.segmentation_criteria_id !== null).toBe(taken.segment)
    expect(data.dispatch !== undefined).toBe(taken.dispatch)
    expect(data.template).toBe(false)
    if (taken.segment) expect(data.segmentation_criteria_id).not.toBe(source.segmentation_criteria_id)
  })

  it("uses given values instead of the template's", async () => {
    const list = await makeList(started.api)
    const source = await makeTemplate(list.id)
    const { data } = await create(
      list.id,
      { name: 'Mine', contents, dispatch_attributes: { speed: 5 } },
      { source_template_id: source.id, duplicate_content: true, duplicate_dispatch: true }
    )
    expect(data).toMatchObject({
      name: 'Mine',
      campaign_contents: [{ subject: 'Hello' }],
      dispatch: { speed: 5, from_email: sender.from_email }
    })
  })

  it('an unknown template is not found, and a campaign cannot serve as a template', async () => {
    const list = await makeList(started.api)
    const campaign = await makeCampaign(started.api, list.id)
    for (const id of [999_999, campaign.id]) {
      expect(await create(list.id, { name: 'A' }, { source_template_id: id })).toMatchObject({
        error_code: 'not_found',
        error_message: `template ${id} was not found`
      })
    }
    expect(await started.api.get(`/templates/${campaign.id}`)).toMatchObject({ error_code: 'not_found' })
  })

  it('a template never has a time to be sent at, and is read in the spelling of older clients', async () => {
    const list = await makeList(started.api)
    const { data } = await started.api.post<TemplateDetail>(`/mailing_lists/${list.id}/templates`, {
      template: {
        name: 'Old',
        segmentation_criteria_ad_hoc: [],
        template_contents_attributes: [
          { name: 'A', content_attributes: { format: 'text', subject: 'S', text: 'T' } }
        ],
        dispatch_attributes: { ...sender, begins_at: later }
      }
    })
    expect(data).toMatchObject({
      template: true,
      campaign_contents: [{ subject: 'S', text: 'T' }],
      dispatch: { state: 'idle' },
      custom_dynamic_template_id: null
    })
    expect((await started.api.get(`/mailing_lists/${list.id}/campaigns`)).data).toEqual([])
  })
})
