import type {
  BounceEmail,
  DatabaseConnection,
  UrlDomain,
  VirtualMta
} from '../../src-main/api/delivery-settings/schema.ts'
import type { SeedList, SeedListChanges, SeedListInput } from '../../src-main/api/seed-lists/schema.ts'
import { ApiFailure, call } from './client.ts'

export type { SeedList, SeedListInput }

/** Everything that lists can send with. */
export interface DeliverySettings {
  seedLists: SeedList[]
  bounceEmails: BounceEmail[]
  urlDomains: UrlDomain[]
  virtualMtas: VirtualMta[]
  /** Null for whom they are not: system administrators define them. */
  databaseConnections: DatabaseConnection[] | null
}

export async function fetchDeliverySettings(): Promise<DeliverySettings> {
  const [seedLists, bounceEmails, urlDomains, virtualMtas, databaseConnections] = await Promise.all([
    call<SeedList[]>('/seed_lists'),
    call<BounceEmail[]>('/bounce_emails'),
    call<UrlDomain[]>('/url_domains'),
    call<VirtualMta[]>('/virtual_mtas'),
    fetchDatabaseConnections()
  ])
  return { seedLists, bounceEmails, urlDomains, virtualMtas, databaseConnections }
}

/** The connections of the delivery engine; null for a user who is no system administrator. */
export async function fetchDatabaseConnections(): Promise<DatabaseConnection[] | null> {
  try {
    return await call('/database_connections')
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_authorized') return null
    throw error
  }
}

export function createSeedList(list: SeedListInput): Promise<SeedList> {
  return call('/seed_lists', { method: 'POST', body: { seed_list: list } })
}

export function updateSeedList(id: number, changes: SeedListChanges): Promise<SeedList> {
  return call(`/seed_lists/${id}`, { method: 'PUT', body: { seed_list: changes } })
}

export function createVirtualMta(name: string): Promise<VirtualMta> {
  return call('/virtual_mtas', { method: 'POST', body: { virtual_mta: { name } } })
}

export function createUrlDomain(domain: string): Promise<UrlDomain> {
  return call('/url_domains', { method: 'POST', body: { url_domain: { domain } } })
}

/** @param email such as bounce@example.com */
export function createBounceEmail(email: string): Promise<BounceEmail> {
  const at = email.lastIndexOf('@')
  const bounce_email = { username: email.slice(0, Math.max(0, at)), domain: email.slice(at + 1) }
  return call('/bounce_emails', { method: 'POST', body: { bounce_email } })
}

export function createDatabaseConnection(name: string): Promise<DatabaseConnection> {
  return call('/database_connections', { method: 'POST', body: { database_connection: { name } } })
}

export type DeliverySettingPath =
  'seed_lists' | 'virtual_mtas' | 'url_domains' | 'bounce_emails' | 'database_connections'

export function deleteDeliverySetting(path: DeliverySettingPath, id: number | string): Promise<null> {
  return call(`/${path}/${id}`, { method: 'DELETE' })
}
