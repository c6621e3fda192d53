import { Type } from 'typebox'
import { endpoints } from '../http/endpoint.ts'
import { envelope, pagedEnvelope } from '../http/envelope.ts'
import { PageQuery } from '../http/pagination.ts'
import { IdParams } from '../http/schema.ts'
import { MailboxTest } from '../api/mailboxes/schema.ts'
import { AppliedJudgement, JudgementPreview, ReceivedMessage, receivedKinds } from './schema.ts'

/** Limit of a received message, in bytes: a bounce may return a whole message with its attachments. */
const maxMessageBytes = 25 * 1024 * 1024
const defaultPerPage = 100
export const maxPerPage = 500

/** Extensions of the API: what comes back from recipients (docs/api.md, "Receiving"). */
export const receivingEndpoints = endpoints('Receiving', {
  'POST /received_messages': {
    access: 'subscriber.update',
    summary: 'Hand over a bounce, a complaint or an unsubscribe, which is the body of the request as it came',
    body: Type.Unsafe<Blob | Uint8Array>({}),
    bodyLimit: maxMessageBytes,
    answer: envelope(ReceivedMessage)
  },

  'GET /received_messages': {
    access: 'subscriber.read',
    summary: 'Page through what came back, newest first',
    query: Type.Object({ ...PageQuery(defaultPerPage), kind: Type.Optional(Type.Enum([...receivedKinds])) }),
    answer: pagedEnvelope(ReceivedMessage)
  },

  'GET /received_messages/:id/raw': {
    access: 'subscriber.read',
    summary: 'Download a received message as it came',
    params: IdParams
  }
})

/** Extensions of the API: changed rules are applied to past bounces (docs/api.md, "Receiving"). */
export const judgementEndpoints = endpoints('Receiving', {
  'GET /judgements/preview': {
    access: 'organization_admin',
    summary: 'Judge the stored bounces by the rules of now, and change nothing',
    answer: envelope(JudgementPreview)
  },

  'POST /judgements': {
    access: 'organization_admin',
    summary: 'Judge the stored bounces by the rules of now',
    answer: envelope(AppliedJudgement)
  },

  'POST /judgements/:id/undo': {
    access: 'organization_admin',
    summary: 'Undo what judging the stored bounces has changed',
    params: IdParams,
    answer: envelope(Type.Object({ changed: Type.Integer() }))
  }
})

export const mailboxTestEndpoints = endpoints('Receiving', {
  'POST /mailboxes/:id/test': {
    access: 'organization_admin',
    summary: 'Open a mailbox without changing anything in it',
    params: IdParams,
    answer: envelope(MailboxTest)
  }
})
