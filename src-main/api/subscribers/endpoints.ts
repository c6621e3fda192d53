import { Type } from 'typebox'
import { envelope, tokenPagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { MailingListParams, Nullable, OrganizationParams, wrapped } from '../../http/schema.ts'
import {
  RemovedSubscribers,
  Subscriber,
  SubscriberByEmail,
  SubscriberChanges,
  SubscriberInput,
  TriggerInput,
  TriggerResult,
  UnsubscribeInput
} from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const TokenQuery = Type.Object({ ...PageQuery(100), page_token: Type.Optional(Type.String()) })

const SubscriberParams = Type.Object({
  ...MailingListParams.properties,
  subscriber: Type.String({ minLength: 1 })
})

const EmailParams = Type.Object({ email: Type.String({ minLength: 1 }) })

const unsubscribing = {
  access: 'subscriber.update',
  summary: 'Unsubscribe by the token of a message',
  body: wrapped('unsubscribe', UnsubscribeInput),
  answer: envelope(Subscriber)
} as const

export const subscriberEndpoints = endpoints('Subscribers', {
  'GET /mailing_lists/:mailing_list_id/subscribers': {
    access: 'subscriber.read',
    summary: 'List the subscribers of a list',
    params: MailingListParams,
    query: Type.Object({ ...TokenQuery.properties, segment_id: Type.Optional(Type.Integer()) }),
    answer: tokenPagedEnvelope(Subscriber)
  },

  'GET /mailing_lists/:mailing_list_id/subscribers/:subscriber': {
    access: 'subscriber.read',
    summary: 'Look subscribers up by ids and emails, 100 at most',
    params: SubscriberParams,
    answer: envelope(Type.Array(Subscriber))
  },

  'POST /mailing_lists/:mailing_list_id/subscribers': {
    joinsFaults: true,
    access: 'subscriber.create',
    summary: 'Add a subscriber',
    params: MailingListParams,
    body: wrapped('subscriber', SubscriberInput),
    answer: envelope(Nullable(Subscriber))
  },

  'PUT /mailing_lists/:mailing_list_id/subscribers/:subscriber': {
    joinsFaults: true,
    access: 'subscriber.update',
    summary: 'Change a subscriber',
    params: SubscriberParams,
    body: wrapped('subscriber', SubscriberChanges),
    answer: envelope(Subscriber)
  },

  'POST /mailing_lists/:mailing_list_id/subscribers/:subscriber/trigger_autoresponders': {
    access: 'subscriber.update',
    summary: 'Trigger autoresponders for a subscriber',
    params: SubscriberParams,
    body: TriggerInput,
    answer: envelope(TriggerResult)
  },

  'DELETE /mailing_lists/:mailing_list_id/subscribers/:subscriber': {
    access: 'subscriber.delete',
    summary: 'Delete a subscriber',
    params: SubscriberParams,
    answer: envelope(RemovedSubscribers)
  },

  'GET /subscribers_by_email/:email': {
    access: 'subscriber.read',
    summary: 'Find a person on all lists',
    params: EmailParams,
    query: TokenQuery,
    answer: tokenPagedEnvelope(SubscriberByEmail)
  },

  'GET /mailing_lists/:mailing_list_id/subscribers_by_email/:email': {
    access: 'subscriber.read',
    summary: 'Find a person on a list',
    params: Type.Object({ ...MailingListParams.properties, ...EmailParams.properties }),
    query: TokenQuery,
    answer: tokenPagedEnvelope(SubscriberByEmail)
  },

  'GET /organizations/all/subscribers_by_email/:email': {
    access: 'system_admin',
    summary: 'Find a person in all organizations',
    params: EmailParams,
    query: TokenQuery,
    answer: tokenPagedEnvelope(SubscriberByEmail)
  },

  'GET /organizations/:organization_id/subscribers_by_email/:email': {
    access: 'system_admin',
    summary: 'Find a person in an organization',
    params: Type.Object({ ...OrganizationParams.properties, ...EmailParams.properties }),
    query: TokenQuery,
    answer: tokenPagedEnvelope(SubscriberByEmail)
  },

  'POST /subscribers/unsubscribe': unsubscribing,

  // An older spelling (docs/api.md, "Subscribers").
  'POST /mailing_lists/:mailing_list_id/subscribers/unsubscribe': {
    ...unsubscribing,
    params: MailingListParams
  }
})
