import type { mailingListEndpoints } from '../../src-main/api/mailing-lists/endpoints.ts'
import type { MailingList, MailingListChanges } from '../../src-main/api/mailing-lists/schema.ts'
import type { StatusCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import type {
  ListedList,
  mailingListEndpoints as listedEndpoints
} from '../../src-main/workbench/mailing-lists/endpoints.ts'
import { apiCalls, type RecordVersion, windowCalls } from './client.ts'

export type { ListedList, MailingList, MailingListChanges, StatusCounts }

const { call } = apiCalls<typeof mailingListEndpoints>()
const listed = windowCalls<typeof listedEndpoints>()

/** All lists by id, with the numbers of their subscribers. */
export function fetchMailingLists(): Promise<ListedList[]> {
  return listed.call('GET /mailing_lists')
}

export function fetchMailingList(id: number, version?: RecordVersion): Promise<MailingList> {
  return call('GET /mailing_lists/:mailing_list_id', { params: { mailing_list_id: id }, version })
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

/** Requests the confirmation code and deletes the list with it. The user has confirmed before. */
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
