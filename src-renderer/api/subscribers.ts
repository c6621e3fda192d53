import type { subscriberEndpoints } from '../../src-main/api/subscribers/endpoints.ts'
import type {
  Subscriber,
  SubscriberChanges,
  SubscriberInput,
  TriggerResult
} from '../../src-main/api/subscribers/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { subscriberTableEndpoints } from '../../src-main/workbench/subscriber-table/endpoints.ts'
import { apiCalls, ApiFailure, type Page, type RecordVersion, windowCalls } from './client.ts'

export type { Subscriber }

const { call, page } = apiCalls<typeof subscriberEndpoints>()
const table = windowCalls<typeof subscriberTableEndpoints>()
const tableEndpoint = 'POST /mailing_lists/:mailing_list_id/subscriber_table'

/** Everyone on the list, by id. @param number of the page, from 0 */
export function fetchSubscriberPage(
  listId: number,
  number: number,
  perPage: number
): Promise<Page<Subscriber>> {
  return page('GET /mailing_lists/:mailing_list_id/subscribers', {
    params: { mailing_list_id: listId },
    query: { page: number, per_page: perPage }
  })
}

/** @throws ApiFailure not_found */
export async function fetchSubscriber(
  listId: number,
  id: number,
  version?: RecordVersion
): Promise<Subscriber> {
  const [subscriber] = await call('GET /mailing_lists/:mailing_list_id/subscribers/:subscriber', {
    params: { mailing_list_id: listId, subscriber: String(id) },
    version
  })
  if (!subscriber) throw new ApiFailure('not_found', `subscriber ${id} not found`)
  return subscriber
}

export type TableQuestion = Omit<
  Given<(typeof subscriberTableEndpoints)['endpoints'][typeof tableEndpoint]['body']>,
  'page' | 'per_page'
>

/** A page of those who are asked for. @param number of the page, from 0 */
export function fetchTablePage(
  listId: number,
  question: TableQuestion,
  number: number,
  perPage: number,
  signal?: AbortSignal
): Promise<Page<Subscriber> & { is_stale: boolean }> {
  return table.page(tableEndpoint, {
    params: { mailing_list_id: listId },
    body: { ...question, page: number, per_page: perPage },
    ...(signal && { signal })
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
  subscriber: Given<typeof SubscriberChanges>,
  version?: RecordVersion
): Promise<Subscriber> {
  return call('PUT /mailing_lists/:mailing_list_id/subscribers/:subscriber', {
    params: { mailing_list_id: listId, subscriber: String(id) },
    body: { subscriber },
    version
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
