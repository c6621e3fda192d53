import PostalMime from 'postal-mime'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CampaignLogEntry } from '../../../src-main/api/campaigns/schema.ts'
import type { JournaledMessage } from '../../../src-main/api/journal/schema.ts'
import type { Job } from '../../../src-main/api/jobs/schema.ts'
import { startApplication } from '../../support/application.ts'
import { expectSuccess, makeAutoresponder, makeCampaign } from '../../support/builders.ts'
import { mailServer, type Treatment } from '../../support/mail-server.ts'
import {
  campaignOf,
  journalOf,
  listWith,
  messagesIn,
  routeTo,
  sendNow,
  shortSchedule,
  until,
  untilState
} from '../../support/smtp-route.ts'

const people = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `p${index}@example.org`)

/** An application whose messages go to a server that treats each recipient in its own way. */
async function sending(
  emails: readonly string[],
  treat: (to: string, attempt: number) => Treatment = () => ({ accept: true }),
  settings: Record<string, unknown> = {}
) {
  const server = await mailServer({ treat })
  const { api, app, dataDirectory } = await startApplication(undefined, {
    retrySchedule: shortSchedule
  })
  const smtp = await routeTo(api, server.port, settings)
  const list = await listWith(api, emails)
  return { server, api, app, dataDirectory, smtp, list, to: () => server.received.map(({ to }) => to) }
}

