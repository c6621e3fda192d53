import type {
  Organization,
  OrganizationChanges,
  OrganizationInput
} from '../../src-main/api/organizations/schema.ts'
import { call } from './client.ts'

export type { Organization, OrganizationInput }

/** For system administrators. */
export function fetchOrganizations(): Promise<Organization[]> {
  return call('/organizations')
}

export function createOrganization(organization: OrganizationInput): Promise<Organization> {
  return call('/organizations', { method: 'POST', body: { organization } })
}

export function updateOrganization(id: number, organization: OrganizationChanges): Promise<Organization> {
  return call(`/organizations/${id}`, { method: 'PUT', body: { organization } })
}
