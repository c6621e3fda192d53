import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime, { type Email } from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { openOutbox } from '../../src-main/delivery/outbox.ts'
import { headerLine, headerName, recipientLine } from '../../src-main/delivery/mime/headers.ts'
import {
  inlineFile,
  type Part,
  textEncodingOf,
  writeMessage
} from '../../src-main/delivery/mime/write-message.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '../support/application.ts'

/** A letter or two of twenty scripts, and what is easily lost in a message. */
const scripts = [
  ...[
    'a',
    'Zz',
    'äß',
    'ğı',
    'ął',
    'đơ',
    'Ωξ',
    'Жы',
    'Ґї',
    'אב',
    'عر',
    'हि',
    'বা',
    'தி',
    'ไท',
    '한글',
    'かな',
    '漢字'
  ],
  ...[
    'ქარ',
    'հայ',
    'አማ',
    '😀👩‍👧',
    'e\u0301',
    ' ',
    '  ',
    '\t',
    '\n',
    '\r\n',
    '=',
    '=3D',
    '.',
    '.\n',
    '\n.',
    'From ',
    '\nFrom '
  ],
  ...[
    '"',
    '\\',
    '<',
    '>',
    ',',
    ';',
    ':',
    '@',
    '?',
    '=?UTF-8?Q?a?=',
    '--',
    '=_part_1',
    '%%',
    '\u00a0',
    '\u2028',
    '0',
    '_',
    "'",
    '&'
  ]
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...scripts), fc.constant('word '), fc.constant('x'.repeat(90))), {
    maxLength: 40
  })
  .map((parts) => parts.join(''))
const line = text.map((each) => each.replaceAll(/[\r\n\u2028]/g, ' '))
const address = fc.tuple(
  fc.constantFrom('anna', 'a.b+c', "o'neil", 'a_b=c', 'ünal', '用户'),
  fc.constantFrom('example.com', 'bücher.example', 'Example.ORG', 'xn--bcher-kva.example')
)

interface Given {
  subject: string
  name: string
  from: string
  to: string
  custom: string
  html: string
  text: string
  file: { name: string; bytes: Buffer } | null
}

const given: fc.Arbitrary<Given> = fc.record({
  subject: line,
  name: line,
  from: address.map((parts) => parts.join('@')),
  to: address.map((parts) => parts.join('@')),
  custom: line,
  html: text.map((each) => `<p>${each}</p>`),
  text: text.map((each) => `Text ${each}`),
  file: fc.option(
    fc.record({
      name: line.map((each) => `a${each.replaceAll(/[\t"\\]/g, '')}.png`),
      bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    })
  )
})

function written({ subject, name, from, to, custom, html, text: plain, file }: Given): Buffer {
  const page: Part = { kind: 'text', subtype: 'html', encoding: textEncodingOf(html), text: html }
  const shown: Part = file
    ? {
        kind: 'multipart',
        subtype: 'related',
        parts: [page, inlineFile({ id: 'key', mediaType: 'image/png', ...file })]
      }
    : page
  const headers = [
    headerLine(headerName('x-custom'), custom),
    headerLine('From', { name, address: from }),
    recipientLine(to),
    headerLine('Subject', subject),
    'MIME-Version: 1.0\r\n'
  ]
  return writeMessage(headers.join(''), {
    kind: 'multipart',
    subtype: 'alternative',
    parts: [{ kind: 'text', subtype: 'plain', encoding: textEncodingOf(plain), text: plain }, shown]
  })
}

function composedByNodemailer({
  subject,
  name,
  from,
  to,
  custom,
  html,
  text: plain,
  file
}: Given): Promise<Buffer> {
  const mail = new MailComposer({
    from: { name, address: from },
    to: { name: '', address: to },
    subject,
    html,
    text: plain,
    headers: [{ key: 'x-custom', value: custom }],
    ...(file && {
      attachments: [
        {
          cid: 'key',
          filename: file.name,
          contentType: 'image/png',
          contentDisposition: 'inline' as const,
          content: file.bytes
        }
      ]
    })
  })
  return mail.compile().build()
}

