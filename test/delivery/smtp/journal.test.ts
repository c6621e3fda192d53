import { describe, expect, it } from 'vitest'
import type { JournalCounts, JournaledMessage } from '../../../src-main/api/journal/schema.ts'
import type { Subscriber } from '../../../src-main/api/subscribers/schema.ts'
import type { Segment } from '../../../src-main/api/segments/schema.ts'
import { startApplication } from '../../support/application.ts'
import { expectSuccess, makeAutoresponder } from '../../support/builders.ts'
import type { Client } from '../../support/client.ts'
import { mailServer } from '../../support/mail-server.ts'
import { listWith, routeTo, sendNow, shortSchedule, until, untilState } from '../../support/smtp-route.ts'

async function textOf(api: Client, path: string): Promise<string> {
  return (await api.raw(`/ga/api/v2${path}`)).text()
}

/** A campaign to ten people, of which the third was refused. */
async function sentCampaign() {
  const server = await mailServer({
    treat: (to) =>
      to === 'p3@example.org' ? { refuse: 550, words: '5.1.1 =Unknown', at: 'rcpt' } : { accept: true }
  })
  const started = await startApplication(undefined, { retrySchedule: shortSchedule })
  await routeTo(started.api, server.port)
  const emails = Array.from({ length: 10 }, (_, index) => `p${index}@example.org`)
  const list = await listWith(started.api, emails)
  const { id } = await sendNow(started.api, list.id)
  await untilState(started.api, id, 'finished')
  return { ...started, listId: list.id, id }
}

describe('the journal of a campaign', () => {
  it('finds the messages to one address, in any state', async () => {
    const { api, id } = await sentCampaign()
    const to = async (email: string): Promise<JournaledMessage[]> =>
      expectSuccess(
        await api.get<{ messages: JournaledMessage[] }>(`/campaigns/${id}/journal/messages?email=${email}`)
      ).messages

    expect(await to('P3@example.org')).toMatchObject([
      { email: 'p3@example.org', state: 'failed', code: 550 }
    ])
    expect(await to('p4@example.org')).toMatchObject([{ email: 'p4@example.org', state: 'accepted' }])
    expect(await to('nobody@example.org')).toEqual([])
  })

  it('is a file, in which nothing is executed by a spreadsheet', async () => {
    const { api, id } = await sentCampaign()

    const all = await textOf(api, `/campaigns/${id}/journal/export`)
    const failed = await textOf(api, `/campaigns/${id}/journal/export?state=failed`)

    expect(all.trim().split('\n')).toHaveLength(11)
    expect(failed).toMatch(
      /^email,state,attempts,changed_at,retry_at,smtp_server,code,reply\np3@example\.org,failed,1,[^\n]+,550,550 5\.1\.1 =Unknown\n$/
    )
  })

  it('can be asked by a segment', async () => {
    const { api, id, listId } = await sentCampaign()
    const condition = (operator: string) => [{ type: 'campaign', operator, campaign_id: id }]
    const emailsOf = async (operator: string): Promise<string[]> => {
      const segment = { name: operator, clause: condition(operator) }
      const path = `/mailing_lists/${listId}/segments`
      const { id: segmentId } = expectSuccess(
        await api.workbench<Segment>('POST', path, { segmentation_criteria: segment })
      )
      const members = `/mailing_lists/${listId}/subscribers?segment_id=${segmentId}`
      return expectSuccess(await api.get<Subscriber[]>(members)).map(({ email }) => email)
    }

    expect(await emailsOf('failed')).toEqual(['p3@example.org'])
    expect(await emailsOf('was accepted')).toHaveLength(9)
    expect(await emailsOf('is uncertain')).toEqual([])
  })
})

describe('the journal of an autoresponder', () => {
  it('counts and lists its messages', async () => {
    const server = await mailServer()
    const { api } = await startApplication()
    await routeTo(api, server.port)
    const list = await listWith(api, [])
    const autoresponder = await makeAutoresponder(api, list.id, 'Welcome', {
      ...{ trigger: 'subscription', trigger_run_on_api: true },
      ...{ content_subject: 'Welcome', content_format: 'text', content_text: 'Hello' },
      ...{ use_external_delivery_setting: false, from_email: 'hello@example.com' }
    })
    expectSuccess(
      await api.post(`/mailing_lists/${list.id}/subscribers`, {
        subscriber: { email: 'anna@example.org', status: 'active' }
      })
    )
    const path = `/autoresponders/${autoresponder.id}/journal`
    const counts = (): Promise<JournalCounts> => api.get<JournalCounts>(path).then(expectSuccess)
    await until(async () => (await counts()).accepted === 1)

    const { messages } = expectSuccess(await api.get<{ messages: JournaledMessage[] }>(`${path}/messages`))

    expect(await counts()).toMatchObject({ by_smtp: true, waiting: 0, in_flight: 0 })
    expect(messages).toMatchObject([{ email: 'anna@example.org', attempts: 1 }])
  })
})
