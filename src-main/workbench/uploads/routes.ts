import type { FastifyPluginAsync } from 'fastify'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { storeUpload } from '../../imports/store-upload.ts'
import { uploadEndpoints } from './endpoints.ts'

/** PUT /app/v1/uploads/:filename: stores the body as a file of the upload directory, whatever its size. */
export const uploadRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  await app.register(storeBody)
}

const storeBody = serveEndpoints(uploadEndpoints, ({ writer, dataDirectory }) => ({
  'PUT /uploads/:filename': async ({ caller, params, body }) => {
    const filename = await storeUpload(
      { writer, dataDirectory, organizationId: caller.organizationId },
      params.filename,
      (path) => pipeline(body as Readable, createWriteStream(path))
    )
    return ok({ filename })
  }
}))