/** What a mail program reads. Line breaks at the end are lost in some encodings. */
function readOf({ subject, from, to, html = '', text: plain = '', attachments, headers }: Email) {
  const withoutEnd = (part: string): string => part.replaceAll(/\r\n?|\n/g, '\n').replace(/\n+$/, '')
  return {
    subject: subject ?? '',
    from,
    to,
    custom: headers.filter(({ key }) => key === 'x-custom').map(({ value }) => value),
    html: withoutEnd(html),
    text: withoutEnd(plain),
    attachments: attachments.map(({ filename, mimeType, contentId, disposition, content }) => ({
      filename,
      mimeType,
      contentId,
      disposition,
      content: Buffer.from(content as ArrayBuffer).toString('hex')
    }))
  }
}

const parse = async (message: Buffer) => readOf(await PostalMime.parse(message))

describe('a written message', () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))

  it(`reads like one that nodemailer composes, in twenty scripts (SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(given, async (each) => {
        const [ours, theirs] = [written(each), await composedByNodemailer(each)]

        expect(await parse(ours)).toEqual(await parse(theirs))
      }),
      { seed, numRuns: 300 }
    )
  })

  it(`has short lines of ASCII that no mail server has to change (SEED=${seed})`, () => {
    fc.assert(
      fc.property(given, (each) => {
        const message = written({ ...each, file: null })
        const body = message.subarray(message.indexOf('\r\n\r\n')).toString('latin1')

        for (const bodyLine of body.split('\r\n')) {
          expect(bodyLine).toMatch(/^[\t\x20-\x7e]{0,78}$/)
          expect(bodyLine).not.toMatch(/[\t ]$|^\.|^From /)
        }
      }),
      { seed, numRuns: 200 }
    )
  })

  it('has mostly other letters than Latin ones in base64', () => {
    expect(textEncodingOf('Grüße aus Köln')).toBe('quoted-printable')
    expect(textEncodingOf('<p>Привет из Москвы</p>')).toBe('base64')
    expect(textEncodingOf('')).toBe('quoted-printable')
  })
})

describe('a header field', () => {
  it.each([
    ['In-Reply-To', 'a@example.com', 'In-Reply-To: <a@example.com>\r\n'],
    ['References', 'a b', 'References: <a> <b>\r\n'],
    ['Subject', 'News', 'Subject: News\r\n'],
    ['Subject', 'News\r\nBcc: b@example.com', 'Subject: News Bcc: b@example.com\r\n'],
    ['Subject', '', '']
  ])('%s: %j is written as %j', (name, value, line) => {
    expect(headerLine(name, value)).toBe(line)
  })

  it.each(['a;b', 'a:b'])('keeps an address with %s in one piece', (local) => {
    const line = headerLine('Reply-To', { name: '', address: `${local}@example.com` })

    expect(line).toBe(`Reply-To: <"${local}"@example.com>\r\n`)
  })
})

it('a message has nothing of one before it that could not be written', () => {
  const text = (content: string): Part => ({
    kind: 'text',
    subtype: 'plain',
    encoding: 'quoted-printable',
    text: content
  })
  const broken = { kind: 'encoded', bytes: null } as unknown as Part
  const failing: Part = { kind: 'multipart', subtype: 'alternative', parts: [text('secret'), broken] }

  expect(() => writeMessage('Subject: first\r\n', failing)).toThrow(TypeError)

  expect(writeMessage('Subject: second\r\n', text('x')).toString()).toMatch(
    /^Subject: second\r\n(?![^]*secret)/
  )
})

describe('an mbox file', () => {
  it('keeps lines that begin like a separator, so that a program can undo the change', async () => {
    const path = join(await temporaryDirectory(), 'a.mbox')
    const outbox = openOutbox(path, 'end')
    const content = Buffer.from(
      'Subject: x\r\n\r\nFrom me\r\n>From you\r\n>> From no one\r\nFromage\r\n\r\nbye'
    )

    outbox.send([{ envelope: { from: 'a@example.com', to: 'b@example.com' }, content }])
    outbox.close()

    const [, ...lines] = (await readFile(path, 'utf8')).split('\n')
    expect(lines).toEqual([
      'Subject: x',
      '',
      '>From me',
      '>>From you',
      '>> From no one',
      'Fromage',
      '',
      'bye',
      '',
      ''
    ])
  })
})
