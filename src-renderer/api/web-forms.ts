import type {
  PendingSubscription,
  WebForm,
  WebFormChanges,
  WebFormInput
} from '../../src-main/api/web-forms/schema.ts'
import { call } from './client.ts'

export type { PendingSubscription, WebForm, WebFormInput }

const listPath = (listId: number): string => `/mailing_lists/${listId}`

export function fetchWebForms(listId: number): Promise<WebForm[]> {
  return call(`${listPath(listId)}/web_forms`)
}

export function createWebForm(listId: number, form: WebFormInput): Promise<WebForm> {
  return call(`${listPath(listId)}/web_forms`, { method: 'POST', body: { web_form: form } })
}

export function updateWebForm(listId: number, id: number, changes: WebFormChanges): Promise<WebForm> {
  return call(`${listPath(listId)}/web_forms/${id}`, { method: 'PUT', body: { web_form: changes } })
}

export function deleteWebForm(listId: number, id: number): Promise<null> {
  return call(`${listPath(listId)}/web_forms/${id}`, { method: 'DELETE' })
}

/** Who has yet to confirm: the first 500. */
export function fetchPendingSubscriptions(listId: number): Promise<PendingSubscription[]> {
  return call(`${listPath(listId)}/pending_subscriptions`)
}

export function confirmSubscription(listId: number, id: number): Promise<{ subscriber_id: number }> {
  return call(`${listPath(listId)}/pending_subscriptions/${id}/confirm`, { method: 'POST' })
}

export function discardSubscription(listId: number, id: number): Promise<null> {
  return call(`${listPath(listId)}/pending_subscriptions/${id}`, { method: 'DELETE' })
}
