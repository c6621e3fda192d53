import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mailbox, MailboxTest } from '../../src-main/api/mailboxes/schema.ts'
import type { ReceivedMessage } from '../../src-main/receiving/schema.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { bounceReport, tokenOf } from '../support/bounce-report.ts'
import { allSubscribers, expectSuccess } from '../support/builders.ts'
import { dovecot, hasDovecot, type Dovecot } from '../support/dovecot.ts'
import { mailServer } from '../support/mail-server.ts'
import { listWith, routeTo, sendNow, until, untilState } from '../support/smtp-route.ts'

const started = sharedApplication()
let made = 0

function settingsOf(server: Dovecot, settings: Record<string, unknown> = {}) {
  return {
    ...{ name: `Mailbox ${++made}`, host: '127.0.0.1', port: server.port, security: 'none' },
    ...{ username: `user${made}`, secret: server.password, ...settings }
  }
}

async function makeMailbox(server: Dovecot, settings: Record<string, unknown> = {}): Promise<Mailbox> {
  const mailbox = settingsOf(server, settings)
  return expectSuccess(await started.api.post<Mailbox>('/mailboxes', { mailbox }))
}

async function mailboxOf({ id }: Mailbox): Promise<Mailbox> {
  return expectSuccess(await started.api.get<Mailbox>(`/mailboxes/${id}`))
}

/** Has a mailbox read again, and waits until it was. */
async function readAgain(mailbox: Mailbox): Promise<void> {
  await started.api.put(`/mailboxes/${mailbox.id}`, { mailbox: { is_enabled: true } })
  const since = Date.now()
  await until(async () => {
    const { checked_at, error_message } = await mailboxOf(mailbox)
    return error_message !== null || Date.parse(checked_at ?? '') >= since - 1000
  })
  await until(async () => (await mailboxOf(mailbox)).checked_at !== null)
}

async function receivedSince(id: number): Promise<ReceivedMessage[]> {
  const all = expectSuccess(await started.api.get<ReceivedMessage[]>('/received_messages?per_page=500'))
  return all.filter((message) => message.id > id)
}

async function newestId(): Promise<number> {
  return (await receivedSince(0))[0]?.id ?? 0
}

/** A campaign to one subscriber, with the token of its message. */
async function sentToOne(email: string): Promise<{ list: { id: number }; token: string }> {
  const taker = await mailServer()
  await routeTo(started.api, taker.port)
  const list = await listWith(started.api, [email])
  const { id } = await sendNow(started.api, list.id)
  await untilState(started.api, id, 'finished')
  const token = tokenOf(taker.received[0]?.content)
  return { list, token }
}

/** To an address of which a part may be a token. */
const answer = 'From: anna@example.org\r\nTo: news+x-y@example.com\r\nSubject: Re: News\r\n\r\nThanks!'
const letter = 'From: anna@example.org\r\nSubject: Lunch?\r\n\r\nToday at noon?'

