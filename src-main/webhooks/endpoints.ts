import { WebhookTest } from '../api/webhooks/schema.ts'
import { endpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { IdParams } from '../http/schema.ts'

/** An extension of the API (docs/api.md, "Events"). */
export const webhookTestEndpoints = endpoints('Events', {
  'POST /webhooks/:id/test': {
    access: 'organization_admin',
    summary: 'Send an example of an event to a webhook',
    params: IdParams,
    answer: envelope(WebhookTest)
  }
})
