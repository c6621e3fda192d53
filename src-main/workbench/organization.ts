import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { envelope, ok } from '../api/envelope.ts'
import { enforcesConfirmedOptIn } from '../api/web-forms/queries.ts'

const OrganizationSettings = Type.Object({
  /** Whether new subscribers must confirm (spec, "Subscribers", confirmation_form_id). */
  enforces_confirmed_opt_in: Type.Boolean()
})
export type OrganizationSettings = Static<typeof OrganizationSettings>

/** GET and PUT /app/v1/organization: what holds for the caller's organization, for the window's page of settings. */
export const organizationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context
  const settingsOf = async (organizationId: number): Promise<OrganizationSettings> => ({
    enforces_confirmed_opt_in: await enforcesConfirmedOptIn(reader, organizationId)
  })

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
        body: OrganizationSettings,
        response: { 200: envelope(OrganizationSettings) }
      }
    },
    async ({ caller: { organizationId }, body }) => {
      await writer.run('enforceConfirmedOptIn', {
        organizationId,
        enforced: body.enforces_confirmed_opt_in
      })
      return ok(await settingsOf(organizationId))
    }
  )
}
