import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { envelope, ok } from '../http/envelope.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { Nullable } from '../http/schema.ts'
import { ApiError } from '../base/errors.ts'

const OrganizationSettings = Type.Object({
  /** Whether new subscribers must confirm (spec, "Subscribers", confirmation_form_id). */
  enforces_confirmed_opt_in: Type.Boolean(),
  /** Most subscribers over all lists; null = no limit. System administrators set it. */
  subscriber_limit: Nullable(Type.Integer({ minimum: 0 }))
})
export type OrganizationSettings = Static<typeof OrganizationSettings>

const OrganizationSettingChanges = Type.Partial(OrganizationSettings)
export type OrganizationSettingChanges = Static<typeof OrganizationSettingChanges>

/** GET and PUT /app/v1/organization: what holds for the caller's organization, for the window's page of settings. */
export const organizationSettingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context
  const settingsOf = async (organizationId: number): Promise<OrganizationSettings> => {
    const { enforces_confirmed_opt_in, subscriber_limit } = await organizationById(reader, organizationId)
    return { enforces_confirmed_opt_in: enforces_confirmed_opt_in === 1, subscriber_limit }
  }

  app.get(
    '/organization',
    {
      config: { access: 'signed_in' },
      schema: { hide: true, response: { 200: envelope(OrganizationSettings) } }
    },
    async ({ caller }) => ok(await settingsOf(caller.organizationId))
  )

  app.put(
    '/organization',
    {
      config: { access: 'organization_admin' },
      schema: {
        hide: true,
        body: OrganizationSettingChanges,
        response: { 200: envelope(OrganizationSettings) }
      }
    },
    async ({ caller: { organizationId, role }, body }) => {
      if (body.subscriber_limit !== undefined && role !== 'system_admin') {
        throw new ApiError('not_authorized', 'only system administrators may set subscriber_limit')
      }
      await writer.run('organizations.limitSubscribers', {
        organizationId,
        enforcesConfirmedOptIn: body.enforces_confirmed_opt_in,
        subscriberLimit: body.subscriber_limit
      })
      return ok(await settingsOf(organizationId))
    }
  )
}
