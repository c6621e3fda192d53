import { messageOf, validationFailed } from '../../base/errors.ts'
import { ok } from '../../http/envelope.ts'
import { serve } from '../../http/serve.ts'
import { aboutEndpoints } from './endpoints.ts'

/** /app/v1/about: which version this is, what is in it, and which one is newer. */
export const aboutRoutes = serve(aboutEndpoints, ({ about }) => ({
  'GET /about': async () => {
    const { version, update, installUpdate } = about
    return ok({ version, update: update && { ...update, can_be_installed: installUpdate !== undefined } })
  },

  'GET /about/libraries': async () => ok(await about.libraries()),

  'POST /about/update': async () => {
    const install = about.installUpdate
    if (!about.update || !install)
      throw validationFailed('there is no update that could be installed from here')
    await install().catch((error: unknown) => {
      throw validationFailed(messageOf(error))
    })
    return ok(null)
  }
}))
