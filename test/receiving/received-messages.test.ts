import { complaintReport } from '../support/bounce-report.ts'
import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { ReceivedMessage } from '../../src-main/receiving/schema.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, expectSuccess, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { mailServer, type MailServer } from '../support/mail-server.ts'
import { listWith, routeTo, untilState } from '../support/smtp-route.ts'

const started = sharedApplication()

async function receive(message: string, api: Client = started.api): Promise<Answer<ReceivedMessage>> {
  const answer = await api.raw('/ga/api/v2/received_messages', { method: 'POST', body: message })
  return (await answer.json()) as Answer<ReceivedMessage>
}

/** A campaign that a mail server took, and its messages. */
async function sent(emails: readonly string[]): Promise<{ id: number; listId: number; server: MailServer }> {
  const server = await mailServer()
  await routeTo(started.api, server.port)
  const list = await listWith(started.api, emails)
  return { ...(await sendTo(list.id)), listId: list.id, server }
}

async function sendTo(listId: number): Promise<{ id: number }> {
  const { id } = await makeCampaign(started.api, listId, {
    dispatch_attributes: { from_email: 'news@sender.example', begins_at: Math.floor(Date.now() / 1000) }
  })
  await untilState(started.api, id, 'finished')
  return { id }
}

function headerOf({ received }: MailServer, email: string, name: string): string {
  const message = received.findLast(({ to }) => to === email)?.content ?? ''
  return (
    new RegExp(`^${name}: (.*)$`, 'im').exec(
      message.replaceAll('\r\n', '\n').replaceAll(/\n[ \t]+/g, ' ')
    )?.[1] ?? ''
  )
}

interface ReportSettings {
  status?: string
  words?: string
  action?: string
  /** The header of the message that is returned. */
  returned: string
}

let number = 0

