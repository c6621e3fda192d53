import { Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, wrapped } from '../../http/schema.ts'
import { SubscriberExport, SubscriberExportInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const ListQuery = Type.Object(PageQuery(100))

const acting = { access: 'subscriber.export', params: IdParams, answer: envelope(SubscriberExport) } as const

export const subscriberExportEndpoints = endpoints('Subscriber exports', {
  'GET /subscriber_exports': {
    access: 'subscriber.export',
    summary: 'List the exports of all lists',
    query: ListQuery,
    answer: pagedEnvelope(SubscriberExport)
  },

  'GET /mailing_lists/:mailing_list_id/subscriber_exports': {
    access: 'subscriber.export',
    summary: 'List the exports of a list',
    params: MailingListParams,
    query: ListQuery,
    answer: pagedEnvelope(SubscriberExport)
  },

  'GET /subscriber_exports/:id': {
    access: 'subscriber.export',
    summary: 'Read an export',
    params: IdParams,
    answer: envelope(SubscriberExport)
  },

  'POST /mailing_lists/:mailing_list_id/subscriber_exports': {
    access: 'subscriber.export',
    summary: 'Export subscribers into a CSV file',
    params: MailingListParams,
    body: wrapped('subscriber_export', SubscriberExportInput),
    answer: envelope(SubscriberExport)
  },

  'POST /subscriber_exports/:id/pause': { ...acting, summary: 'Pause an export' },
  'POST /subscriber_exports/:id/unpause': { ...acting, summary: 'Go on with a paused export' },
  'POST /subscriber_exports/:id/cancel': { ...acting, summary: 'Cancel an export' },

  'GET /subscriber_exports/:id/download': {
    access: 'subscriber.export',
    summary: 'Download the file of a finished export',
    params: IdParams
  }
})
