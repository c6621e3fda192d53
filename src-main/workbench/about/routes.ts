import { refusalOf, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { type AboutAnswer, aboutEndpoints } from './endpoints.ts'

/** /app/v1/about: version, libraries, and newer versions. */
export const aboutRoutes = serveEndpoints(aboutEndpoints, ({ about }) => {
  const answer = (): AboutAnswer => {
    const { version, update, look, installUpdate } = about
    return {
      version,
      can_look: look !== undefined,
      update: update && { ...update, can_be_installed: installUpdate !== undefined }
    }
  }
  return {
    'GET /about': async () => ok(answer()),

    'GET /about/libraries': async () => ok(await about.libraries()),

    'POST /about/look': async () => {
      if (!about.look) throw validationFailed(refusal('no_update_address'))
      await about.look().catch(refuse)
      return ok(answer())
    },

    'POST /about/update': async () => {
      if (!about.update || !about.installUpdate) throw validationFailed(refusal('no_update'))
      await about.installUpdate().catch(refuse)
      return ok(null)
    }
  }
})

function refuse(error: unknown): never {
  throw validationFailed(refusalOf(error))
}
