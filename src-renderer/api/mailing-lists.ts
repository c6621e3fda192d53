import type { mailingListEndpoints } from '../../src-main/api/mailing-lists/endpoints.ts'
import type { MailingList, MailingListChanges } from '../../src-main/api/mailing-lists/schema.ts'
import type { subscriberCountEndpoints } from '../../src-main/api/subscriber-counts/endpoints.ts'
import type { StatusCounts, SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { MailingList, MailingListChanges, StatusCounts, SubscriberCounts }

const { call } = apiCalls<typeof mailingListEndpoints>()
const counts = apiCalls<typeof subscriberCountEndpoints>()

export function fetchMailingLists(): Promise<MailingList[]> {
  return call('GET /mailing_lists')
}

export function fetchMailingList(id: number, version?: RecordVersion): Promise<MailingList> {
  return call('GET /mailing_lists/:mailing_list_id', { params: { mailing_list_id: id }, version })
}

export function fetchSubscriberCounts(): Promise<SubscriberCounts> {
  return counts.call('GET /subscriber_counts')
}

export function createMailingList(list: MailingListChanges & { name: string }): Promise<MailingList> {
  return call('POST /mailing_lists', { body: { mailing_list: list } })
}

export function updateMailingList(
  id: number,
  changes: MailingListChanges,
  version?: RecordVersion
): Promise<MailingList> {
  return call('PUT /mailing_lists/:mailing_list_id', {
    params: { mailing_list_id: id },
    body: { mailing_list: changes },
    version
  })
}

/** Asks for the confirmation code and deletes the list with it; the user has confirmed by then. */
export async function deleteMailingList(id: number): Promise<void> {
  const params = { mailing_list_id: id }
  const { delete_confirmation_code } = await call(
    'GET /mailing_lists/:mailing_list_id/delete_confirmation_code',
    { params }
  )
  await call('DELETE /mailing_lists/:mailing_list_id/confirmed/:delete_confirmation_code', {
    params: { ...params, delete_confirmation_code }
  })
}
