import { describe, expect, it } from 'vitest'
import { readReport, type Report } from '../../src-main/receiving/reports/read-report.ts'

const returned = [
  'From: News <news@sender.example>',
  'To: anna@example.org',
  'Subject: Spring',
  'X-Listwright-Message: 1-2-3',
  '',
  'Hello'
]

function read(lines: readonly string[]): Promise<Report | null> {
  return readReport(Buffer.from(lines.join('\r\n')))
}

/** A delivery status notification (RFC 3464). */
function dsn(
  fields: Record<string, string>,
  text = 'The message could not be delivered.'
): Promise<Report | null> {
  return read([
    ...[
      'Return-Path: <>',
      'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
      'To: bounces@sender.example'
    ],
    ...['Subject: Undelivered Mail Returned to Sender', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', ''],
    ...['--b', 'Content-Type: text/plain', '', text, ''],
    ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[
      'Final-Recipient: rfc822; anna@example.org',
      ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
      ''
    ],
    ...['--b', 'Content-Type: message/rfc822', '', ...returned, '', '--b--', '']
  ])
}

/** A report of a mail system that writes for people only. */
function note(text: string, headers: readonly string[] = []): Promise<Report | null> {
  return read([
    ...[
      'Return-Path: <>',
      'From: Mail Delivery System <mailer-daemon@mx.example.net>',
      'To: bounces@sender.example'
    ],
    ...['Subject: Mail delivery failed: returning message to sender', ...headers, '', text]
  ])
}

function only(report: Report | null) {
  expect(report).toMatchObject({ kind: 'bounce' })
  const { recipients } = report as Report & { kind: 'bounce' }
  expect(recipients).toHaveLength(1)
  return recipients[0]
}

describe('a delivery status notification', () => {
  it.each([
    [
      '5.1.1',
      'smtp; 550 5.1.1 <anna@example.org>: Recipient address rejected: User unknown',
      'hard',
      'user_unknown'
    ],
    ['5.0.0', 'smtp; 550 <anna@example.org>: User unknown', 'hard', 'user_unknown'],
    ['5.1.2', 'smtp; 550 Host unknown', 'hard', 'host_unknown'],
    ['5.1.6', 'smtp; 550 5.1.6 Recipient no longer on server', 'hard', 'moved'],
    ['5.2.2', 'smtp; 552 5.2.2 Mailbox full', 'soft', 'mailbox_full'],
    ['4.2.2', 'smtp; 452 4.2.2 The recipient is over quota', 'soft', 'mailbox_full'],
    ['5.3.4', 'smtp; 552 Message size exceeds fixed maximum message size', 'soft', 'message_too_large'],
    [
      '5.7.1',
      'smtp; 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example',
      'soft',
      'blocked'
    ],
    ['5.7.1', 'smtp; 550 5.7.1 This message was considered unsolicited', 'soft', 'spam'],
    ['5.7.26', 'smtp; 550 5.7.26 This mail is unauthenticated', 'soft', 'authentication'],
    ['4.4.7', 'smtp; delivery time expired', 'soft', 'expired'],
    [
      '5.2.1',
      'smtp; 550 5.2.1 The email account that you tried to reach is disabled',
      'soft',
      'mailbox_disabled'
    ],
    ['5.0.0', 'Die Gruppe gibt es nicht: https://groups.google.com/support/', 'soft', 'sender_rejected'],
    ['5.0.0', '', 'other', 'undefined']
  ])('with the status %s and “%s” is %s: %s', async (status, diagnostic, verdict, reason) => {
    const report = await dsn(
      { Action: 'failed', Status: status, ...(diagnostic && { 'Diagnostic-Code': diagnostic }) },
      ''
    )

    expect(only(report)).toMatchObject({ address: 'anna@example.org', class: verdict, reason })
  })

  it('returns the header of the message that it is about', async () => {
    const report = await dsn({ Action: 'failed', Status: '5.1.1' })

    expect(report).toMatchObject({ kind: 'bounce' })
    expect((report as Report & { kind: 'bounce' }).returned?.get('x-listwright-message')).toBe('1-2-3')
  })

  it('is soft where the mailbox was refused only after the message had been handed over', async () => {
    const report = await dsn(
      { Action: 'failed', Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 unknown user' },
      '>>> DATA\r\n<<< 550 unknown user'
    )

    expect(only(report)).toMatchObject({ class: 'soft', reason: 'filtered' })
  })

  it.each([
    ['4.1.1', 'smtp; 450 4.1.1 <anna@example.org>: unverified address: Address verification in progress'],
    ['4.2.0', 'smtp; 451 4.2.0 Greylisted, user unknown yet'],
    ['4.4.4', 'smtp; 450 4.4.4 Host not found']
  ])('with the temporary status %s is never hard', async (status, diagnostic) => {
    const report = await dsn({ Action: 'failed', Status: status, 'Diagnostic-Code': diagnostic }, '')

    expect(only(report)).toMatchObject({ class: 'soft' })
  })

  it('of a delay says so', async () => {
    expect(only(await dsn({ Action: 'delayed', Status: '4.4.1' }))).toMatchObject({
      class: 'soft',
      isDelayed: true
    })
  })

  it('of a delivery is no bounce', async () => {
    expect(await dsn({ Action: 'delivered', Status: '2.0.0' }, 'Your message was delivered.')).toBeNull()
  })

  it('is read where the boundary of its parts is wrong', async () => {
    const report = await read([
      ...[
        'From: MAILER-DAEMON@mx.example.net',
        'Subject: Undelivered Mail Returned to Sender',
        'MIME-Version: 1.0'
      ],
      ...['Content-Type: multipart/report; report-type=delivery-status; boundary="wrong"', ''],
      ...[
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Final-Recipient: rfc822; anna@example.org',
        'Action: failed',
        'Status: 5.1.1',
        '',
        '--b--',
        ''
      ]
    ])

    expect(only(report)).toMatchObject({ address: 'anna@example.org', class: 'hard', status: '5.1.1' })
  })
})

describe('a report for people', () => {
  it('names the recipient on a line of its own, and quotes the server (Exim)', async () => {
    const text = [
      ...[
        'This message was created automatically by mail delivery software.',
        'The following address(es) failed:',
        ''
      ],
      ...[
        '  anna@example.org',
        '    SMTP error from remote mail server after RCPT TO:<anna@example.org>:',
        '    550 5.1.1 No such user',
        ''
      ],
      ...['------ This is a copy of the message, including all the headers. ------', '', ...returned]
    ].join('\r\n')

    const report = await note(text, ['X-Failed-Recipients: anna@example.org', 'Auto-Submitted: auto-replied'])

    expect(only(report)).toMatchObject({ address: 'anna@example.org', class: 'hard', reason: 'user_unknown' })
    expect((report as Report & { kind: 'bounce' }).returned?.get('subject')).toBe('Spring')
  })

  it('puts the recipient into angle brackets (qmail)', async () => {
    const text = `Hi. This is the qmail-send program at mx.example.net.\r\n\r\n<anna@example.org>:\r\nRemote host said: 552 mailbox is full\r\nGiving up on 192.0.2.7.\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n${returned.join('\r\n')}`

    expect(only(await note(text))).toMatchObject({
      address: 'anna@example.org',
      class: 'soft',
      reason: 'mailbox_full'
    })
  })

  it('names several recipients, each with words of its own', async () => {
    const text =
      'The following addresses had permanent fatal errors\r\n\r\n<anna@example.org>:\r\n550 5.1.1 user unknown\r\n\r\n<ben@example.org>:\r\n552 5.2.2 mailbox full\r\n'

    const report = (await note(text)) as Report & { kind: 'bounce' }

    expect(report.recipients.map(({ address, class: verdict }) => [address, verdict])).toEqual([
      ['anna@example.org', 'hard'],
      ['ben@example.org', 'soft']
    ])
  })
})

describe('a warning for people', () => {
  it('is a delay, not a bounce', async () => {
    const text =
      'Warning: could not deliver your message to the following recipients for 4 hours:\r\n\r\n<anna@example.org>: connection timed out\r\n\r\nThe server will keep trying.'

    expect(only(await note(text))).toMatchObject({ isDelayed: true })
  })
})

describe('a complaint', () => {
  const complaint = (type: string) =>
    read([
      ...[
        'From: feedback@isp.example',
        'To: abuse@sender.example',
        'Subject: complaint',
        'MIME-Version: 1.0'
      ],
      ...['Content-Type: multipart/report; report-type=feedback-report; boundary="b"', ''],
      ...['--b', 'Content-Type: text/plain', '', 'This is an email abuse report.', ''],
      ...[
        '--b',
        'Content-Type: message/feedback-report',
        '',
        `Feedback-Type: ${type}`,
        'User-Agent: SomeGenerator/1.0',
        'Original-Rcpt-To: <anna@example.org>',
        'Original-Rcpt-To: <ben@example.org>',
        ''
      ],
      ...['--b', 'Content-Type: message/rfc822', '', ...returned, '', '--b--', '']
    ])

  it('names its recipients (RFC 5965)', async () => {
    expect(await complaint('abuse')).toMatchObject({
      kind: 'complaint',
      recipients: ['anna@example.org', 'ben@example.org']
    })
  })

  it('is not what a report of failed authentication is', async () => {
    expect(await complaint('auth-failure')).toBeNull()
  })
})

describe('no report', () => {
  it.each([
    [
      'an answer of a person',
      'anna@example.org',
      'Re: Spring',
      'Thanks, I could not be delivered a better offer!',
      []
    ],
    [
      'an absence',
      'anna@example.org',
      'Out of office: Spring',
      'I am away until Monday.',
      ['Auto-Submitted: auto-replied']
    ],
    [
      'an absence in German',
      'max@example.de',
      'Automatische Antwort: News',
      'Die Adresse sales@example.de gibt es nicht mehr, could not be delivered.',
      []
    ],
    ['an absence without a mark', 'anna@example.org', 'Abwesenheit', 'Ich bin nicht da.', []],
    [
      'a challenge',
      'robot@example.org',
      'Please confirm your message',
      'Click here so that your message can be delivered.',
      ['Auto-Submitted: auto-replied']
    ]
  ])('is %s', async (_what, from, subject, text, headers) => {
    expect(
      await read([`From: ${from}`, 'To: news@sender.example', `Subject: ${subject}`, ...headers, '', text])
    ).toBeNull()
  })

  it('is what cannot be read at all', async () => {
    expect(await readReport(Buffer.alloc(0))).toBeNull()
    expect(await readReport(Buffer.from([0xff, 0x00, 0x0a, 0x0a, 0x80]))).toBeNull()
  })
})

describe('hostile reports', () => {
  it('that are nested too deep are none', async () => {
    const deep = Array.from({ length: 400 }).reduce<string>(
      (inner, _, index) =>
        `Content-Type: multipart/mixed; boundary="b${index}"\r\n\r\n--b${index}\r\n${inner}\r\n--b${index}--\r\n`,
      'Subject: x\r\n\r\nhi'
    )

    expect(await readReport(Buffer.from(deep))).toBeNull()
  })

  it.each([
    ['one long word', 'a'.repeat(900_000)],
    ['many addresses', 'a@example.org '.repeat(60_000)],
    ['many at signs', '@'.repeat(500_000)],
    ['many brackets', '<'.repeat(500_000)],
    ['spaces and line breaks', ' \n'.repeat(400_000)],
    ['words that nearly match', 'mailbox mailbox user account address '.repeat(20_000)],
    ['many times the same word', 'you you '.repeat(60_000)],
    ['fields', 'Final-Recipient: rfc822; a@example.org\n\n'.repeat(20_000)]
  ])('of %s do not take long', { timeout: 60_000 }, async (_what, text) => {
    expect(await note(text)).not.toBeUndefined()
  })
})