describe('a campaign by SMTP', () => {
  it('reaches each recipient once, and is counted as accepted', async () => {
    const emails = people(600)
    const { api, list, to } = await sending(emails)

    const { id } = await sendNow(api, list.id)
    const { stat_summary: counted } = await untilState(api, id, 'finished')

    expect(to().toSorted()).toEqual(emails.toSorted())
    expect(counted).toMatchObject({ messages_sent: 600, accepted: 600, in_queue: 0, total_success: 600 })
    expect(await journalOf(api, id)).toMatchObject({ by_smtp: true, accepted: 600, waiting: 0, retry: 0 })
  })

  it('tries those again that were refused for now, and finishes after the last of them', async () => {
    const { api, list, server } = await sending(people(20), (to, attempt) =>
      to === 'p3@example.org' && attempt < 3
        ? { refuse: 450, words: '4.2.1 Greylisted', at: 'rcpt' }
        : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(server.asked.get('p3@example.org')).toBe(3)
    expect(await journalOf(api, id)).toMatchObject({ accepted: 20, retry: 0, failed: 0 })
  })

  it('replaces a connection after some refusals, since servers slow down those who get many', async () => {
    const { api, list, server } = await sending(
      people(40),
      (_to, attempt) =>
        attempt === 1 ? { refuse: 450, words: '4.2.1 Greylisted', at: 'rcpt' } : { accept: true },
      { connections: 1 }
    )

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(server.connections).toBeGreaterThanOrEqual(11)
    expect(await journalOf(api, id)).toMatchObject({ accepted: 40 })
  })

  it('gives up a recipient who is refused for longer than messages are tried', async () => {
    const { api, list } = await sending(people(20), (to) =>
      to === 'p3@example.org' ? { refuse: 452, words: '4.2.2 Mailbox full', at: 'data' } : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    const { stat_summary: counted } = await untilState(api, id, 'finished')

    expect(counted).toMatchObject({ accepted: 19, in_queue: 0, total_failure: 1, bounces_unique_soft: 1 })
    expect(await messagesIn(api, id, 'failed')).toMatchObject([
      { email: 'p3@example.org', code: 452, reply: '452 4.2.2 Mailbox full', attempts: 9 }
    ])
  })

  it('does not try a recipient again who was refused for good, and counts a local bounce by its code', async () => {
    const { api, list, server } = await sending(people(20), (to) =>
      to === 'p3@example.org' ? { refuse: 550, words: '5.1.1 Unknown user', at: 'rcpt' } : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    const { stat_summary: counted } = await untilState(api, id, 'finished')

    expect(server.asked.get('p3@example.org')).toBe(1)
    expect(counted).toMatchObject({
      accepted: 19,
      total_failure: 1,
      bounces_unique_hard: 1,
      bounces_unique_local: 1,
      bounces_unique_by_code: { '5.1.1': 1 }
    })
  })

  it('does not send again to a recipient whose delivery is uncertain, until a user asks for it', async () => {
    const { api, list, server } = await sending(people(20), (to, attempt) =>
      to === 'p3@example.org' && attempt === 1 ? { cut: 'after', keeps: true } : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')
    expect(await journalOf(api, id)).toMatchObject({ accepted: 19, uncertain: 1 })
    expect(await messagesIn(api, id, 'uncertain')).toMatchObject([{ email: 'p3@example.org' }])
    expect((await campaignOf(api, id)).stat_summary).toMatchObject({ accepted: 19, in_queue: 1 })

    const answer = await api.post(`/campaigns/${id}/journal/resend_uncertain`)
    expect(answer.data).toEqual({ messages: 1 })
    await untilState(api, id, 'finished')
    expect(server.asked.get('p3@example.org')).toBe(2)
    const copies = server.received.filter(({ to }) => to === 'p3@example.org')
    const ids = copies.map(({ content }) => /^Message-ID: (.*)$/m.exec(content)?.[1])
    expect(ids).toHaveLength(2)
    expect(ids[0]).toBe(ids[1])
    expect(await journalOf(api, id)).toMatchObject({ accepted: 20, uncertain: 0 })
    expect((await api.post(`/campaigns/${id}/journal/resend_uncertain`)).data).toEqual({ messages: 0 })
  })

  it('is sent at once again after a connection that was lost before the data', async () => {
    const { api, list, to } = await sending(people(20), (email, attempt) =>
      email === 'p3@example.org' && attempt === 1 ? { cut: 'before', keeps: false } : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(to().toSorted()).toEqual(people(20).toSorted())
  })

  it('leaves out a recipient who unsubscribed before the next attempt', async () => {
    const { api, list, server } = await sending(people(20), (to) =>
      to === 'p3@example.org' ? { refuse: 451, words: '4.3.0 Later', at: 'rcpt' } : { accept: true }
    )

    const { id } = await sendNow(api, list.id)
    await until(() => server.asked.has('p3@example.org'))
    const subscriber = { status: 'unsubscribed' }
    await api.put(`/mailing_lists/${list.id}/subscribers/p3@example.org`, { subscriber })
    const { stat_summary: counted } = await untilState(api, id, 'finished')

    expect(await journalOf(api, id)).toMatchObject({ accepted: 19, withdrawn: 1, retry: 0 })
    expect(counted).toMatchObject({ messages_sent: 19, in_queue: 0, total_messages: 19 })
  })
})

describe('a server that takes no messages', () => {
  it('holds the campaign with its words if it refuses the sender', async () => {
    const { api } = await startApplication()
    const server = await mailServer({ refuseSender: { refuse: 553, words: '5.7.1 Sender not allowed' } })
    await routeTo(api, server.port)
    const list = await listWith(api, people(20))

    const { id } = await sendNow(api, list.id)
    await until(async () => (await campaignOf(api, id)).dispatch?.paused === true)

    expect(server.received).toEqual([])
    expect(await journalOf(api, id)).toMatchObject({ waiting: 20, failed: 0, in_flight: 0 })
  })
})

describe('the limits of a server', () => {
  it('hold a campaign until the server may get more, and no message exceeds them', async () => {
    const { api, list, to } = await sending(people(20), undefined, { messages_per_minute: 12 })

    const { id } = await sendNow(api, list.id)
    await until(() => to().length === 12)
    await pause(500)

    expect(to()).toHaveLength(12)
    expect(await journalOf(api, id)).toMatchObject({ accepted: 12, waiting: 8 })
    expect((await campaignOf(api, id)).dispatch?.state).toBe('sending')
    const { data: jobs } = await api.get<Job[]>('/jobs/unfinished')
    expect(jobs.find((job) => job.job_type === 'Campaign')?.state2).toBe('paused_quota')
  })

  it('hold for the next message once they are changed', async () => {
    const { api, list, smtp, to } = await sending(people(20), undefined, { messages_per_minute: 12 })
    const { id } = await sendNow(api, list.id)
    await until(() => to().length === 12)

    await api.put(`/smtp_servers/${smtp.id}`, { smtp_server: { messages_per_minute: 0 } })

    await untilState(api, id, 'finished')
    expect(to().toSorted()).toEqual(people(20).toSorted())
  })
})

describe('a domain that asks for fewer messages', () => {
  it('gets its messages later, and holds up no other', async () => {
    const slow = Array.from({ length: 30 }, (_, index) => `s${index}@slow.example`)
    let others = 0
    const { api, list } = await sending([...slow, ...people(300)], (email) => {
      const isSlow = email.endsWith('@slow.example')
      if (!isSlow) others++
      if (!isSlow || others === 300) return { accept: true }
      return { refuse: 421, words: '4.7.0 Slow down', at: 'rcpt' }
    })

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(await journalOf(api, id)).toMatchObject({ accepted: 330 })
    const history = expectSuccess(await api.get<CampaignLogEntry[]>(`/campaigns/${id}/history`))
    const messages = history.map(({ message }) => message)
    expect(messages[0]).toMatch(/^Sending began through Server \d+\.$/)
    expect(messages.some((message) => message.startsWith('slow.example asked for fewer messages'))).toBe(true)
    expect(messages.at(-1)).toBe('Finished.')
  })
})

describe('the speed of a campaign', () => {
  it.each(['smtp', 'outbox'])('can be changed while it is sent (%s)', async (transport) => {
    const { api, list, smtp } = await sending(people(40))
    if (transport === 'outbox')
      await api.put('/delivery_routes/0', { delivery_route: { smtp_server_ids: [] } })
    else expect(smtp.id).toBeGreaterThan(0)
    const { id } = await sendNow(api, list.id, { speed: 60 })
    await until(async () => (await campaignOf(api, id)).stat_summary?.accepted === 1)

    expectSuccess(await api.put(`/campaigns/${id}/speed`, { campaign: { speed: 0 } }))
    const began = performance.now()
    await untilState(api, id, 'finished')

    expect(performance.now() - began).toBeLessThan(5000)
    expect((await campaignOf(api, id)).stat_summary?.accepted).toBe(40)
  })
})

describe('pausing', () => {
  it('holds a campaign within two seconds, and each recipient gets one message after it continues', async () => {
    const { api, list, to } = await sending(people(400), () => ({ delay: 20 }))
    const { id } = await sendNow(api, list.id)
    await until(() => to().length > 20)

    await api.post(`/campaigns/${id}/pause`)
    await pause(2000)
    const atPause = to().length
    await pause(500)
    expect(to()).toHaveLength(atPause)
    expect(atPause).toBeLessThan(400)

    await api.post(`/campaigns/${id}/resume`)
    await untilState(api, id, 'finished')
    expect(to().toSorted()).toEqual(people(400).toSorted())
  })
})

describe('a message that leaves the computer', () => {
  it('has no link to this computer, and unsubscribing is by mail', async () => {
    const { api, list, server } = await sending(['p0@example.org'])

    const { id } = await makeCampaign(api, list.id, {
      contents: [
        {
          subject: 'Hello',
          format: 'html',
          html: '<a href="https://example.com/offer">Offer</a> <a href="%%unsubscribe_link%%">Unsubscribe</a>'
        }
      ],
      dispatch_attributes: { from_email: 'news@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await untilState(api, id, 'finished')

    const [message] = server.received
    const parsed = await new PostalMime().parse(message?.content ?? '')
    expect(message?.content).not.toContain('127.0.0.1')
    expect(parsed.html).toContain('href="https://example.com/offer"')
    expect(parsed.html).toContain('href="mailto:news@example.com?subject=unsubscribe%20')
    const headers = new Map(parsed.headers.map(({ key, value }) => [key, value]))
    expect(headers.get('list-unsubscribe')).toMatch(
      /^<mailto:news@example\.com\?subject=unsubscribe%20[\w-]+>$/
    )
    expect(headers.has('list-unsubscribe-post')).toBe(false)
  })
})

describe('a preview', () => {
  it('is sent through the server of the route, and says whose message was refused', async () => {
    const { api, list, server } = await sending([], (to) =>
      to === 'no@example.org' ? { refuse: 550, words: '5.1.1 Unknown user', at: 'rcpt' } : { accept: true }
    )
    const { id } = await makeCampaign(api, list.id)
    const preview = { recipients: ['me@example.org', 'no@example.org'] }

    const answer = await api.post(`/campaigns/${id}/send_preview`, { preview })

    expect(server.received.map(({ to }) => to)).toEqual(['me@example.org'])
    expect(answer.error_message).toMatch(
      /did not take the message to no@example\.org: “550 5\.1\.1 Unknown user”$/
    )
    const some = await api.post(`/campaigns/${id}/send_preview`, {
      preview: { recipients: ['me@example.org'] }
    })
    expect(some.success).toBe(true)
    const history = expectSuccess(await api.get<CampaignLogEntry[]>(`/campaigns/${id}/history`))
    expect(history.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^A preview to me@example\.org, no@example\.org was not taken: .+ Unknown user”$/
      ),
      'A preview was sent to me@example.org.'
    ])
    const journal = await api.get<JournaledMessage[]>(`/campaigns/${id}/journal/previews`)
    expect(expectSuccess(journal).map(({ email, state, code }) => [email, state, code])).toEqual([
      ['me@example.org', 'accepted', null],
      ['no@example.org', 'failed', 550],
      ['me@example.org', 'accepted', null]
    ])
  })

  it('of an autoresponder is in its journal', async () => {
    const { api, list } = await sending([])
    const { id } = await makeAutoresponder(api, list.id, 'Welcome', {
      ...{ content_subject: 'Hello', content_format: 'text', content_text: 'Hello' },
      ...{ from_email: 'news@example.com', use_external_delivery_setting: false }
    })

    const preview = { recipients: ['me@example.org'] }
    expectSuccess(await api.post(`/autoresponders/${id}/send_preview`, { preview }))

    const journal = await api.get<JournaledMessage[]>(`/autoresponders/${id}/journal/previews`)
    expect(expectSuccess(journal)).toMatchObject([
      { email: 'me@example.org', state: 'accepted', subscriber_id: 0, content_id: null }
    ])
  })
})

describe('without a way to unsubscribe', () => {
  it('sends to ten recipients, and holds a campaign to more', async () => {
    const { api, list, to } = await sending(people(11))
    await api.put('/delivery_options', { delivery_options: { unsubscribes_elsewhere: false } })
    const { id } = await sendNow(api, list.id)
    await until(async () => (await campaignOf(api, id)).dispatch?.paused === true)
    expect(to()).toEqual([])

    const few = await listWith(api, people(10))
    await untilState(api, (await sendNow(api, few.id)).id, 'finished')
    expect(to()).toHaveLength(10)
  })
})

describe('a route with two servers', () => {
  async function twoServers(settings: [Record<string, unknown>, Record<string, unknown>]) {
    const { api } = await startApplication(undefined, { retrySchedule: shortSchedule })
    const [first, second] = [await mailServer(), await mailServer()]
    const servers = [
      await routeTo(api, first.port, settings[0]),
      await routeTo(api, second.port, settings[1])
    ]
    const smtp_server_ids = servers.map(({ id }) => id)
    await api.put('/delivery_routes/0', { delivery_route: { smtp_server_ids } })
    return { api, first, second, list: await listWith(api, people(300)) }
  }

  it('sends everything through the other one if one is down', async () => {
    const { api, first, second, list } = await twoServers([{}, {}])
    await first.close()

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(second.received.map(({ to }) => to).toSorted()).toEqual(people(300).toSorted())
  })

  it('sends the rest through the other one if one has reached its limit', async () => {
    const { api, first, second, list } = await twoServers([{ messages_per_day: 10 }, {}])

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished')

    expect(first.received.length).toBeLessThanOrEqual(10)
    expect(first.received.length + second.received.length).toBe(300)
  })
})

describe('a server that is down', () => {
  it('does not use up its limit', async () => {
    const { api, list, server, smtp } = await sending(people(20), undefined, { messages_per_day: 20 })
    await server.close()
    const { id } = await sendNow(api, list.id)
    await pause(1000)

    const again = await mailServer()
    await api.put(`/smtp_servers/${smtp.id}`, { smtp_server: { port: again.port } })

    await untilState(api, id, 'finished')
    expect(again.received).toHaveLength(20)
  })
})

describe('a campaign that was cancelled', () => {
  it('shows as uncertain what was under way when the application ended, and sends nothing again', async () => {
    const { server, api, app, dataDirectory, list } = await sending(people(4), () => ({ delay: 60_000 }))
    const { id } = await sendNow(api, list.id)
    await until(() => server.asked.size === 4)
    await pause(200)
    await api.post(`/campaigns/${id}/cancel`)
    await app.close()

    const restarted = await startApplication(dataDirectory)

    expect(await journalOf(restarted.api, id)).toMatchObject({ in_flight: 0, uncertain: 4 })
    const refused = await restarted.api.post(`/campaigns/${id}/journal/resend_uncertain`)
    expect(refused.error_code).toBe('validation_failed')
    expect(await journalOf(restarted.api, id)).toMatchObject({ uncertain: 4 })
  })
})

describe('a recipient who is withdrawn', () => {
  it('is taken out of the counts of the format that they would have got', async () => {
    const { api, list } = await sending(people(5), (to) =>
      to === 'p3@example.org' ? { refuse: 451, words: '4.3.0 Later', at: 'rcpt' } : { accept: true }
    )
    const contents = [{ subject: 'Hello', format: 'text', text: 'Hello' }]
    const { id } = await makeCampaign(api, list.id, {
      contents,
      dispatch_attributes: { from_email: 'news@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await until(async () => (await journalOf(api, id)).retry === 1)

    const subscriber = { status: 'unsubscribed' }
    await api.put(`/mailing_lists/${list.id}/subscribers/p3@example.org`, { subscriber })

    const { stat_summary: counted } = await untilState(api, id, 'finished')
    expect(counted).toMatchObject({ messages_sent: 4, sent_text: 4, sent_multipart: 0, messages_text: 4 })
  })
})
