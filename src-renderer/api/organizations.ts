import type { organizationEndpoints } from '../../src-main/api/organizations/endpoints.ts'
import type {
  Organization,
  OrganizationChanges,
  OrganizationInput
} from '../../src-main/api/organizations/schema.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { Organization, OrganizationInput }

const { call } = apiCalls<typeof organizationEndpoints>()

/** For system administrators. */
export function fetchOrganizations(): Promise<Organization[]> {
  return call('GET /organizations')
}

export function fetchOrganization(id: number, version?: RecordVersion): Promise<Organization> {
  return call('GET /organizations/:id', { params: { id }, version })
}

export function createOrganization(organization: OrganizationInput): Promise<Organization> {
  return call('POST /organizations', { body: { organization } })
}

export function updateOrganization(
  id: number,
  organization: OrganizationChanges,
  version?: RecordVersion
): Promise<Organization> {
  return call('PUT /organizations/:id', { params: { id }, body: { organization }, version })
}
