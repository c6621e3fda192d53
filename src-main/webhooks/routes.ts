import { eventTypesOf, webhookById, type WebhookRow } from '../api/webhooks/queries.ts'
import { readSecrets } from '../api/webhooks/secrets.ts'
import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { webhookTestEndpoints } from './endpoints.ts'
import { WebhookClient } from './receiver.ts'

export const webhookTestRoutes = serveEndpoints(webhookTestEndpoints, ({ reader, credentials }) => ({
  'POST /webhooks/:id/test': async ({ caller: { organizationId }, params }) => {
    const row = await webhookById(reader, organizationId, params.id)
    const secrets = (await readSecrets(credentials, row)).map(({ secret }) => secret)
    if (secrets.length === 0) throw validationFailed(refusal('webhook_no_secret', { name: row.name }))
    const allowsPrivate = row.allows_private_addresses === 1
    const client = new WebhookClient({ url: row.url, allowsPrivate, secrets })
    try {
      const now = Date.now()
      const attempt = await client.send(`msg_test_${row.id}_${now}`, JSON.stringify(exampleFor(row, now)))
      const { isAccepted: is_accepted, status, milliseconds, answer } = attempt
      return ok({ is_accepted, status, milliseconds, answer })
    } finally {
      await client.close()
    }
  }
}))

/** An event that nobody caused: there is no subscriber 0. */
function exampleFor(row: WebhookRow, now: number): object {
  const example = {
    ...{ event_id: 0, event_type: eventTypesOf(row)[0], event_time: Math.floor(now / 1000), is_test: true },
    ...{ listid: 'a0', studio_mailing_list_id: 0, list_name: 'Example' },
    ...{ studio_subscriber_id: 0, email: 'person@example.com' }
  }
  return row.batch_size === 1 ? example : [example]
}
