import type { eventEndpoints } from '../../src-main/api/events/endpoints.ts'
import type { Event, EventType } from '../../src-main/api/events/schema.ts'
import type { webhookEndpoints } from '../../src-main/api/webhooks/endpoints.ts'
import type {
  Webhook,
  WebhookChanges,
  WebhookInput,
  WebhookMessage,
  WebhookMessageState,
  WebhookSecret,
  WebhookTest
} from '../../src-main/api/webhooks/schema.ts'
import type { webhookTestEndpoints } from '../../src-main/webhooks/endpoints.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type {
  Event,
  EventType,
  Webhook,
  WebhookInput,
  WebhookMessage,
  WebhookMessageState,
  WebhookSecret,
  WebhookTest
}

const events = apiCalls<typeof eventEndpoints>()
const webhooks = apiCalls<typeof webhookEndpoints>()
const tests = apiCalls<typeof webhookTestEndpoints>()

/** The events that are shown at first. */
const shownAtFirst = 50
/** Longest wait for new ones, in seconds. */
const wait = 20

/** Newest first. @param type undefined = all */
export async function fetchEvents(type: EventType | undefined): Promise<Event[]> {
  const query = { per_page: shownAtFirst, ...(type && { event_type: type }) }
  return (await events.call('GET /events', { query })).events
}

/** Waits for the events after one, oldest first. @param after undefined = begins now, without a wait */
export function followEvents(
  type: EventType | undefined,
  after: number | undefined
): Promise<{ events: Event[]; last: number }> {
  const query = { ...(type && { event_type: type }), ...(after !== undefined && { after, wait }) }
  return events.call('GET /events/follow', { query })
}

export function fetchWebhooks(): Promise<Webhook[]> {
  return webhooks.call('GET /webhooks')
}

export function fetchWebhook(id: number, version?: RecordVersion): Promise<Webhook> {
  return webhooks.call('GET /webhooks/:id', { params: { id }, version })
}

export function createWebhook(webhook: WebhookInput): Promise<Webhook & { secret: string }> {
  return webhooks.call('POST /webhooks', { body: { webhook } })
}

export function updateWebhook(
  id: number,
  webhook: WebhookChanges,
  version?: RecordVersion
): Promise<Webhook> {
  return webhooks.call('PUT /webhooks/:id', { params: { id }, body: { webhook }, version })
}

export async function deleteWebhook(id: number): Promise<void> {
  await webhooks.call('DELETE /webhooks/:id', { params: { id } })
}

export function testWebhook(id: number): Promise<WebhookTest> {
  return tests.call('POST /webhooks/:id/test', { params: { id } })
}

/** @param since UNIX seconds */
export function replayWebhook(id: number, since: number): Promise<Webhook> {
  return webhooks.call('POST /webhooks/:id/replay', { params: { id }, body: { replay: { since } } })
}

export function fetchWebhookSecrets(id: number): Promise<WebhookSecret[]> {
  return webhooks.call('GET /webhooks/:id/secrets', { params: { id } })
}

export function addWebhookSecret(id: number): Promise<WebhookSecret & { secret: string }> {
  return webhooks.call('POST /webhooks/:id/secrets', { params: { id } })
}

export async function removeWebhookSecret(id: number, secretId: number): Promise<void> {
  await webhooks.call('DELETE /webhooks/:id/secrets/:secret_id', { params: { id, secret_id: secretId } })
}

/** Newest first. @param state undefined = all @param token of the page; undefined = the first one */
export function fetchWebhookMessages(
  id: number,
  state: WebhookMessageState | undefined,
  token: string | undefined
): Promise<{ messages: WebhookMessage[]; next_page_token: string | null }> {
  const query = { per_page: 50, ...(state && { state }), ...(token !== undefined && { page_token: token }) }
  return webhooks.call('GET /webhooks/:id/messages', { params: { id }, query })
}

export async function replayMessage(id: number, messageId: number): Promise<void> {
  const params = { id, message_id: messageId }
  await webhooks.call('POST /webhooks/:id/messages/:message_id/replay', { params })
}
