import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { deliveryJobs } from '../../src-main/delivery/delivery-jobs.ts'
import { readBounceToken } from '../../src-main/api/subscribers/bounce-tokens.ts'
import { type Addressee, carriedFiles, MessageComposer } from '../../src-main/delivery/message.ts'
import { removeMessagesOfDeletedCampaigns, removeOldPreviews } from '../../src-main/delivery/old-messages.ts'
import type { MessagePlan, PlannedContent } from '../../src-main/delivery/plan.ts'
import { deliveriesToDo, recipientsAfter } from '../../src-main/delivery/queries.ts'
import { usualSchedule } from '../../src-main/delivery/smtp/retry-schedule.ts'
import { begunCampaign } from '../support/campaigns.ts'

const addressee: Addressee = {
  id: 7,
  email: 'anna@example.com',
  subscribe_time: 0,
  subscribe_ip: null,
  values: {},
  format: null
}
const key = 'a'.repeat(32)

async function planOf(
  content: Partial<PlannedContent>,
  more: Partial<MessagePlan> = {}
): Promise<MessagePlan> {
  const { plan } = await begunCampaign()
  if (!plan) throw new Error('the campaign has not begun')
  const { message } = plan
  const whole = { ...message.contents[0], format: 'both' as const, html: '<p>Hi</p>', text: 'Hi', ...content }
  return { ...message, ...more, contents: [whole] }
}

function composed(plan: MessagePlan, to = addressee) {
  const message = new MessageComposer(plan).compose(plan.contents[0].id, to)
  const [head = '', ...body] = message.content.toString().split('\r\n\r\n')
  return {
    ...message,
    head: head.replaceAll('\r\n ', ' ').split('\r\n'),
    body: body.join('\n').replaceAll('=\r\n', '')
  }
}

