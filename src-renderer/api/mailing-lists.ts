import type { MailingList, MailingListChanges } from '../../src-main/api/mailing-lists/schema.ts'
import type { StatusCounts, SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import { call } from './client.ts'

export type { MailingList, MailingListChanges, StatusCounts, SubscriberCounts }

export function fetchMailingLists(): Promise<MailingList[]> {
  return call('/mailing_lists')
}

export function fetchSubscriberCounts(): Promise<SubscriberCounts> {
  return call('/subscriber_counts')
}

export function createMailingList(list: MailingListChanges & { name: string }): Promise<MailingList> {
  return call('/mailing_lists', { method: 'POST', body: { mailing_list: list } })
}

export function updateMailingList(id: number, changes: MailingListChanges): Promise<MailingList> {
  return call(`/mailing_lists/${id}`, { method: 'PUT', body: { mailing_list: changes } })
}

/** Asks for the confirmation code and deletes the list with it; the user has confirmed by then. */
export async function deleteMailingList(id: number): Promise<void> {
  const { delete_confirmation_code: code } = await call<{ delete_confirmation_code: string }>(
    `/mailing_lists/${id}/delete_confirmation_code`
  )
  await call(`/mailing_lists/${id}/confirmed/${code}`, { method: 'DELETE' })
}
