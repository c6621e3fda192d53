import { describe, expect, it } from 'vitest'
import type { Organization } from '../../../src-main/api/organizations/schema.ts'
import { makeOrganization, systemAdminIn } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import { makeCampaign, makeList, makeSegment, makeSubscriber } from '../../support/builders.ts'
import type { Answer } from '../../support/client.ts'
import { outboxOf } from '../../support/outbox.ts'
import { endpoints } from './endpoints.ts'

const started = sharedApplication()

function create(organization: Record<string, unknown>): Promise<Answer<Organization>> {
  return started.api.post<Organization>('/organizations', { organization })
}

describe('an organization', () => {
  it('has the System Organization before it, which has id 1', async () => {
    const { data } = await started.api.get<Organization[]>('/organizations')
    expect(data[0]).toMatchObject({ id: 1, name: 'System Organization', time_zone_name: 'UTC' })
  })

  it('needs a name and nothing else', async () => {
    expect((await create({ name: 'Acme' })).data).toEqual({
      id: expect.any(Number) as number,
      name: 'Acme',
      anniversary_day: 1,
      time_zone_name: 'UTC',
      html_header: '',
      html_footer: '',
      text_header: '',
      text_footer: ''
    })
    expect((await create({ anniversary_day: 3 })).error_message).toBe('name cannot be blank')
  })

  it('keeps what an update leaves out', async () => {
    const { data } = await create({ name: 'Acme', anniversary_day: 12, text_footer: 'Acme, Bern' })
    const changed = await started.api.put<Organization>(`/organizations/${data.id}`, {
      organization: { name: 'Acme Ltd', time_zone_name: 'America/New_York' }
    })
    expect(changed.data).toEqual({ ...data, name: 'Acme Ltd', time_zone_name: 'America/New_York' })
    expect((await started.api.get(`/organizations/${data.id}`)).data).toEqual(changed.data)
  })

  it('has an anniversary_day from 1 to 31 and a time zone that exists', async () => {
    expect((await create({ name: 'Acme', anniversary_day: 32 })).error_message).toBe(
      'anniversary_day must be at most 31'
    )
    expect((await create({ name: 'Acme', time_zone_name: 'Narnia/Lamppost' })).error_message).toBe(
      'time_zone_name must be one of the IANA time zones, such as Europe/Zurich, and "Narnia/Lamppost" is not one'
    )
    expect((await create({ name: 'Acme', time_zone_name: '+02:00' })).success).toBe(false)
  })

  it('that does not exist is not found', async () => {
    expect(await started.api.get('/organizations/999999')).toMatchObject({
      success: false,
      error_code: 'not_found'
    })
  })
})

function timesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(timesIn) : []
}

describe('the time zone of the organization', () => {
  // Remote Lists are of the System Organization alone.
  const reads = endpoints.filter(
    ({ method, path, data }) => method === 'GET' && data !== 'text' && !path.endsWith('/write_back')
  )

  it('is used for every time in every answer', async () => {
    const organizationId = await makeOrganization(started, { timeZone: 'Asia/Kolkata' })
    const api = await systemAdminIn(started.app, organizationId)
    const seen: string[] = []
    for (const endpoint of reads) {
      const { parameters = {}, query = '' } = await endpoint.prepare({ ...started, api })
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => String(parameters[name]))
      const { data } = await api.get(`${path}?${query}`)
      const others = timesIn(data).filter((time) => !time.endsWith('+05:30'))
      // Reports across organizations have times of the caller's zone too; nothing else is allowed.
      expect([endpoint.path, others]).toEqual([endpoint.path, []])
      if (timesIn(data).length > 0) seen.push(endpoint.path)
    }
    expect(seen.length).toBeGreaterThan(20)
  })

  it('reads times without a zone', async () => {
    const organizationId = await makeOrganization(started, { timeZone: 'America/New_York' })
    const api = await systemAdminIn(started.app, organizationId)
    const { id } = await makeList(api)
    const made = await makeSubscriber(api, id, 'ada@example.org', { subscribe_time: '2015-06-29 3:11PM' })
    expect(made.subscribe_time).toBe('2015-06-29T15:11:00-04:00')
  })
})

describe('headers and footers of the organization', () => {
  it('are added to the content of each message, with their codes replaced', async () => {
    const organizationId = await makeOrganization(started)
    const api = await systemAdminIn(started.app, organizationId)
    await started.api.put(`/organizations/${organizationId}`, {
      organization: {
        html_header: '<p>Acme says:</p>',
        html_footer: '<a href="%%unsubscribe_link%%">Leave</a>',
        text_header: 'Acme says:',
        text_footer: 'Leave: %%unsubscribe_link%%'
      }
    })
    const { id } = await makeList(api)
    await makeSubscriber(api, id, 'ada@example.org')
    const campaign = await makeCampaign(api, id, {
      contents: [
        {
          subject: 'Hello',
          format: 'both',
          html: '<html><body class="a"><p>Hello</p></body></html>',
          text: 'Hello'
        }
      ],
      dispatch_attributes: { from_email: 'sender@example.com', begins_at: new Date().toISOString() }
    })
    await api.sent(campaign.id)
    const [message] = await outboxOf(started.dataDirectory, campaign.id)
    const outbox = message?.body
    expect(outbox).toContain('<body class="a"><p>Acme says:</p><p>Hello</p><a href="http')
    expect(outbox).toMatch(/Leave<\/a>.*<\/body><\/html>/s)
    expect(outbox).toMatch(/Acme says:\n+Hello\n+Leave: http/)
  })
})

describe('a segment of another organization', () => {
  it('cannot be used for a campaign', async () => {
    const organizationId = await makeOrganization(started)
    const api = await systemAdminIn(started.app, organizationId)
    const { id: foreignList } = await makeList(started.api)
    const foreign = await makeSegment(started.api, foreignList)
    const { id } = await makeList(api)
    const answer = await api.post(`/mailing_lists/${id}/campaigns`, {
      campaign: { name: 'Spy', segmentation_criteria_id: foreign.id }
    })
    expect(answer.success).toBe(false)
  })
})