describe('a message', () => {
  it('is from the sender of the campaign to the subscriber, and says how to unsubscribe', async () => {
    const sender = {
      from_email: 'news@example.com',
      from_name: 'News',
      sender_email: 's@example.com',
      reply_to: 'r@example.com'
    }
    const customHeaders = [{ name: 'X-Who', value: 'for %%subscribers_email_address%%' }]
    const plan = await planOf(
      { subject: 'Hi %%subscriber_id%%' },
      { sender, customHeaders, bounceAddress: 'b@example.com' }
    )
    const { head, envelope, format } = composed(plan)
    expect(head).toEqual(
      expect.arrayContaining([
        'From: News <news@example.com>',
        'Sender: s@example.com',
        'Reply-To: r@example.com',
        'To: anna@example.com',
        'Subject: Hi 7',
        `X-Campaignid: s4:${plan.xCampaignId}`,
        expect.stringMatching(/^List-Unsubscribe: <http:\/\/127\.0\.0\.1\/u\/.+>$/),
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        'X-Who: for anna@example.com'
      ])
    )
    expect(envelope).toEqual({ from: 'b@example.com', to: 'anna@example.com' })
    expect(format).toBe('both')
  })

  it('has a return path of its own where plus addressing works, and always names itself in a header', async () => {
    const plan = await planOf({}, { bounceAddress: 'b@example.com', hasPlusAddressing: true })
    const of = (more: Partial<MessagePlan>) => {
      const composer = new MessageComposer({ ...plan, ...more })
      const { envelope, content } = composer.compose(plan.contents[0].id, addressee, 3)
      const [, token = ''] = /^X-Listwright-Message: (\S+)\r$/m.exec(content.toString()) ?? []
      return { from: envelope.from, token }
    }

    const plus = of({})
    const plain = of({ hasPlusAddressing: false })
    const long = of({ bounceAddress: `${'b'.repeat(60)}@example.com` })

    expect(plus.from).toBe(`b+${plus.token}@example.com`)
    expect(plain.from).toBe('b@example.com')
    expect(long.from).toBe(`${'b'.repeat(60)}@example.com`)
    expect(readBounceToken(plan.signingSecret, plus.token.toUpperCase())).toEqual({
      sliceId: plan.contents[0].sliceId,
      subscriberId: addressee.id,
      number: 3
    })
    expect(readBounceToken(plan.signingSecret, plus.token.replace(/^./, 'z'))).toBeNull()
  })

  it('of a campaign without a sender name, a sender or an address for replies has no headers for them', async () => {
    const sender = { from_email: 'news@example.com', from_name: null, sender_email: null, reply_to: null }
    const { head, envelope } = composed(await planOf({}, { sender, bounceAddress: null }))
    expect(head).toContain('From: news@example.com')
    expect(head.filter((line) => /^(Sender|Reply-To):/.test(line))).toEqual([])
    expect(envelope.from).toBe('news@example.com')
  })

  it.each([
    ['both', null, 'both', true, true],
    ['both', 'text', 'text', false, true],
    ['html', 'text', 'html', true, false],
    ['text', null, 'text', false, true]
  ] as const)(
    'of a content that is %s, to a subscriber who wants %s, is %s',
    async (format, wanted, sent, html, text) => {
      const plan = await planOf({ format })
      const to = { ...addressee, format: wanted }
      expect(composed(plan, to).format).toBe(sent)
      const written = new MessageComposer(plan).write(plan.contents[0].id, to)
      expect([written.html !== undefined, written.text !== undefined]).toEqual([html, text])
    }
  )

  it('carries the open-counting pixel only on request, and never if nothing is counted', async () => {
    const pixel = /<img src="http:\/\/127\.0\.0\.1\/o\/[^"]+" width="1" height="1" alt="">/
    const written = async (more: Partial<MessagePlan>, content: Partial<PlannedContent> = {}) => {
      const plan = await planOf(content, more)
      return new MessageComposer(plan).write(plan.contents[0].id, addressee).html
    }
    expect(await written({ tracksOpens: true })).toMatch(pixel)
    expect(await written({ tracksOpens: false })).not.toMatch(pixel)
    expect(await written({ tracksOpens: true }, { sliceId: 0 })).not.toMatch(pixel)
  })

  it('routes the links of its own content through the click counter, and keeps codes of other programs', async () => {
    const content = {
      links: [{ id: 5, url: 'https://example.com' }],
      html: '<a href="https://example.com">a</a> <a href="https://example.org">b</a> %%link:6%%',
      text: 'https://example.com %%link:5%%'
    }
    const plan = await planOf(content)
    const { html, text } = new MessageComposer(plan).write(plan.contents[0].id, addressee)
    expect(html).toMatch(
      /^<a href="http:\/\/127\.0\.0\.1\/c\/5\/[^"]+">a<\/a> <a href="https:\/\/example\.org">b<\/a> %%link:6%%/
    )
    expect(text).toMatch(/^http:\/\/127\.0\.0\.1\/c\/5\/\S+ http:\/\/127\.0\.0\.1\/c\/5\/\S+$/)
    expect(() => new MessageComposer(plan).write(99, addressee)).toThrow('content 99 is not part of campaign')
  })

  it('links pictures that recipients can fetch, and attaches the others', async () => {
    const html = `<img src="cid:${key}">`
    const linked = composed(
      await planOf({ html }, { linksImages: true, linkBase: 'http://news.example.com' })
    )
    expect(linked.body).toContain(`http://news.example.com/i/${key}`)
    expect(linked.body).not.toContain('cid:')
    const carried = await planOf({ html }, { linksImages: false })
    expect(composed(carried).body).toContain(`cid:${key}`)
    // The web version of a message always links its pictures by URL, even if the email attaches them.
    const page = new MessageComposer(carried).write(carried.contents[0].id, addressee)
    expect(page.html).toContain(`http://127.0.0.1/i/${key}`)
  })

  it('contains only the images that its content refers to', async () => {
    const { bench, plan } = await begunCampaign([
      { subject: 'x', html: `<img src="cid:${key}">`, format: 'html' }
    ])
    bench.sqlite
      .prepare(
        `INSERT INTO images (organization_id, key, name, media_type, bytes, created_at)
         VALUES (1, ?, 'a.png', 'image/png', x'89504e470d0a1a0a', 0), (1, ?, 'b.png', 'image/png', x'00', 0)`
      )
      .run(key, 'b'.repeat(32))
    if (!plan) throw new Error('the campaign has not begun')
    const db = kyselyOver(bench.sqlite)
    const files = await carriedFiles(db, plan.message)
    expect(files.images.map((image) => image.name)).toEqual(['a.png'])
    expect((await carriedFiles(db, { ...plan.message, linksImages: true })).images).toEqual([])
    const message = new MessageComposer(plan.message, files).compose(plan.message.contents[0].id, addressee)
    expect(message.content.toString()).toContain(`Content-ID: <${key}>`)
    expect(message.content.toString()).toContain('Content-Disposition: inline; filename=a.png')
  })
})

