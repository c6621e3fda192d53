import type {
  Autoresponder,
  AutoresponderChanges,
  AutoresponderInput
} from '../../src-main/api/autoresponders/schema.ts'
import { call } from './client.ts'

export type { Autoresponder, AutoresponderInput }

const pathOf = (listId: number): string => `/mailing_lists/${listId}/autoresponders`

export function fetchAutoresponders(listId: number): Promise<Autoresponder[]> {
  return call(pathOf(listId))
}

export function createAutoresponder(listId: number, input: AutoresponderInput): Promise<Autoresponder> {
  return call(pathOf(listId), { method: 'POST', body: { autoresponder: input } })
}

export function updateAutoresponder(
  listId: number,
  id: number,
  changes: AutoresponderChanges
): Promise<Autoresponder> {
  return call(`${pathOf(listId)}/${id}`, { method: 'PUT', body: { autoresponder: changes } })
}

export function deleteAutoresponder(listId: number, id: number): Promise<null> {
  return call(`${pathOf(listId)}/${id}`, { method: 'DELETE' })
}
