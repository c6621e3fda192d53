import { Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, wrapped, withDefault } from '../../http/schema.ts'
import {
  importOutcomes,
  importScopes,
  maxJsonContentBytes,
  SubscriberImport,
  SubscriberImportInput,
  SubscriberImportSummary
} from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const ListQuery = Type.Object({
  ...PageQuery(100),
  scope: withDefault(Type.Enum([...importScopes]), 'recent')
})

const acting = { access: 'subscriber.import', params: IdParams, answer: envelope(SubscriberImport) } as const

export const subscriberImportEndpoints = endpoints('Subscriber imports', {
  'GET /subscriber_imports': {
    access: 'subscriber.import',
    summary: 'List the imports of all lists',
    query: ListQuery,
    answer: pagedEnvelope(SubscriberImportSummary)
  },

  'GET /mailing_lists/:mailing_list_id/subscriber_imports': {
    access: 'subscriber.import',
    summary: 'List the imports of a list',
    params: MailingListParams,
    query: ListQuery,
    answer: pagedEnvelope(SubscriberImportSummary)
  },

  'GET /subscriber_imports/:id': {
    access: 'subscriber.import',
    summary: 'Read an import',
    params: IdParams,
    answer: envelope(SubscriberImport)
  },

  'POST /mailing_lists/:mailing_list_id/subscriber_imports': {
    access: 'subscriber.import',
    // JSON may escape one byte of the text as several.
    bodyLimit: 4 * maxJsonContentBytes,
    bodyRules: { takesLongTexts: true },
    summary: 'Import subscribers from a CSV file',
    params: MailingListParams,
    body: wrapped('subscriber_import', SubscriberImportInput),
    answer: envelope(SubscriberImport)
  },

  // An extension of ours: a sync identifies the subscribers that it added without reading all of the list.
  'GET /subscriber_imports/:id/added_ids': {
    access: 'subscriber.read',
    summary: 'Read the ids and emails of the subscribers that an import added',
    params: IdParams
  },

  'POST /subscriber_imports/:id/pause': { ...acting, summary: 'Pause an import' },
  'POST /subscriber_imports/:id/unpause': { ...acting, summary: 'Go on with a paused import' },
  'POST /subscriber_imports/:id/cancel': { ...acting, summary: 'Cancel an import' },

  'GET /subscriber_imports/:id/logs/:log': {
    access: 'subscriber.import',
    summary: 'Download what became of the rows',
    params: Type.Object({ ...IdParams.properties, log: Type.Enum([...importOutcomes]) }),
    query: Type.Object({ escape_formulas: withDefault(Type.Boolean(), false) })
  }
})
