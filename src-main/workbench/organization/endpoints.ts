import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { Nullable } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const OrganizationSettings = Type.Object({
  /** True if new subscribers must confirm (docs/api.md, "Subscribers"). */
  enforces_confirmed_opt_in: Type.Boolean(),
  /** Most subscribers over all lists; null = no limit. System administrators set it. */
  subscriber_limit: Nullable(Type.Integer({ minimum: 0 }))
})
export type OrganizationSettings = Static<typeof OrganizationSettings>

const OrganizationSettingChanges = Type.Partial(OrganizationSettings)
export type OrganizationSettingChanges = Static<typeof OrganizationSettingChanges>

export const organizationSettingEndpoints = unlistedEndpoints({
  'GET /organization': { access: 'signed_in', answer: envelope(OrganizationSettings) },

  'PUT /organization': {
    access: 'organization_admin',
    body: OrganizationSettingChanges,
    answer: envelope(OrganizationSettings)
  }
})
