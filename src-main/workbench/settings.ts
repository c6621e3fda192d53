import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { envelope, ok } from '../http/envelope.ts'
import { currentSettings } from '../settings/queries.ts'
import { Settings, SettingsChanges } from '../settings/schema.ts'

/** GET and PUT /app/v1/settings: the configuration directives, for the window's page of settings. */
export const settingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/settings',
    { config: { access: 'signed_in' }, schema: { hide: true, response: { 200: envelope(Settings) } } },
    async () => ok(await currentSettings(reader))
  )

  app.put(
    '/settings',
    {
      config: { access: 'system_admin' },
      schema: { hide: true, body: SettingsChanges, response: { 200: envelope(Settings) } }
    },
    async ({ body }) => {
      await writer.run('settings.update', body)
      return ok(await currentSettings(reader))
    }
  )
}