describe('deliveries that are due', () => {
  it('are due at their time, at once after they started, and after the delay of a split test', async () => {
    const { bench, id } = await begunCampaign()
    const db = kyselyOver(bench.sqlite)
    const todo = (now = Date.now()) => deliveriesToDo(db, now)
    expect(await todo()).toEqual([{ id, isDecision: false, dueAt: 0 }])
    bench.sqlite.exec("UPDATE dispatches SET state = 'scheduled', begins_at = 5000, begins_at_once = 0")
    expect(await todo()).toEqual([{ id, isDecision: false, dueAt: 5000 }])
    bench.sqlite
      .exec(`UPDATE dispatches SET state = 'sending', autowinner_delay_amount = 1, autowinner_delay_unit = 'minutes';
      UPDATE deliveries SET phase = 'decision_delay', decides_at = 100000`)
    expect(await todo(40_000)).toEqual([{ id, isDecision: true, dueAt: 100_000 }])
    // The clock was set back to before the delay began.
    expect(await todo(39_999)).toEqual([{ id, isDecision: true, dueAt: 0 }])
    bench.sqlite.exec('UPDATE dispatches SET paused = 1')
    expect(await todo()).toEqual([])
    bench.sqlite.exec("UPDATE dispatches SET paused = 0, state = 'finished'")
    expect(await todo()).toEqual([])
  })

  it('go to active subscribers who were there when sending began, by id', async () => {
    const statuses = ['active', 'unsubscribed', 'active', 'active', 'active'] as const
    const { bench, mailingListId, subscriberIds } = await begunCampaign(
      undefined,
      {},
      {
        people: statuses.map((status) => ({ status }))
      }
    )
    const db = kyselyOver(bench.sqlite)
    const [first = 0, , third = 0, fourth = 0] = subscriberIds
    const after = async (afterId: number, limit: number) =>
      (await recipientsAfter(db, { mailingListId, clause: [], lastId: fourth }, afterId, limit)).map(
        ({ id }) => id
      )
    expect(await after(0, 10)).toEqual([first, third, fourth])
    expect(await after(first, 1)).toEqual([third])
    expect(await after(fourth, 10)).toEqual([])
  })
})

it('eight campaigns are sent at the same time, and a winner is chosen meanwhile', async () => {
  const { bench } = await begunCampaign()
  const { mayStart } = deliveryJobs(kyselyOver(bench.sqlite), bench.client, '', {
    credentials: { read: async () => null },
    linkBase: 'http://127.0.0.1',
    schedule: usualSchedule,
    dnsServers: []
  })
  const job = (isDecision: boolean) => ({ id: 1, dueAt: 0, isDecision })
  const running = (count: number) => Array.from({ length: count }, () => job(false))
  expect(mayStart(job(false), running(7))).toBe(true)
  expect(mayStart(job(false), running(8))).toBe(false)
  expect(mayStart(job(true), running(8))).toBe(true)
})

describe('files of the outbox', () => {
  it('of deleted campaigns are removed after a while, also if their list was deleted', async () => {
    const { bench, id } = await begunCampaign()
    const db = kyselyOver(bench.sqlite)
    const directory = join(bench.directory, 'outbox')
    await mkdir(directory)
    const files = [`campaign-${id}.mbox`, 'campaign-999.mbox', 'campaign-x.mbox', 'previews-1.mbox']
    const removed = async () => {
      for (const name of files) await writeFile(join(directory, name), 'x')
      await removeMessagesOfDeletedCampaigns(db, bench.directory, 1000)
      const left = await readdir(directory)
      return files.filter((name) => !left.includes(name))
    }
    expect(await removed()).toEqual([])
    bench.sqlite.exec('UPDATE campaigns SET deleted_at = 1000')
    expect(await removed()).toEqual([])
    bench.sqlite.exec('UPDATE campaigns SET deleted_at = 999')
    expect(await removed()).toEqual([files[0]])
    bench.sqlite.exec('UPDATE campaigns SET deleted_at = NULL; UPDATE mailing_lists SET deleted_at = 999')
    expect(await removed()).toEqual([files[0]])
  })

  it('with previews are removed when the last preview is old', async () => {
    const { bench } = await begunCampaign()
    const directory = join(bench.directory, 'outbox')
    await removeOldPreviews(bench.directory, 5000)
    await mkdir(directory)
    for (const name of ['previews-1.mbox', 'previews-2.mbox', 'campaign-1.mbox']) {
      await writeFile(join(directory, name), 'x')
      await utimes(join(directory, name), 4, name === 'previews-2.mbox' ? 5 : 4)
    }
    await removeOldPreviews(bench.directory, 5000)
    expect((await readdir(directory)).sort()).toEqual(['campaign-1.mbox', 'previews-2.mbox'])
  })
})