describe.skipIf(!hasDovecot && process.env['CI'] !== 'true')('a mailbox', () => {
  it('is read: its bounces are applied once, and nothing in it changes', async () => {
    const server = await dovecot()
    const { list, token } = await sentToOne('a@example.org')
    await server.deliver('user1', [letter, answer, bounceReport('a@example.org', token)])
    const before = await newestId()

    const mailbox = await makeMailbox(server, { name: 'Bounces', username: 'user1' })
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)
    await readAgain(mailbox)

    expect((await receivedSince(before)).map(({ kind }) => kind)).toEqual(['bounce'])
    expect((await allSubscribers(started.api, list.id))[0]?.status).toBe('bounced')
    expect(await server.inbox('user1')).toEqual({ unseen: 3, seen: 0 })
  })

  it('is read on where it ended, also after the server has numbered it anew', async () => {
    const server = await dovecot()
    await server.deliver('user2', [bounceReport('a@example.org', 'x'), bounceReport('a@example.org', 'x')])
    const before = await newestId()
    const mailbox = await makeMailbox(server, { username: 'user2' })
    await until(async () => (await receivedSince(before)).length === 2)

    await server.deliver('user2', [bounceReport('a@example.org', 'x')])
    await readAgain(mailbox)
    await until(async () => (await receivedSince(before)).length === 3)
    // Another folder of UIDs: all of it is read again, and known.
    await started.api.put(`/mailboxes/${mailbox.id}`, { mailbox: { username: 'user2@example.org' } })
    await readAgain(mailbox)

    expect(await receivedSince(before)).toHaveLength(3)
  })

  it('loses the reports that are about its messages, and no others, once they are stored, if that is wanted', async () => {
    const server = await dovecot()
    const { list, token } = await sentToOne('c@example.org')
    await server.deliver('user3', [
      letter,
      answer,
      bounceReport('a@example.org', token),
      bounceReport('a@example.org', 'x')
    ])

    const mailbox = await makeMailbox(server, { username: 'user3', deletes_reports: true })
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)

    expect(await server.inbox('user3')).toEqual({ unseen: 3, seen: 0 })
    expect((await allSubscribers(started.api, list.id))[0]?.status).toBe('bounced')
  })

  it('says why it cannot be read', async () => {
    const server = await dovecot()
    const mailbox = await makeMailbox(server, { name: 'Locked', secret: 'wrong' })

    await until(async () => (await mailboxOf(mailbox)).error_message !== null)

    expect((await mailboxOf(mailbox)).error_message).toMatch(/^Locked refuses the user name or password: “/)
    const test = await started.api.post<MailboxTest>(`/mailboxes/${mailbox.id}/test`)
    expect(expectSuccess(test)).toMatchObject({ is_open: false, messages: null })
  })

  it('can be tested, and unlocks sending to many once it was read', async () => {
    const server = await dovecot()
    await server.deliver('user5', [letter])
    const mailbox = await makeMailbox(server, { username: 'user5' })

    const test = await started.api.post<MailboxTest>(`/mailboxes/${mailbox.id}/test`)
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)

    expect(expectSuccess(test)).toEqual({ is_open: true, messages: 1, words: '' })
    expect(expectSuccess(await started.api.get('/delivery_options'))).toMatchObject({
      receives_unsubscribes: true
    })
  })
})

describe.skipIf(!hasDovecot && process.env['CI'] !== 'true')('a mailbox on a POP3 server', () => {
  const ofPop3 = (server: Dovecot, settings: Record<string, unknown>) =>
    makeMailbox(server, { protocol: 'pop3', port: server.pop3Port, ...settings })

  it('is read: its bounces are applied once, and nothing in it changes', async () => {
    const server = await dovecot()
    const { list, token } = await sentToOne('p@example.org')
    const long = `From: x@example.org\r\nSubject: Long\r\n\r\n${'.dots\r\n..\r\n'.repeat(50_000)}`
    await server.deliver('user1', [letter, long, bounceReport('p@example.org', token), answer])
    const before = await newestId()

    const mailbox = await ofPop3(server, { username: 'user1' })
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)
    await server.deliver('user1', [bounceReport('p@example.org', 'x')])
    await readAgain(mailbox)
    await until(async () => (await receivedSince(before)).length === 2)

    expect((await allSubscribers(started.api, list.id))[0]?.status).toBe('bounced')
    expect((await server.inbox('user1')).unseen).toBe(5)
    const test = await started.api.post<MailboxTest>(`/mailboxes/${mailbox.id}/test`)
    expect(expectSuccess(test)).toEqual({ is_open: true, messages: 5, words: '' })
  })

  it('loses the reports that are about its messages once they are stored, if that is wanted', async () => {
    const server = await dovecot()
    const { token } = await sentToOne('q@example.org')
    await server.deliver('user2', [
      letter,
      bounceReport('q@example.org', token),
      bounceReport('q@example.org', 'x')
    ])

    const mailbox = await ofPop3(server, { username: 'user2', deletes_reports: true })
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)

    expect((await server.inbox('user2')).unseen).toBe(2)
  })

  it('says why it cannot be read', async () => {
    const server = await dovecot()
    const locked = await ofPop3(server, { name: 'Locked POP3', secret: 'wrong' })
    const imap = await ofPop3(server, { name: 'No POP3', port: server.port })

    await until(async () => (await mailboxOf(locked)).error_message !== null)
    await until(async () => (await mailboxOf(imap)).error_message !== null)

    expect((await mailboxOf(locked)).error_message).toMatch(
      /^Locked POP3 refuses the user name or password: “/
    )
    expect((await mailboxOf(imap)).error_message).toContain('No POP3')
  })
})

