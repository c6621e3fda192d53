import { createPrivateKey, createSecretKey } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { confirmationTexts } from '../../src-main/api/web-forms/confirmation-texts.ts'
import { type Addressee, type CarriedFiles, MessageComposer } from '../../src-main/delivery/message.ts'
import { signMessage } from '../../src-main/delivery/mime/dkim.ts'
import type { MessagePlan, PlannedContent } from '../../src-main/delivery/plan.ts'

// Messages byte by byte, in golden/. A change of one is a change of what recipients get: look at it, and update it with `npx vitest -u` if it is meant.

const now = Date.parse('2026-03-29T08:15:30Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }))
afterEach(() => void vi.useRealTimers())

const content: PlannedContent = {
  id: 3,
  name: 'Content',
  subject: 'News for %%First_Name|you%%',
  format: 'both',
  html: '<html><body><p>Hello %%First_Name|there%%, <a href="https://example.com/offer?to=%%First_Name%%">an offer</a>.</p><p><a href="%%unsubscribe_link%%">Unsubscribe</a></p></body></html>',
  text: 'Hello %%First_Name|there%%,\n\nAn offer: https://example.com/offer\n\nUnsubscribe: %%unsubscribe_link%%',
  sliceId: 5,
  links: [
    { id: 8, url: 'https://example.com/offer?to=%%First_Name%%' },
    { id: 9, url: 'https://example.com/offer' }
  ]
}

const plan: MessagePlan = {
  organizationId: 1,
  campaign: { id: 2, name: 'Spring' },
  xCampaignId: '1-4-2',
  list: { id: 4, name: 'Readers & friends' },
  sender: {
    from_email: 'news@example.com',
    from_name: 'News, weekly',
    sender_email: null,
    reply_to: 'reply@example.com'
  },
  bounceAddress: 'bounces@example.com',
  hasPlusAddressing: false,
  customHeaders: [{ name: 'X-Reader', value: '%%subscriber_id%%' }],
  fields: [
    {
      ...{ id: 6, organizationId: 1, mailingListId: 4, name: 'First Name', type: 'text', required: false },
      ...{ instructions: null, attributes: {}, options: [] }
    }
  ],
  timeZone: 'Europe/Vienna',
  isRemote: false,
  gate: null,
  linkBase: 'http://links.example.com',
  asksToConfirm: false,
  leaves: false,
  linksImages: false,
  signingSecret: createSecretKey(Buffer.alloc(32, 7)),
  tracksOpens: true,
  frame: {
    html_header: '',
    html_footer: '<p>Example Ltd.</p>',
    text_header: '',
    text_footer: 'Example Ltd.'
  },
  contents: [content],
  attachmentsOf: null
}

const anna: Addressee = {
  ...{ id: 7, email: 'anna@example.org', subscribe_time: now - 86_400_000, subscribe_ip: '192.0.2.1' },
  ...{ values: { 6: 'Änne' }, format: null }
}

function composed(
  more: Partial<MessagePlan>,
  to: Partial<Addressee> = {},
  {
    changes = {},
    images = [],
    attachments = []
  }: { changes?: Partial<PlannedContent> } & Partial<CarriedFiles> = {}
): Buffer {
  const contents: MessagePlan['contents'] = [{ ...content, ...changes }]
  const composer = new MessageComposer({ ...plan, ...more, contents }, { images, attachments })
  return composer.compose(content.id, { ...anna, ...to }, 0).content
}

const longText = 'Привет, мир. '.repeat(20)
const key = 'a'.repeat(32)

const messages: Record<string, () => Buffer | Promise<Buffer>> = {
  'both formats for the outbox': () => composed({}),
  'both formats by SMTP': () => composed({ leaves: true }),
  'by SMTP without a link address': () => composed({ leaves: true, linkBase: null, tracksOpens: false }),
  'with a return path of its own': () => composed({ leaves: true, hasPlusAddressing: true }),
  'plain text for who chose it': () => composed({}, { format: 'text' }),
  'a fallback for who has no name': () => composed({}, { values: {} }),
  'an address beyond ASCII': () => composed({}, { email: 'jörg@bücher.example' }),
  'mostly another script': () =>
    composed({}, {}, { changes: { format: 'text', text: longText, subject: longText.slice(0, 60) } }),
  'a picture inside': () =>
    composed(
      {},
      {},
      {
        changes: { html: `<html><body><img src="cid:${key}"></body></html>` },
        images: [{ key, name: 'dot.gif', media_type: 'image/gif', bytes: Buffer.from('GIF89a') }]
      }
    ),
  'a picture and attachments': () =>
    composed(
      {},
      {},
      {
        changes: { html: `<html><body><img src="cid:${key}"></body></html>` },
        images: [{ key, name: 'dot.gif', media_type: 'image/gif', bytes: Buffer.from('GIF89a') }],
        attachments: [
          {
            id: 1,
            name: 'Preise März.pdf',
            media_type: 'application/pdf',
            bytes: Buffer.from('%PDF-1.7 '.repeat(20))
          },
          { id: 2, name: 'a; "b".ics', media_type: 'text/calendar', bytes: Buffer.from('BEGIN:VCALENDAR') }
        ]
      }
    ),
  'lines that begin with a dot or From': () =>
    composed({}, {}, { changes: { format: 'text', text: '.\n..\nFrom here\n=20\ntrailing \n' } }),
  'a confirmation': () =>
    composed(
      { asksToConfirm: true, leaves: true, tracksOpens: false },
      { id: 0, asked: { subscriptionId: 11, formId: 12 } },
      { changes: { ...confirmationTexts.de, links: [] } }
    ),
  'signed with DKIM': () =>
    signMessage(
      composed({ leaves: true }),
      { domain: 'example.com', selector: 'test', privateKey: createPrivateKey(testKey) },
      now
    )
}

describe('the golden set', () => {
  it.each(Object.entries(messages))('%s', async (name, compose) => {
    const message = (await compose()).toString('latin1')

    await expect(message).toMatchFileSnapshot(`golden/${name.toLowerCase().replaceAll(' ', '-')}.eml`)
  })
})

/** A key that signs nothing else. */
const testKey = `-----BEGIN RSA PRIVATE KEY-----
MIICXQIBAAKBgQDHXKypFszD+yZDWo8FTvs2vUm2gzqkP/Ww4SptZPl4uK9ZKKXv
FQGw5bwDUd2yAEkk10x/A668G7wP31YUpX3FPP7Pl3Ee9Fs6tZbb24syLASUtGUr
p4oWLTMiBvyjL+82QSe/19291oa9YpkbYgVAjvwe1E48HUnyDDSGPSDbHQIDAQAB
AoGBAK5cKU5BeJk3QMHLpCZ6a0/2wU90+obIwbMPWzIOC/o/XGzYFjhB4Ra79nHY
2dJiWZZ1DpxPtjUi9JnVNM4d5x5cLLcusO03P/BsZ+Lu9v3WFSQY1tUvzsfLWOhL
hpW9HwvSyUk3BUxL37BUnZ427DE6P7RMUZgJPzX6W6OTSrdpAkEA8Xm6F/7FPa+h
LFFJLHKXFgrVNAVi2uiHuT1yXDPIaQ4j2di5L479eSZ+HOWmOAz9d2ouJ5ITSXo4
HoSEypv58wJBANNaem4gNyS96b/m/QguddmRnqNwgZFYbUbR7jYe4Qfw3pYOnOTS
51drAEl4hoSCTl87epXb6dJk/mz87wYsiq8CQE5yuFVRTGzU4OyP39DTzWe4zzje
QxZREr7ISp3PqN0QXe9I7CiaMJiqO7BRnyV4euPPl/z9BM0LKq4naSiVcacCQCrB
oQbqSX2LVeBWkFW5YGn1RYx21B9dLi4nhfM45/k9RypAJok8CUTsBpDWaxAfdE9b
rv7mEDVZ7QaLXKd5F00CQQDkKCx+iz0g7DsOqWEjOyEuGYp3NM8XD2NjRJH6JOd3
RcIiUJ9MLZmH5py/iHQ/88yBKB3NblyDk80x+jseQ8at
-----END RSA PRIVATE KEY-----`
