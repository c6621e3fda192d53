import type {
  Subscriber,
  SubscriberChanges,
  SubscriberInput,
  TriggerResult
} from '../../src-main/api/subscribers/schema.ts'
import { call, callPage, callWorkbench, type Page, query } from './client.ts'

export type { Subscriber, SubscriberChanges }

/** @param page from 0 @param segmentId null = everyone on the list */
export function fetchSubscriberPage(
  listId: number,
  segmentId: number | null,
  page: number,
  perPage: number
): Promise<Page<Subscriber>> {
  const parameters = { page, per_page: perPage, ...(segmentId !== null && { segment_id: segmentId }) }
  return callPage(`/mailing_lists/${listId}/subscribers${query(parameters)}`)
}

/** Subscribers whose email begins with `beginning`, at most 100. */
export function searchSubscribers(
  listId: number,
  beginning: string,
  signal: AbortSignal
): Promise<Subscriber[]> {
  return callWorkbench(`/mailing_lists/${listId}/search${query({ beginning })}`, { signal })
}

/** @returns null for a subscriber who has yet to confirm */
export function createSubscriber(
  listId: number,
  subscriber: Partial<SubscriberInput>
): Promise<Subscriber | null> {
  return call(`/mailing_lists/${listId}/subscribers`, { method: 'POST', body: { subscriber } })
}

export function updateSubscriber(
  listId: number,
  id: number,
  subscriber: Partial<SubscriberChanges>
): Promise<Subscriber> {
  return call(`/mailing_lists/${listId}/subscribers/${id}`, { method: 'PUT', body: { subscriber } })
}

export function deleteSubscriber(listId: number, id: number): Promise<unknown> {
  return call(`/mailing_lists/${listId}/subscribers/${id}`, { method: 'DELETE' })
}

/** Queues the message of one autoresponder for one subscriber. */
export function triggerAutoresponder(
  listId: number,
  id: number,
  autoresponderId: number
): Promise<TriggerResult> {
  return call(`/mailing_lists/${listId}/subscribers/${id}/trigger_autoresponders`, {
    method: 'POST',
    body: { autoresponder_ids: [autoresponderId] }
  })
}
