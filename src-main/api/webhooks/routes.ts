import { validationFailed } from '../../base/errors.ts'
import { parseTimeInput, timeComplaint } from '../../base/dates.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { formatTime } from '../../base/times.ts'
import { ok } from '../../http/envelope.ts'
import { idOfPageToken, pageTokenAfter } from '../../http/pagination.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { signingSecret } from '../../settings/queries.ts'
import { webhookEndpoints } from './endpoints.ts'
import {
  messageById,
  messagesBefore,
  presentMessage,
  presentWebhook,
  webhookById,
  type WebhookRow,
  webhooksOf
} from './queries.ts'
import {
  parseSecrets,
  readSecrets,
  type StoredSecrets,
  webhookSecretOwner,
  withNewSecret,
  withoutSecret
} from './secrets.ts'

export const webhookRoutes = serveEndpoints(webhookEndpoints, ({ reader, writer, credentials }) => {
  const changeSecrets = async <Made>(
    { id, organization_id: organizationId, credential_place: before }: WebhookRow,
    change: (secrets: StoredSecrets) => { all: StoredSecrets; made: Made }
  ) => {
    const { place: credentialPlace, made } = await credentials.change(
      webhookSecretOwner(id),
      before,
      (stored) => {
        const { all, made } = change(parseSecrets(stored))
        return { secret: JSON.stringify(all), made }
      }
    )
    const row = await writer.run('webhooks.update', { organizationId, id, changes: {}, credentialPlace })
    return { row, made }
  }
  const addSecret = (row: WebhookRow) => changeSecrets(row, (secrets) => withNewSecret(secrets, Date.now()))

  return {
    'GET /webhooks': async ({ caller: { organizationId, timeZone } }) => {
      const rows = await webhooksOf(reader, organizationId)
      return ok(await Promise.all(rows.map((row) => presentWebhook(reader, row, timeZone))))
    },

    'GET /webhooks/:id': async ({ caller: { organizationId, timeZone }, params: { id } }) =>
      ok(await presentWebhook(reader, await webhookById(reader, organizationId, id), timeZone)),

    'POST /webhooks': async ({ caller, body: { webhook: settings } }) => {
      if (settings.allows_private_addresses) requireSystemAdmin(caller)
      const { organizationId, timeZone } = caller
      const row = await writer.run('webhooks.create', { organizationId, settings })
      const { row: stored, made } = await addSecret(row)
      return ok({ ...(await presentWebhook(reader, stored, timeZone)), secret: made.secret })
    },

    'PUT /webhooks/:id': async ({ caller, params: { id }, body: { webhook: changes } }) => {
      const { organizationId, timeZone } = caller
      const before = await webhookById(reader, organizationId, id)
      // An address that was allowed once must not become another one.
      const isAllowed = changes.allows_private_addresses ?? before.allows_private_addresses === 1
      if (isAllowed && (changes.allows_private_addresses || changes.url !== undefined))
        requireSystemAdmin(caller)
      const row = await writer.run('webhooks.update', { organizationId, id, changes })
      return ok(await presentWebhook(reader, row, timeZone))
    },

    'DELETE /webhooks/:id': async ({ caller: { organizationId }, params: { id } }) => {
      await writer.run('webhooks.delete', { organizationId, id })
      await credentials.remove(webhookSecretOwner(id))
      return ok(null)
    },

    'GET /webhooks/:id/secrets': async ({ caller: { organizationId, timeZone }, params: { id } }) => {
      const secrets = await readSecrets(credentials, await webhookById(reader, organizationId, id))
      return ok(secrets.map((secret) => presentSecret(secret, timeZone)))
    },

    'POST /webhooks/:id/secrets': async ({ caller: { organizationId, timeZone }, params: { id } }) => {
      const row = await webhookById(reader, organizationId, id)
      const { made } = await addSecret(row)
      return ok({ ...presentSecret(made, timeZone), secret: made.secret })
    },

    'DELETE /webhooks/:id/secrets/:secret_id': async ({ caller: { organizationId }, params }) => {
      const row = await webhookById(reader, organizationId, params.id)
      await changeSecrets(row, (secrets) => ({ all: withoutSecret(secrets, params.secret_id), made: null }))
      return ok(null)
    },

    'POST /webhooks/:id/replay': async ({ caller: { organizationId, timeZone }, params: { id }, body }) => {
      const since = parseTimeInput(body.replay.since, timeZone)
      if (since === null) throw validationFailed(refusalAt('since', timeComplaint(body.replay.since)))
      const row = await writer.run('webhooks.replaySince', { organizationId, id, since })
      return ok(await presentWebhook(reader, row, timeZone))
    },

    'GET /webhooks/:id/messages': async ({ caller: { organizationId, timeZone }, params: { id }, query }) => {
      await webhookById(reader, organizationId, id)
      const paged = `webhook ${id}`
      const before = query.page_token === undefined ? null : idOfPageToken(paged, query.page_token)
      const rows = await messagesBefore(reader, id, { ...query, before, limit: query.per_page })
      const last = rows.length < query.per_page ? undefined : rows.at(-1)
      const secret = await signingSecret(reader)
      return ok({
        messages: rows.map((row) => presentMessage(row, secret, timeZone)),
        next_page_token: last ? pageTokenAfter(paged, last.id) : null
      })
    },

    'POST /webhooks/:id/messages/:message_id/replay': async ({ caller, params }) => {
      const { organizationId, timeZone } = caller
      const { id, message_id: messageId } = params
      await writer.run('webhooks.replayMessage', { organizationId, id, messageId })
      const row = await messageById(reader, id, messageId)
      return ok(presentMessage(row, await signingSecret(reader), timeZone))
    }
  }
})

/** @throws ApiError validation_failed */
function requireSystemAdmin({ role }: { role: string }): void {
  if (role !== 'system_admin')
    throw validationFailed(refusal('webhook_private_by_admins', { field: 'allows_private_addresses' }))
}

interface Secret {
  id: number
  created_at: number
  secret: string
}

function presentSecret({ id, created_at, secret }: Secret, timeZone: string) {
  return { id, created_at: formatTime(created_at, timeZone), ends_with: secret.slice(-4) }
}