describe('a Maildir', () => {
  /** A folder as a mail system makes it. */
  async function maildir(messages: readonly string[]): Promise<string> {
    const folder = await temporaryDirectory()
    for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(folder, part))
    for (const [index, message] of messages.entries()) {
      writeFileSync(join(folder, 'new', `${1_700_000_000 + index}.M${index}.host`), message)
    }
    return folder
  }

  async function makeMaildir(folder: string, settings: Record<string, unknown> = {}): Promise<Mailbox> {
    const mailbox = { name: `Maildir ${++made}`, protocol: 'maildir', folder, ...settings }
    return expectSuccess(await started.api.post<Mailbox>('/mailboxes', { mailbox }))
  }

  it('is read, also what mail programs have moved meanwhile', async () => {
    const { list, token } = await sentToOne('m@example.org')
    const folder = await maildir([letter, bounceReport('m@example.org', token)])
    const before = await newestId()

    const mailbox = await makeMaildir(folder)
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)
    for (const name of readdirSync(join(folder, 'new'))) {
      renameSync(join(folder, 'new', name), join(folder, 'cur', `${name}:2,S`))
    }
    writeFileSync(join(folder, 'new', '1.later.host'), bounceReport('m@example.org', 'x'))
    await readAgain(mailbox)
    await until(async () => (await receivedSince(before)).length === 2)

    expect((await allSubscribers(started.api, list.id))[0]?.status).toBe('bounced')
    expect(readdirSync(join(folder, 'cur'))).toHaveLength(2)
  })

  it('loses the reports that are about its messages once they are stored, if that is wanted', async () => {
    const { token } = await sentToOne('n@example.org')
    const folder = await maildir([letter, bounceReport('n@example.org', token)])

    const mailbox = await makeMaildir(folder, { deletes_reports: true })
    await until(async () => (await mailboxOf(mailbox)).checked_at !== null)

    expect(readdirSync(join(folder, 'new'))).toEqual(['1700000000.M0.host'])
  })

  it('says that a folder is none', async () => {
    const mailbox = await makeMaildir(await temporaryDirectory())

    await until(async () => (await mailboxOf(mailbox)).error_message !== null)

    expect((await mailboxOf(mailbox)).error_message).toContain('is no Maildir that can be read')
  })

  it('is chosen by system administrators alone, with its whole path', async () => {
    const admin = await clientOfUser(started, { role: 'organization_admin' })
    const mailbox = { name: 'Foreign', protocol: 'maildir', folder: '/etc' }

    const [foreign, relative] = [
      await admin.post('/mailboxes', { mailbox }),
      await started.api.post('/mailboxes', { mailbox: { ...mailbox, folder: 'Maildir' } })
    ]

    expect(foreign.error_message).toBe(
      'only a system administrator reads a folder of this computer (protocol maildir)'
    )
    expect(relative.error_message).toBe(
      'folder must be the whole path of a Maildir, such as /var/mail/bounces/Maildir'
    )
  })
})

describe('the settings of a mailbox', () => {
  it('never hold its password, which is gone with another host', async () => {
    const mailbox = {
      name: 'Kept',
      host: 'imap.example.com',
      username: 'anna',
      secret: 'a secret',
      is_enabled: false
    }
    const created = await started.api.post<Mailbox>('/mailboxes', { mailbox })
    const { id } = expectSuccess(created)

    const moved = await started.api.put<Mailbox>(`/mailboxes/${id}`, {
      mailbox: { host: 'imap.example.org' }
    })

    expect(created.data).toMatchObject({ has_secret: true, port: 993, security: 'tls', folder: 'INBOX' })
    expect(JSON.stringify(created)).not.toContain('a secret')
    expect(expectSuccess(moved)).toMatchObject({ has_secret: false })
  })

  it('must be protected, except on this computer', async () => {
    const mailbox = { name: 'Open', host: 'imap.example.com', username: 'anna', security: 'none' }

    expect((await started.api.post('/mailboxes', { mailbox })).error_message).toMatch(/^security/)
  })
})
