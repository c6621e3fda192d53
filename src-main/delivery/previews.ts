import type { Kysely } from 'kysely'
import { once } from 'node:events'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import type { SmtpServerRow } from '../api/smtp-servers/queries.ts'
import { isForSender } from '../api/smtp-servers/sender-domains.ts'
import { emailComplaint, isEmail } from '../api/subscribers/rules.ts'
import { Faults, validationFailed } from '../base/errors.ts'
import { refusal, refusalAt } from '../base/refusal.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { startThread } from '../base/threads.ts'
import { signingFault, type SigningKey, signingKeysOf } from './signing.ts'
import { type DeliveryServices, secretsOf } from './delivery-jobs.ts'
import { gateKeys } from '../gates/queries.ts'
import { handOver } from './hand-over.ts'
import type { PreviewInput } from './endpoints.ts'
import type { MessagePlan } from './plan.ts'
import type { SmtpServerPlan } from './smtp/smtp-session.ts'

export interface PreviewTask {
  dataDirectory: string
  message: MessagePlan
  recipients: string[]
  values: StoredValues
  splitByFormat: boolean
  /** The server that the messages go through; null = they go to the outbox. */
  server: (SmtpServerPlan & { secret: string | null }) | null
  /** Those that may sign the messages. */
  signingKeys: readonly SigningKey[]
}

/** The result of sending one message of a preview. */
export interface PreviewOutcome {
  contentId: number
  recipient: string
  state: 'accepted' | 'failed' | 'uncertain'
  /** The reply code of a refusal. */
  code: number | null
  /** The words of the server, or why there are none. */
  reply: string
}

/** No message was tried, or no more: the server takes none. */
export interface ServerUnreachable {
  unreachable: string
}

export interface Preview {
  of: PreviewSubject
  /** null when there is no content. */
  message: MessagePlan | null
  /** JSON of the list's preview_custom_field_data */
  values: string
  /** Those of the route; none for the outbox. */
  servers: readonly SmtpServerRow[]
}

export type PreviewSubject = { campaign_id: number } | { autoresponder_id: number }

interface PreviewServices extends Pick<DeliveryServices, 'credentials'> {
  dataDirectory: string
  writer: Pick<Writer, 'run'>
  reader: Kysely<Schema>
}

/**
 * Sends each content to each address, filled with the preview values of the list: through a server of the route, or into the previews of the
 * organization.
 * @throws ApiError validation_failed without content, with an invalid address, or for what the server refuses
 */
export async function sendPreview(
  { dataDirectory, reader, writer, credentials }: PreviewServices,
  { of, message, values, servers }: Preview,
  { recipients, split_emails_by_format: splitByFormat }: PreviewInput
): Promise<void> {
  const faults = new Faults()
  for (const [index, address] of recipients.entries()) {
    if (!isEmail(address)) faults.add(refusalAt(`recipients.${index}`, emailComplaint(address)))
  }
  faults.throwIfAny()
  if (!message) throw validationFailed(refusal('no_content_to_send'))
  const sender = message.sender.from_email
  if (sender === '') throw validationFailed(refusal('blank', { field: 'from_email' }))
  const server = servers.find((each) => isForSender(JSON.parse(each.sender_domains) as string[], sender))
  const [name] = servers.map((each) => each.name)
  if (name !== undefined && !server)
    throw validationFailed(refusal('route_without_server', { route: name, sender }))
  const secret = server ? ((await secretsOf([server], credentials))[server.id] ?? null) : null
  const isSigned = server?.signs_dkim === 0
  const signingKeys = isSigned ? await signingKeysOf(reader, message.organizationId, credentials) : []
  const unsignable = signingFault(sender, signingKeys)
  if (unsignable) throw validationFailed(unsignable)
  const services = { reader, client: writer, gateKeys: await gateKeys(reader, credentials) }
  const fault = await handOver(services, message)
  if (fault) throw validationFailed(fault)
  const task: PreviewTask = {
    dataDirectory,
    message,
    recipients,
    values: JSON.parse(values) as StoredValues,
    splitByFormat,
    server: server ? { ...planOf(server), secret } : null,
    signingKeys
  }
  const thread = startThread(import.meta.url, 'preview-thread', { data: task, name: 'preview' })
  const outcomes: PreviewOutcome[] = []
  thread.on('message', (outcome: PreviewOutcome | ServerUnreachable) => {
    const by = { server: server?.name ?? '' }
    if ('unreachable' in outcome) {
      faults.add(refusal('smtp_unreachable', { ...by, words: outcome.unreachable }))
      return
    }
    outcomes.push(outcome)
    const { state, recipient, reply: words } = outcome
    if (state !== 'accepted') faults.add(refusal('smtp_recipient_refused', { ...by, recipient, words }))
  })
  await once(thread, 'exit')
  if (outcomes.length > 0) {
    await writer.run('deliveries.recordPreviews', { of, server: server?.name ?? '', outcomes })
  }
  faults.throwIfAny()
}

function planOf({ id, name, host, port, security, authentication, username }: SmtpServerRow): SmtpServerPlan {
  return { id, name, host, port, security, authentication, username }
}
