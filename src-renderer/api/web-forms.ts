import type { webFormEndpoints } from '../../src-main/api/web-forms/endpoints.ts'
import type {
  PendingSubscription,
  WebForm,
  WebFormChanges,
  WebFormInput
} from '../../src-main/api/web-forms/schema.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { PendingSubscription, WebForm, WebFormInput }

const { call } = apiCalls<typeof webFormEndpoints>()

export function fetchWebForms(listId: number): Promise<WebForm[]> {
  return call('GET /mailing_lists/:mailing_list_id/web_forms', { params: { mailing_list_id: listId } })
}

export function fetchWebForm(listId: number, id: number, version?: RecordVersion): Promise<WebForm> {
  return call('GET /mailing_lists/:mailing_list_id/web_forms/:id', {
    params: { mailing_list_id: listId, id },
    version
  })
}

export function createWebForm(listId: number, form: WebFormInput): Promise<WebForm> {
  return call('POST /mailing_lists/:mailing_list_id/web_forms', {
    params: { mailing_list_id: listId },
    body: { web_form: form }
  })
}

export function updateWebForm(
  listId: number,
  id: number,
  changes: WebFormChanges,
  version?: RecordVersion
): Promise<WebForm> {
  return call('PUT /mailing_lists/:mailing_list_id/web_forms/:id', {
    params: { mailing_list_id: listId, id },
    body: { web_form: changes },
    version
  })
}

export async function deleteWebForm(listId: number, id: number): Promise<void> {
  await call('DELETE /mailing_lists/:mailing_list_id/web_forms/:id', {
    params: { mailing_list_id: listId, id }
  })
}

/** The first 500 subscribers who have not confirmed. */
export function fetchPendingSubscriptions(listId: number): Promise<PendingSubscription[]> {
  return call('GET /mailing_lists/:mailing_list_id/pending_subscriptions', {
    params: { mailing_list_id: listId }
  })
}

export async function confirmSubscription(listId: number, id: number): Promise<void> {
  await call('POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/confirm', {
    params: { mailing_list_id: listId, id }
  })
}

/** Sends the confirmation message once more. */
export function resendConfirmation(listId: number, id: number): Promise<PendingSubscription> {
  return call('POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/resend', {
    params: { mailing_list_id: listId, id }
  })
}

export async function discardSubscription(listId: number, id: number): Promise<void> {
  await call('DELETE /mailing_lists/:mailing_list_id/pending_subscriptions/:id', {
    params: { mailing_list_id: listId, id }
  })
}
