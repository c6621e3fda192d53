import type { deliverySettingEndpoints } from '../../src-main/api/delivery-settings/endpoints.ts'
import type {
  BounceEmail,
  GateTest,
  UrlDomain,
  UrlDomainChanges,
  VirtualMta
} from '../../src-main/api/delivery-settings/schema.ts'
import type { seedListEndpoints } from '../../src-main/api/seed-lists/endpoints.ts'
import type { SeedList, SeedListChanges, SeedListInput } from '../../src-main/api/seed-lists/schema.ts'
import type { gateEndpoints } from '../../src-main/tracking/gates/endpoints.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { SeedList, SeedListInput, UrlDomain }

const settings = apiCalls<typeof deliverySettingEndpoints>()
const gates = apiCalls<typeof gateEndpoints>()
const seedLists = apiCalls<typeof seedListEndpoints>()

/** Everything that a list's delivery settings can refer to. */
export interface DeliverySettings {
  seedLists: SeedList[]
  bounceEmails: BounceEmail[]
  urlDomains: UrlDomain[]
  virtualMtas: VirtualMta[]
}

export async function fetchDeliverySettings(): Promise<DeliverySettings> {
  const [lists, bounceEmails, urlDomains, virtualMtas] = await Promise.all([
    seedLists.call('GET /seed_lists'),
    settings.call('GET /bounce_emails'),
    settings.call('GET /url_domains'),
    settings.call('GET /virtual_mtas')
  ])
  return { seedLists: lists, bounceEmails, urlDomains, virtualMtas }
}

export function createSeedList(list: SeedListInput): Promise<SeedList> {
  return seedLists.call('POST /seed_lists', { body: { seed_list: list } })
}

export function fetchSeedList(id: number, version?: RecordVersion): Promise<SeedList> {
  return seedLists.call('GET /seed_lists/:id', { params: { id }, version })
}

export function updateSeedList(
  id: number,
  changes: SeedListChanges,
  version?: RecordVersion
): Promise<SeedList> {
  return seedLists.call('PUT /seed_lists/:id', { params: { id }, body: { seed_list: changes }, version })
}

export function createVirtualMta(name: string): Promise<VirtualMta> {
  return settings.call('POST /virtual_mtas', { body: { virtual_mta: { name } } })
}

export function createUrlDomain(domain: string): Promise<UrlDomain> {
  return settings.call('POST /url_domains', { body: { url_domain: { domain, kind: 'domain' } } })
}

/** @throws Error if it was deleted */
export async function fetchUrlDomain(id: number, version?: RecordVersion): Promise<UrlDomain> {
  const found = (await settings.call('GET /url_domains', { version })).find((each) => each.id === id)
  if (!found) throw new Error(`URL domain ${id} was deleted`)
  return found
}

export function createGate(gate: { address: string; secret?: string }): Promise<UrlDomain> {
  return settings.call('POST /url_domains', { body: { url_domain: { kind: 'gate', ...gate } } })
}

export function updateGate(
  id: number,
  changes: UrlDomainChanges,
  version?: RecordVersion
): Promise<UrlDomain> {
  return settings.call('PUT /url_domains/:id', { params: { id }, body: { url_domain: changes }, version })
}

/** Follows a link through a gate, and fetches what it recorded. */
export function testGate(id: number): Promise<GateTest> {
  return gates.call('POST /url_domains/:id/test', { params: { id } })
}

/** @param email such as bounce@example.com */
export function createBounceEmail(email: string): Promise<BounceEmail> {
  const at = email.lastIndexOf('@')
  const bounce_email = { username: email.slice(0, Math.max(0, at)), domain: email.slice(at + 1) }
  return settings.call('POST /bounce_emails', { body: { bounce_email } })
}

export async function deleteSeedList(id: number): Promise<void> {
  await seedLists.call('DELETE /seed_lists/:id', { params: { id } })
}

export async function deleteVirtualMta(id: number): Promise<void> {
  await settings.call('DELETE /virtual_mtas/:id', { params: { id } })
}

export async function deleteUrlDomain(id: number): Promise<void> {
  await settings.call('DELETE /url_domains/:id', { params: { id } })
}

export function setPlusAddressing(id: string, plus_addressing: boolean): Promise<BounceEmail> {
  return settings.call('PUT /bounce_emails/:id', {
    params: { id },
    body: { bounce_email: { plus_addressing } }
  })
}

export async function deleteBounceEmail(id: string): Promise<void> {
  await settings.call('DELETE /bounce_emails/:id', { params: { id } })
}
