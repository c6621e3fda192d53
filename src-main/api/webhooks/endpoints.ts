import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, Nullable, withDefault, wrapped } from '../../http/schema.ts'
import {
  CreatedWebhook,
  CreatedWebhookSecret,
  ReplayInput,
  Webhook,
  WebhookChanges,
  WebhookInput,
  WebhookMessage,
  webhookMessageStates,
  WebhookSecret
} from './schema.ts'

const access = 'organization_admin'
const positive = Type.Integer({ minimum: 1 })

/** Extensions of the API (docs/api.md, "Events"). */
export const webhookEndpoints = endpoints('Events', {
  'GET /webhooks': { access, summary: 'List the webhooks', answer: envelope(Type.Array(Webhook)) },

  'GET /webhooks/:id': {
    access,
    summary: 'Read a webhook',
    params: IdParams,
    answer: envelope(Webhook)
  },

  'POST /webhooks': {
    access,
    summary: 'Add a webhook; the answer has the secret that its messages are signed with',
    body: wrapped('webhook', WebhookInput),
    answer: envelope(CreatedWebhook)
  },

  'PUT /webhooks/:id': {
    access,
    summary: 'Change a webhook',
    params: IdParams,
    body: wrapped('webhook', WebhookChanges),
    answer: envelope(Webhook)
  },

  'DELETE /webhooks/:id': {
    access,
    summary: 'Remove a webhook and its log',
    params: IdParams,
    answer: envelope(Type.Null())
  },

  'GET /webhooks/:id/secrets': {
    access,
    summary: 'List the secrets of a webhook, without their values',
    params: IdParams,
    answer: envelope(Type.Array(WebhookSecret))
  },

  'POST /webhooks/:id/secrets': {
    access,
    summary: 'Add a secret to a webhook; messages are signed with all of them',
    params: IdParams,
    answer: envelope(CreatedWebhookSecret)
  },

  'DELETE /webhooks/:id/secrets/:secret_id': {
    access,
    summary: 'Remove a secret of a webhook that has another one',
    params: Type.Object({ id: positive, secret_id: positive }),
    answer: envelope(Type.Null())
  },

  'POST /webhooks/:id/replay': {
    access,
    summary: 'Send all events since a time once more',
    params: IdParams,
    body: wrapped('replay', ReplayInput),
    answer: envelope(Webhook)
  },

  'GET /webhooks/:id/messages': {
    access,
    summary: 'Page through the messages of a webhook, newest first',
    params: IdParams,
    query: Type.Object({
      state: Type.Optional(Type.Enum([...webhookMessageStates])),
      page_token: Type.Optional(Type.String()),
      per_page: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100)
    }),
    answer: envelope(
      Type.Object({ messages: Type.Array(WebhookMessage), next_page_token: Nullable(Type.String()) })
    )
  },

  'POST /webhooks/:id/messages/:message_id/replay': {
    access,
    summary: 'Send a message of a webhook once more',
    params: Type.Object({ id: positive, message_id: positive }),
    answer: envelope(WebhookMessage)
  }
})
