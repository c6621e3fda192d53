import { systemOrganizationId } from '../../api/organizations/rules.ts'
import { ok } from '../../http/envelope.ts'
import { currentSettings } from '../../settings/queries.ts'
import { settingsEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** GET and PUT /app/v1/settings: the configuration directives, for the window's page of settings. */
export const settingsRoutes = serveEndpoints(settingsEndpoints, ({ reader, writer }) => ({
  'GET /settings': async () => ok(await currentSettings(reader)),

  'PUT /settings': async ({ body }) => {
    await writer.run('settings.update', { ...body, organizationId: systemOrganizationId })
    return ok(await currentSettings(reader))
  }
}))
