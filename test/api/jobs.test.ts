import { describe, expect, it } from 'vitest'
import type { Job } from '../../src-main/api/jobs/schema.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'

const started = sharedApplication()
const sender = { from_email: 'sender@example.com' }

async function jobsOf(listId: number, path = '/jobs/all'): Promise<Job[]> {
  const { data } = await started.api.get<Job[]>(path)
  return data.filter(({ mailing_list_id }) => mailing_list_id === listId)
}

describe('jobs', () => {
  it('are the imports, exports and campaigns, with their progress', async () => {
    const { api } = started
    const list = await makeList(api)
    await importText(api, list.id, 'email\na@example.com\nb@example.com')
    const { data } = await api.post<SubscriberExport>(`/mailing_lists/${list.id}/subscriber_exports`, {
      subscriber_export: {}
    })
    await api.exported(data.id)
    const { id } = await makeCampaign(api, list.id, {
      name: 'News',
      dispatch_attributes: { ...sender, begins_at: Math.floor(Date.now() / 1000) }
    })
    await api.sent(id)
    const all = await jobsOf(list.id)
    const shown = all.map((job) => [
      job.job_type,
      job.name,
      job.state,
      job.state2,
      job.progress_value,
      job.progress_total
    ])
    expect(shown).toEqual([
      ['SubscriberImport', 'data', 'finished', null, 2, 2],
      ['SubscriberExport', list.name, 'finished', null, 2, 2],
      ['Campaign', 'News', 'finished', 'finished', 2, 2]
    ])
    expect(
      all.every((job) => job.begins_at !== null && job.started_at !== null && job.finished_at !== null)
    ).toBe(true)
    expect(await jobsOf(list.id, '/jobs/unfinished')).toEqual([])
  })

  it('have a detailed state in state2 while a campaign is unfinished', async () => {
    const { api } = started
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    await makeSubscriber(api, list.id, 'b@example.com')
    const later = { dispatch_attributes: { ...sender, begins_at: '2099-01-01T00:00:00Z' } }
    const scheduled = await makeCampaign(api, list.id, later)
    const paused = await makeCampaign(api, list.id, later)
    await api.post(`/campaigns/${paused.id}/pause`)
    const cancelled = await makeCampaign(api, list.id, later)
    await api.post(`/campaigns/${cancelled.id}/cancel`)
    const testing = await makeCampaign(api, list.id, {
      contents: ['A', 'B'].map((name) => ({ name, subject: name, format: 'text', text: name })),
      dispatch_attributes: {
        ...sender,
        begins_at: Math.floor(Date.now() / 1000),
        autowinner_enabled: true,
        autowinner_percentage: '50',
        autowinner_delay_amount: 1,
        autowinner_delay_unit: 'days',
        autowinner_metric: 'opens_unique'
      }
    })
    const state2 = async (campaign: { id: number }): Promise<string | null | undefined> =>
      (await jobsOf(list.id)).find(({ id }) => id === campaign.id)?.state2
    expect(await state2(scheduled)).toBe('sending.not_yet_started')
    expect(await state2(paused)).toBe('paused')
    expect(await state2(cancelled)).toBe('terminated')
    while ((await state2(testing)) !== 'onhold_autowinner');
    expect((await jobsOf(list.id, '/jobs/unfinished')).map(({ id }) => id)).toEqual([
      scheduled.id,
      paused.id,
      testing.id
    ])
    await api.post(`/campaigns/${testing.id}/cancel`)
  })

  it('are filtered by type, state and times', async () => {
    const { api } = started
    const list = await makeList(api)
    await importText(api, list.id, 'email\na@example.com')
    await makeCampaign(api, list.id, {
      dispatch_attributes: { ...sender, begins_at: '2099-01-01T00:00:00Z' }
    })
    const types = async (query: string): Promise<string[]> =>
      (await jobsOf(list.id, `/jobs/all?${query}`)).map(({ job_type }) => job_type)
    expect(await types('job_type=Campaign')).toEqual(['Campaign'])
    expect(await types('state=finished')).toEqual(['SubscriberImport'])
    expect(await types('begins_at__after=2098-12-31')).toEqual(['Campaign'])
    expect(await types('begins_at__before=2098-12-31')).toEqual(['SubscriberImport'])
    expect(await types('finished_at__after=2014-01-31')).toEqual(['SubscriberImport'])
    expect(await types('finished_at__before=2014-01-31')).toEqual([])
    expect(await api.get('/jobs/all?job_type=Import')).toMatchObject({
      success: false,
      error_message: expect.stringMatching(/^job_type must be one of Campaign, SubscriberImport/) as string
    })
    expect(await api.get('/jobs/all?finished_at__after=soon')).toMatchObject({
      error_message:
        'finished_at__after must be an ISO 8601 time such as 2015-03-09T10:34:04-05:00, or a UNIX time in seconds'
    })
  })

  it('of one organization are seen by its users and by system administrators only', async () => {
    const { api } = started
    const organizationId = await makeOrganization(started)
    const stranger = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(stranger)
    await importText(stranger, list.id, 'email\na@example.com')
    expect((await stranger.get<Job[]>('/jobs/all')).data).toHaveLength(1)
    expect(await jobsOf(list.id)).toEqual([])
    expect(await jobsOf(list.id, '/jobs/all_on_all_organizations')).toHaveLength(1)
    expect((await api.get<Job[]>(`/organizations/${organizationId}/jobs/all`)).data).toHaveLength(1)
  })
})
