import type { Kysely } from 'kysely'
import { newestEventId } from '../api/events/queries.ts'
import { firstDueAt, type WebhookRow } from '../api/webhooks/queries.ts'
import { readSecrets } from '../api/webhooks/secrets.ts'
import type { Credentials } from '../base/credentials.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import { hasEnoughWaiting } from './commands.ts'

const maxAtOnce = 4
/** Time for the requests that are under way when the application closes, in milliseconds. */
const graceOnClose = 2000

export interface WebhookData {
  secrets: string[]
}

/** Sends events to webhooks as they happen, and again those that were refused. */
export function webhookJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  return {
    name: 'Delivering to a webhook',
    entity: 'webhook',
    thread: { base: import.meta.url, name: 'webhook-thread' },
    graceOnClose,
    threadData: async ({ id }): Promise<WebhookData> => {
      const row = await reader
        .selectFrom('webhooks')
        .select(['id', 'credential_place'])
        .where('id', '=', id)
        .executeTakeFirst()
      const secrets = row ? await readSecrets(credentials, row) : []
      return { secrets: secrets.map(({ secret }) => secret) }
    },
    restartsOn: ({ entity, isUnlogged }) => entity === 'webhook' && !isUnlogged,
    // They may have raised events.
    alsoWakesOn: ({ entity }) => entity === 'subscriber',
    unfinished: async () => {
      const webhooks = await reader
        .selectFrom('webhooks')
        .selectAll()
        .where('is_enabled', '=', 1)
        .where('credential_place', 'is not', null)
        .execute()
      return Promise.all(webhooks.map(async (row) => ({ id: row.id, dueAt: await dueAt(reader, row) })))
    },
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('webhookDeliveries.end', { id, end })
  }
}

/** When a webhook has something to send next; a webhook without any stays a job, since what happens next is for it. */
async function dueAt(reader: Kysely<Schema>, webhook: WebhookRow): Promise<number> {
  const { id, position, failures, held_until: heldUntil } = webhook
  const next = await firstDueAt(reader, id)
  // While the receiver takes nothing, one message finds out whether it does again.
  if (failures > 0 && next !== null) return heldUntil
  const isBehind = (await newestEventId(reader)) > position
  if (isBehind && !(await hasEnoughWaiting(reader, id))) return heldUntil
  return next === null ? Number.MAX_SAFE_INTEGER : Math.max(heldUntil, next)
}
