import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { DkimKey } from '../../../src-main/api/dkim-keys/schema.ts'
import { startApplication } from '../../support/application.ts'
import { expectSuccess } from '../../support/builders.ts'
import { hasPostfix, postfix } from '../../support/postfix.ts'
import {
  journalOf,
  listWith,
  messagesIn,
  routeTo,
  sendNow,
  until,
  untilState
} from '../../support/smtp-route.ts'

test.skipIf(!hasPostfix && process.env['CI'] !== 'true')(
  'a campaign passes a real Postfix that greylists, and arrives once in each mailbox of Dovecot',
  { timeout: 120_000 },
  async () => {
    const receiver = await postfix({ domain: 'example.org', users: 'p[0-9]+', greylistedFor: 3 })
    const { api } = await startApplication(undefined, {
      retrySchedule: {
        pauses: [1500],
        triedFor: 60_000,
        serverPauses: [50, 200],
        domainPauses: [200, 1000],
        readingPauses: [100, 200]
      }
    })
    await routeTo(api, receiver.port)
    const key = expectSuccess(await api.post<DkimKey>('/dkim_keys', { dkim_key: { domain: 'example.com' } }))
    const emails = Array.from({ length: 60 }, (_, index) => `p${index}@example.org`)
    const list = await listWith(api, [...emails, 'gone1@example.org', 'gone2@example.org'])

    const { id } = await sendNow(api, list.id)
    await untilState(api, id, 'finished', 90_000)
    const delivered = async (): Promise<number> => (await receiver.mailboxes()).size
    await until(async () => (await delivered()) === emails.length)

    const mailboxes = await receiver.mailboxes()
    const accepted = await messagesIn(api, id, 'accepted')
    const failed = await messagesIn(api, id, 'failed')
    expect([...mailboxes.keys()].toSorted()).toEqual(
      emails.map((email) => email.replace(/@.*/, '')).toSorted()
    )
    expect([...mailboxes.values()].every((messages) => messages.length === 1)).toBe(true)
    expect(await journalOf(api, id)).toMatchObject({ accepted: 60, failed: 2, uncertain: 0, retry: 0 })
    expect(accepted.every(({ attempts, reply }) => attempts >= 2 && reply?.startsWith('250 2.0.0'))).toBe(
      true
    )
    expect(failed.map(({ code, reply }) => `${code} ${reply?.slice(0, 9)}`)).toEqual([
      '550 550 5.1.1',
      '550 550 5.1.1'
    ])
    const [first = ''] = mailboxes.get('p7') ?? []
    const message = await PostalMime.parse(first)
    const { results } = await dkimVerify(first.replaceAll(/\r?\n/g, '\r\n'), {
      resolver: async () => [[key.record_value]]
    })
    expect(message.to?.[0]?.address).toBe('p7@example.org')
    expect(results[0]?.status.result).toBe('pass')
  }
)
