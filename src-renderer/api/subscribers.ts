import type { subscriberEndpoints } from '../../src-main/api/subscribers/endpoints.ts'
import type {
  Subscriber,
  SubscriberChanges,
  SubscriberInput,
  TriggerResult
} from '../../src-main/api/subscribers/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { subscriberSearchEndpoints } from '../../src-main/workbench/endpoints/subscriber-search.ts'
import { apiCalls, type Page, windowCalls } from './client.ts'

export type { Subscriber }

const { call, page } = apiCalls<typeof subscriberEndpoints>()
const search = windowCalls<typeof subscriberSearchEndpoints>()

/** @param number of the page, from 0 @param segmentId null = everyone on the list */
export function fetchSubscriberPage(
  listId: number,
  segmentId: number | null,
  number: number,
  perPage: number
): Promise<Page<Subscriber>> {
  return page('GET /mailing_lists/:mailing_list_id/subscribers', {
    params: { mailing_list_id: listId },
    query: { page: number, per_page: perPage, ...(segmentId !== null && { segment_id: segmentId }) }
  })
}

/** Subscribers whose email begins with `beginning`, at most 100. */
export function searchSubscribers(
  listId: number,
  beginning: string,
  signal: AbortSignal
): Promise<Subscriber[]> {
  return search.call('GET /mailing_lists/:mailing_list_id/search', {
    params: { mailing_list_id: listId },
    query: { beginning },
    signal
  })
}

/** @returns null for a subscriber who has yet to confirm */
export function createSubscriber(
  listId: number,
  subscriber: Given<typeof SubscriberInput>
): Promise<Subscriber | null> {
  return call('POST /mailing_lists/:mailing_list_id/subscribers', {
    params: { mailing_list_id: listId },
    body: { subscriber }
  })
}

export function updateSubscriber(
  listId: number,
  id: number,
  subscriber: Given<typeof SubscriberChanges>
): Promise<Subscriber> {
  return call('PUT /mailing_lists/:mailing_list_id/subscribers/:subscriber', {
    params: { mailing_list_id: listId, subscriber: String(id) },
    body: { subscriber }
  })
}

export async function deleteSubscriber(listId: number, id: number): Promise<void> {
  await call('DELETE /mailing_lists/:mailing_list_id/subscribers/:subscriber', {
    params: { mailing_list_id: listId, subscriber: String(id) }
  })
}

/** Queues the message of one autoresponder for one subscriber. */
export function triggerAutoresponder(
  listId: number,
  id: number,
  autoresponderId: number
): Promise<TriggerResult> {
  return call('POST /mailing_lists/:mailing_list_id/subscribers/:subscriber/trigger_autoresponders', {
    params: { mailing_list_id: listId, subscriber: String(id) },
    body: { autoresponder_ids: [autoresponderId] }
  })
}
