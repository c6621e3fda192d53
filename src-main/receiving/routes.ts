import type { FastifyPluginAsync } from 'fastify'
import { mailboxById } from '../api/mailboxes/queries.ts'
import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { ok, okPage } from '../http/envelope.ts'
import { limitPageSize } from '../http/pagination.ts'
import { serveEndpoints } from '../http/serve.ts'
import { judgementEndpoints, mailboxTestEndpoints, maxPerPage, receivingEndpoints } from './endpoints.ts'
import type { Judgement } from './judging/judgement.ts'
import { countMessages } from './mailboxes/count-messages.ts'
import { MailboxUnavailable } from './mailboxes/plan.ts'
import { rawMessageById, receivedMessageById, receivedMessagesOf } from './queries.ts'

/** What comes back from recipients. */
export const receivingRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
  await app.register(receivedMessages)
}

const receivedMessages = serveEndpoints(receivingEndpoints, ({ reader, writer, messageReader }) => ({
  'POST /received_messages': async ({ caller: { organizationId, timeZone }, body: raw }) => {
    if (!(raw instanceof Uint8Array) || raw.length === 0) throw validationFailed(refusal('message_empty'))
    const reading = await messageReader.read(raw)
    const accepted = await writer.run('receiving.accept', {
      organizationId,
      reading,
      raw,
      storesOthers: true
    })
    if (accepted === null) throw new Error('a message that was handed over was not stored')
    return ok(await receivedMessageById(reader, organizationId, accepted.id, timeZone))
  },

  'GET /received_messages': async ({ caller: { organizationId, timeZone }, query }) => {
    limitPageSize(query.per_page, maxPerPage)
    const { rows, total } = await receivedMessagesOf(reader, organizationId, query, timeZone)
    return okPage(rows, query, total)
  },

  'GET /received_messages/:id/raw': async ({ caller: { organizationId }, params }, reply) =>
    reply
      .type('message/rfc822')
      .headers({
        'Content-Disposition': `attachment; filename="received-${params.id}.eml"`,
        'X-Content-Type-Options': 'nosniff'
      })
      .send(await rawMessageById(reader, organizationId, params.id))
}))

export const mailboxTestRoutes = serveEndpoints(mailboxTestEndpoints, ({ reader, credentials }) => ({
  'POST /mailboxes/:id/test': async ({ caller: { organizationId }, params }) => {
    const mailbox = await mailboxById(reader, organizationId, params.id)
    const place = mailbox.credential_place
    const secret = place && (await credentials.read(`imap-${mailbox.id}`, place))
    if (secret === null && mailbox.protocol !== 'maildir') {
      throw validationFailed(refusal('mailbox_no_secret', { name: mailbox.name }))
    }
    try {
      return ok({ is_open: true, messages: await countMessages(mailbox, secret ?? ''), words: '' })
    } catch (error) {
      if (!(error instanceof MailboxUnavailable)) throw error
      return ok({ is_open: false, messages: null, words: error.message })
    }
  }
}))

/** Subscribers that a preview names. */
const mostNamed = 100

export const judgementRoutes = serveEndpoints(judgementEndpoints, ({ writer, judge }) => ({
  'GET /judgements/preview': async ({ caller: { organizationId } }) => {
    const judgement = await judge.judge(organizationId)
    const subscribers = judgement.statuses.slice(0, mostNamed).map((each) => ({
      ...{ id: each.subscriberId, email: each.email, before: each.before, after: each.after },
      mailing_list: { id: each.mailingListId, name: each.listName }
    }))
    return ok({ ...countsOf(judgement), subscribers })
  },

  'POST /judgements': async ({ caller: { organizationId } }) => {
    const judgement = await judge.judge(organizationId)
    const { id } = await writer.run('judgements.apply', { organizationId, judgement })
    return ok({ id, ...countsOf(judgement) })
  },

  'POST /judgements/:id/undo': async ({ caller: { organizationId }, params: { id } }) =>
    ok(await writer.run('judgements.undo', { organizationId, id }))
}))

function countsOf({ reports, verdicts, statuses }: Judgement) {
  const becoming = (status: string): number => statuses.filter(({ after }) => after === status).length
  return {
    reports,
    changed_verdicts: verdicts.length,
    bounced: becoming('bounced'),
    active: becoming('active')
  }
}
