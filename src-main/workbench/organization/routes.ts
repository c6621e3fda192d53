import { ok } from '../../http/envelope.ts'
import { organizationById } from '../../api/organizations/queries.ts'
import { ApiError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { organizationSettingEndpoints, type OrganizationSettings } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** GET and PUT /app/v1/organization: what holds for the caller's organization, for the window's page of settings. */
export const organizationSettingRoutes = serveEndpoints(
  organizationSettingEndpoints,
  ({ reader, writer }) => {
    const settingsOf = async (organizationId: number): Promise<OrganizationSettings> => {
      const { enforces_confirmed_opt_in, subscriber_limit } = await organizationById(reader, organizationId)
      return { enforces_confirmed_opt_in: enforces_confirmed_opt_in === 1, subscriber_limit }
    }
    return {
      'GET /organization': async ({ caller }) => ok(await settingsOf(caller.organizationId)),

      'PUT /organization': async ({ caller: { organizationId, role }, body }) => {
        if (body.subscriber_limit !== undefined && role !== 'system_admin') {
          throw new ApiError('not_authorized', refusal('limit_by_others', { field: 'subscriber_limit' }))
        }
        await writer.run('organizations.limitSubscribers', {
          organizationId,
          enforcesConfirmedOptIn: body.enforces_confirmed_opt_in,
          subscriberLimit: body.subscriber_limit
        })
        return ok(await settingsOf(organizationId))
      }
    }
  }
)