function bounce(
  address: string,
  { status = '5.1.1', words = '550 5.1.1 User unknown', action = 'failed', returned }: ReportSettings
): string {
  return [
    ...[
      'From: MAILER-DAEMON@mx.example.net',
      'To: news@sender.example',
      `Message-ID: <${++number}@mx.example.net>`
    ],
    ...['Subject: Undelivered Mail Returned to Sender', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', ''],
    ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[`Final-Recipient: rfc822; ${address}`, `Action: ${action}`, `Status: ${status}`],
    ...[
      `Diagnostic-Code: smtp; ${words}`,
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      returned,
      '',
      '--b--',
      ''
    ]
  ].join('\r\n')
}

/** A report that returns the header which names the message. */
function bounceOf(
  server: MailServer,
  address: string,
  settings: Omit<ReportSettings, 'returned'> = {}
): string {
  return bounce(address, {
    ...settings,
    returned: `X-Listwright-Message: ${headerOf(server, address, 'X-Listwright-Message')}`
  })
}

const complaint = (server: MailServer, address: string): string =>
  complaintReport(address, headerOf(server, address, 'X-Listwright-Message'))

async function statusesOf(listId: number): Promise<Record<string, string>> {
  const all = await allSubscribers(started.api, listId)
  return Object.fromEntries(all.map(({ email, status }) => [email, status]))
}

async function statsOf(id: number) {
  return expectSuccess(await started.api.get<CampaignDetail>(`/campaigns/${id}`)).stat_summary
}

describe('a bounce', () => {
  it('that is hard sets the status, and counts as a remote one by its code', async () => {
    const { id, listId, server } = await sent(['a1@example.org', 'a2@example.org'])

    const { data } = await receive(bounceOf(server, 'a1@example.org'))

    expect(data).toMatchObject({ kind: 'bounce', has_raw: true })
    expect(data.recipients).toMatchObject([
      { address: 'a1@example.org', class: 'hard', reason: 'user_unknown', status: '5.1.1', campaign_id: id }
    ])
    expect(await statusesOf(listId)).toEqual({ 'a1@example.org': 'bounced', 'a2@example.org': 'active' })
    expect(await statsOf(id)).toMatchObject({
      ...{ bounces_total: 1, bounces_unique: 1, bounces_unique_hard: 1, bounces_unique_remote: 1 },
      ...{
        bounces_unique_local: 0,
        bounces_status_updated: 1,
        bounces_unique_by_code: { '5.1.1': 1 },
        accepted: 1
      }
    })
  })

  it('changes nothing when it is received again', async () => {
    const { id, server } = await sent(['b1@example.org'])
    const report = bounceOf(server, 'b1@example.org')

    const [first, second] = [await receive(report), await receive(report)]

    expect(second.data.id).toBe(first.data.id)
    expect(await statsOf(id)).toMatchObject({ bounces_total: 1 })
  })

  it('of the same message in another report counts as a duplicate', async () => {
    const { id, server } = await sent(['c1@example.org'])

    await receive(bounceOf(server, 'c1@example.org'))
    await receive(bounceOf(server, 'c1@example.org', { status: '4.2.2', words: '452 Mailbox full' }))

    expect(await statsOf(id)).toMatchObject({
      bounces_total: 2,
      bounces_unique: 1,
      duplicate_bounces: 1,
      bounces_unique_soft: 0
    })
  })

  it('is matched by the Message-ID of the message that is returned', async () => {
    const { listId, server } = await sent(['d1@example.org'])
    const returned = `Message-ID: ${headerOf(server, 'd1@example.org', 'Message-ID')}`

    await receive(bounce('d1@example.org', { returned }))

    expect(await statusesOf(listId)).toEqual({ 'd1@example.org': 'bounced' })
  })

  it('is matched by the return path of its own (VERP)', async () => {
    const { listId, server } = await sent(['e1@example.org'])
    const token = headerOf(server, 'e1@example.org', 'X-Listwright-Message')
    const report = bounce('forwarded@elsewhere.example', { returned: 'Subject: News' })

    await receive(
      report.replace('To: news@sender.example', `To: <bounces+${token.toUpperCase()}@sender.example>`)
    )

    expect(await statusesOf(listId)).toEqual({ 'e1@example.org': 'bounced' })
  })

  it('that nothing proves changes nobody, and is listed', async () => {
    const { listId, server } = await sent(['f1@example.org'])
    const token = headerOf(server, 'f1@example.org', 'X-Listwright-Message')
    const forged = bounce('f1@example.org', { returned: `X-Listwright-Message: ${token.slice(0, -1)}x` })

    const { data } = await receive(forged)

    expect(data.recipients).toMatchObject([{ address: 'f1@example.org', class: 'hard', subscriber_id: null }])
    expect(await statusesOf(listId)).toEqual({ 'f1@example.org': 'active' })
  })

  it('of another organization is not taken', async () => {
    const { listId, server } = await sent(['g1@example.org'])
    const other = await systemAdminIn(started.app, await makeOrganization(started))

    const { data } = await receive(bounceOf(server, 'g1@example.org'), other)

    expect(data.recipients).toMatchObject([{ subscriber_id: null }])
    expect(await statusesOf(listId)).toEqual({ 'g1@example.org': 'active' })
  })

  it('that is a delay counts nothing', async () => {
    const { id, listId, server } = await sent(['h1@example.org'])

    const { data } = await receive(
      bounceOf(server, 'h1@example.org', {
        action: 'delayed',
        status: '4.4.1',
        words: 'connection timed out'
      })
    )

    expect(data.recipients).toMatchObject([{ is_delayed: true, class: 'soft' }])
    expect(await statusesOf(listId)).toEqual({ 'h1@example.org': 'active' })
    expect(await statsOf(id)).toMatchObject({ bounces_total: 0 })
  })

  it('that is soft sets the status when it is the last of several messages that may bounce', async () => {
    const { listId, server } = await sent(['i1@example.org'])
    await started.api.put('/delivery_options', { delivery_options: { soft_bounces: 2 } })
    const full = { status: '5.2.2', words: '552 5.2.2 Mailbox full' }

    await receive(bounceOf(server, 'i1@example.org', full))
    await receive(bounceOf(server, 'i1@example.org', full))
    expect(await statusesOf(listId)).toEqual({ 'i1@example.org': 'active' })
    await sendTo(listId)
    await receive(bounceOf(server, 'i1@example.org', full))

    expect(await statusesOf(listId)).toEqual({ 'i1@example.org': 'bounced' })
    await started.api.put('/delivery_options', { delivery_options: { soft_bounces: 5 } })
  })

  it('that is soft for a reason of the sender costs nobody a subscription', async () => {
    const { listId, server } = await sent(['s1@example.org'])
    await started.api.put('/delivery_options', { delivery_options: { soft_bounces: 1 } })

    const words = '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example'
    await receive(bounceOf(server, 's1@example.org', { status: '5.7.1', words }))

    expect(await statusesOf(listId)).toEqual({ 's1@example.org': 'active' })
    await started.api.put('/delivery_options', { delivery_options: { soft_bounces: 5 } })
  })

  it('in the words of people changes nobody whom it does not name', async () => {
    const { listId, server } = await sent(['t1@example.org'])
    const token = headerOf(server, 't1@example.org', 'X-Listwright-Message')
    const text = 'Delivery failed: the address sales@example.net does not exist any more.'

    const { data } = await receive(
      `From: postmaster@example.net\r\nTo: <news+${token}@sender.example>\r\nSubject: Undeliverable\r\n\r\n${text}`
    )

    expect(data.recipients).toMatchObject([{ address: 'sales@example.net', subscriber_id: null }])
    expect(await statusesOf(listId)).toEqual({ 't1@example.org': 'active' })
  })

  it('leaves those who unsubscribed as they are, and is counted', async () => {
    const { id, listId, server } = await sent(['j1@example.org'])
    const [subscriber] = await allSubscribers(started.api, listId)
    await started.api.put(`/mailing_lists/${listId}/subscribers/${subscriber?.id}`, {
      subscriber: { status: 'unsubscribed' }
    })

    await receive(bounceOf(server, 'j1@example.org'))

    expect(await statusesOf(listId)).toEqual({ 'j1@example.org': 'unsubscribed' })
    expect(await statsOf(id)).toMatchObject({ bounces_unique: 1, bounces_status_updated: 0 })
  })
})

describe('a complaint', () => {
  it('sets the status, also of who unsubscribed, and is counted once', async () => {
    const { id, listId, server } = await sent(['k1@example.org'])

    await receive(complaint(server, 'k1@example.org'))
    await receive(complaint(server, 'k1@example.org'))

    expect(await statusesOf(listId)).toEqual({ 'k1@example.org': 'scomp' })
    expect(await statsOf(id)).toMatchObject({ scomps_total: 2, scomps_unique: 1, scomps_status_updated: 1 })
  })
})

describe('a complaint without a recipient', () => {
  it('is about the message that it returns', async () => {
    const { listId, server } = await sent(['u1@example.org'])

    await receive(complaint(server, 'u1@example.org').replace('To: u1@example.org', 'To: undisclosed'))

    expect(await statusesOf(listId)).toEqual({ 'u1@example.org': 'scomp' })
  })
})

describe('an unsubscribe by mail', () => {
  it('of another organization changes nothing, and does not tell the address', async () => {
    const { listId, server } = await sent(['v1@example.org'])
    const other = await systemAdminIn(started.app, await makeOrganization(started))
    const [, token = ''] =
      /unsubscribe%20([^>&\s]+)/.exec(headerOf(server, 'v1@example.org', 'List-Unsubscribe')) ?? []

    const { data } = await receive(`Subject: unsubscribe ${token}\r\n\r\n`, other)

    expect(data).toMatchObject({ kind: 'other', recipients: [] })
    expect(await statusesOf(listId)).toEqual({ 'v1@example.org': 'active' })
  })

  it('is attributed to its campaign', async () => {
    const { id, listId, server } = await sent(['l1@example.org'])
    const [, token = ''] =
      /unsubscribe%20([^>&\s]+)/.exec(headerOf(server, 'l1@example.org', 'List-Unsubscribe')) ?? []

    const { data } = await receive(
      `From: l1@example.org\r\nTo: news@sender.example\r\nSubject: unsubscribe ${token}\r\n\r\n`
    )

    expect(data).toMatchObject({ kind: 'unsubscribe' })
    expect(await statusesOf(listId)).toEqual({ 'l1@example.org': 'unsubscribed' })
    expect(await statsOf(id)).toMatchObject({ unsubs_unique: 1 })
  })

  it('with a forged token changes nothing', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'm1@example.org')

    const { data } = await receive(
      `From: m1@example.org\r\nSubject: unsubscribe ${id}-0-${'0'.repeat(40)}\r\n\r\n`
    )

    expect(data).toMatchObject({ kind: 'other', recipients: [] })
    expect(await statusesOf(list.id)).toEqual({ 'm1@example.org': 'active' })
  })
})

describe('received messages', () => {
  it('can be listed by kind, newest first, and downloaded as they came', async () => {
    const message = 'From: a@example.org\r\nSubject: Hello\r\n\r\nHow are you?'
    const { data } = await receive(message)

    const listed = expectSuccess(
      await started.api.get<ReceivedMessage[]>('/received_messages?kind=other&per_page=1')
    )
    const raw = await started.api.raw(`/ga/api/v2/received_messages/${data.id}/raw`)

    expect(listed).toEqual([data])
    expect(await raw.text()).toBe(message)
    expect(raw.headers.get('Content-Type')).toContain('message/rfc822')
  })

  it('must not be empty', async () => {
    expect(await receive('')).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'the body of the request must be a message as it was received'
    })
  })
})
