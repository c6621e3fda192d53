import type { FastifyPluginAsync } from 'fastify'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { imageEndpoints } from './endpoints.ts'

/** POST /app/v1/images: keeps a picture for messages. */
export const imageRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
  await app.register(keepBody)
}

const keepBody = serveEndpoints(imageEndpoints, ({ writer }) => ({
  'POST /images': async ({ caller, query, body }) => {
    if (!(body instanceof Uint8Array) || body.length === 0) throw validationFailed(refusal('image_empty'))
    const { organizationId } = caller
    return ok({ key: await writer.run('images.store', { organizationId, name: query.name, bytes: body }) })
  }
}))
