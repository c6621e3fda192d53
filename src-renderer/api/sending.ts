import type { deliverySettingEndpoints } from '../../src-main/api/delivery-settings/endpoints.ts'
import type { journalEndpoints } from '../../src-main/api/journal/endpoints.ts'
import type { JournalCounts, JournaledMessage, JournalStateName } from '../../src-main/api/journal/schema.ts'
import type { smtpServerEndpoints } from '../../src-main/api/smtp-servers/endpoints.ts'
import type {
  DeliveryOptionChanges,
  DeliveryOptions,
  DeliveryRoute,
  SmtpServer,
  SmtpServerChanges,
  SmtpServerInput
} from '../../src-main/api/smtp-servers/schema.ts'
import type {
  autoresponderPreviewEndpoints,
  campaignPreviewEndpoints,
  SmtpTest,
  smtpEndpoints
} from '../../src-main/delivery/endpoints.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { DeliveryRoute, JournalCounts, JournaledMessage, JournalStateName, SmtpServer, SmtpTest }
export type { SmtpServerInput }

const servers = apiCalls<typeof smtpServerEndpoints>()
const settings = apiCalls<typeof deliverySettingEndpoints>()
const journal = apiCalls<typeof journalEndpoints>()
const sending = apiCalls<typeof smtpEndpoints>()
const campaignPreviews = apiCalls<typeof campaignPreviewEndpoints>()
const autoresponderPreviews = apiCalls<typeof autoresponderPreviewEndpoints>()

/** Where messages go. */
export interface SendingSettings {
  servers: SmtpServer[]
  routes: DeliveryRoute[]
  options: DeliveryOptions
  /** The domains of gates: links through them work while this computer is off. */
  gates: string[]
}

export async function fetchSendingSettings(): Promise<SendingSettings> {
  const [all, routes, options, domains] = await Promise.all([
    servers.call('GET /smtp_servers'),
    servers.call('GET /delivery_routes'),
    servers.call('GET /delivery_options'),
    settings.call('GET /url_domains')
  ])
  const gates = domains.filter(({ kind }) => kind === 'gate').map(({ domain }) => domain)
  return { servers: all, routes, options, gates }
}

export function fetchSmtpServer(id: number, version?: RecordVersion): Promise<SmtpServer> {
  return servers.call('GET /smtp_servers/:id', { params: { id }, version })
}

export function createSmtpServer(server: SmtpServerInput): Promise<SmtpServer> {
  return servers.call('POST /smtp_servers', { body: { smtp_server: server } })
}

export function updateSmtpServer(
  id: number,
  changes: SmtpServerChanges,
  version?: RecordVersion
): Promise<SmtpServer> {
  return servers.call('PUT /smtp_servers/:id', { params: { id }, body: { smtp_server: changes }, version })
}

export async function deleteSmtpServer(id: number): Promise<void> {
  await servers.call('DELETE /smtp_servers/:id', { params: { id } })
}

export function testSmtpServer(
  id: number,
  test: { recipient: string; from_email?: string; subject: string; text: string }
): Promise<SmtpTest> {
  return sending.call('POST /smtp_servers/:id/test', { params: { id }, body: { test } })
}

/** @param virtualMtaId 0 = the system default route */
export function updateRoute(virtualMtaId: number, smtpServerIds: number[]): Promise<DeliveryRoute> {
  return servers.call('PUT /delivery_routes/:id', {
    params: { id: virtualMtaId },
    body: { delivery_route: { smtp_server_ids: smtpServerIds } }
  })
}

export function updateDeliveryOptions(options: DeliveryOptionChanges): Promise<DeliveryOptions> {
  return servers.call('PUT /delivery_options', { body: { delivery_options: options } })
}

/** What previews are sent of. */
export interface PreviewSubject {
  kind: 'campaigns' | 'autoresponders'
  id: number
}

/** Sends each content to each address, filled with the preview values of the list. */
export async function sendPreview({ kind, id }: PreviewSubject, recipients: string[]): Promise<void> {
  const given = { params: { id }, body: { preview: { recipients } } }
  await (kind === 'campaigns'
    ? campaignPreviews.call('POST /campaigns/:id/send_preview', given)
    : autoresponderPreviews.call('POST /autoresponders/:id/send_preview', given))
}

/** Returns the last previews that were handed to a server, newest first. */
export function fetchPreviews({ kind, id }: PreviewSubject): Promise<JournaledMessage[]> {
  return journal.call(`GET /${kind}/:id/journal/previews`, { params: { id } })
}

/** The campaign, autoresponder or form that the messages of a journal belong to. */
export interface JournalSubject {
  kind: 'campaigns' | 'autoresponders' | 'web_forms'
  id: number
}

export function fetchJournal({ kind, id }: JournalSubject): Promise<JournalCounts> {
  return journal.call(`GET /${kind}/:id/journal`, { params: { id } })
}

/** @param query the messages in a state, or those to an address */
export function fetchJournaledMessages(
  { kind, id }: JournalSubject,
  query: { state: JournalStateName; page_token?: string } | { email: string }
): Promise<{ messages: JournaledMessage[]; next_page_token: string | null }> {
  return journal.call(`GET /${kind}/:id/journal/messages`, { params: { id }, query })
}

/** The address of a campaign's journal as CSV. */
export function journalFile(campaignId: number, state?: JournalStateName): string {
  return journal.address('GET /campaigns/:id/journal/export', {
    params: { id: campaignId },
    query: { ...(state && { state }) }
  })
}

export async function resendUncertain(campaignId: number): Promise<void> {
  await sending.call('POST /campaigns/:id/journal/resend_uncertain', { params: { id: campaignId } })
}
