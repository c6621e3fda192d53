import type { autoresponderEndpoints } from '../../src-main/api/autoresponders/endpoints.ts'
import type {
  Autoresponder,
  AutoresponderChanges,
  AutoresponderInput,
  Upcoming
} from '../../src-main/api/autoresponders/schema.ts'
import type { heldMessageEndpoints } from '../../src-main/workbench/held-messages/endpoints.ts'
import { apiCalls, type RecordVersion, windowCalls } from './client.ts'

export type { Autoresponder, AutoresponderInput }

const { call } = apiCalls<typeof autoresponderEndpoints>()

export function fetchAutoresponders(listId: number): Promise<Autoresponder[]> {
  return call('GET /mailing_lists/:mailing_list_id/autoresponders', { params: { mailing_list_id: listId } })
}

export function fetchAutoresponder(
  listId: number,
  id: number,
  version?: RecordVersion
): Promise<Autoresponder> {
  return call('GET /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id', {
    params: { mailing_list_id: listId, autoresponder_id: id },
    version
  })
}

export function createAutoresponder(
  listId: number,
  autoresponder: AutoresponderInput
): Promise<Autoresponder> {
  return call('POST /mailing_lists/:mailing_list_id/autoresponders', {
    params: { mailing_list_id: listId },
    body: { autoresponder }
  })
}

export function updateAutoresponder(
  listId: number,
  id: number,
  autoresponder: AutoresponderChanges,
  version?: RecordVersion
): Promise<Autoresponder> {
  return call('PUT /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id', {
    params: { mailing_list_id: listId, autoresponder_id: id },
    body: { autoresponder },
    version
  })
}

export async function deleteAutoresponder(listId: number, id: number): Promise<void> {
  await call('DELETE /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id', {
    params: { mailing_list_id: listId, autoresponder_id: id }
  })
}

/** Which messages are due in the next 30 days. */
export function fetchUpcoming(listId: number): Promise<Upcoming> {
  return call('GET /mailing_lists/:mailing_list_id/upcoming_messages', {
    params: { mailing_list_id: listId }
  })
}

const held = windowCalls<typeof heldMessageEndpoints>()

/** Returns how many messages were queued by a version that could not send them. */
export async function countHeldMessages(listId: number): Promise<number> {
  const params = { mailing_list_id: listId }
  return (await held.call('GET /mailing_lists/:mailing_list_id/held_messages', { params })).messages
}

export async function sendHeldMessages(listId: number): Promise<void> {
  const params = { mailing_list_id: listId }
  await held.call('POST /mailing_lists/:mailing_list_id/held_messages/send', { params })
}

export async function deleteHeldMessages(listId: number): Promise<void> {
  await held.call('DELETE /mailing_lists/:mailing_list_id/held_messages', {
    params: { mailing_list_id: listId }
  })
}
