import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Type } from 'typebox'
import { envelope, ok } from '../api/envelope.ts'
import { uploadDirectoryOf } from '../imports/source.ts'

/** PUT /app/v1/uploads/:filename: stores the body as a file of the upload directory, whatever its size. */
export const uploadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { dataDirectory } = app.context
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.put(
    '/uploads/:filename',
    {
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { access: 'subscriber.import' },
      schema: {
        hide: true,
        params: Type.Object({ filename: Type.String({ minLength: 1, maxLength: 255 }) }),
        response: { 200: envelope(Type.Object({ filename: Type.String() })) }
      }
    },
    async ({ caller, params, body }) => {
      const uploadDirectory = uploadDirectoryOf(dataDirectory, caller.organizationId)
      await mkdir(uploadDirectory, { recursive: true })
      const temporary = join(uploadDirectory, `.upload-${randomUUID()}`)
      try {
        await pipeline(body as Readable, createWriteStream(temporary))
        const filename = freeName(uploadDirectory, params.filename)
        await rename(temporary, join(uploadDirectory, filename))
        return ok({ filename })
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    }
  )
}

/** The name itself, or with a number when a file of that name is there. */
export function freeName(directory: string, wanted: string): string {
  const name = basename(wanted.replaceAll('\\', '/')).replace(/^\.+/, '') || 'upload.csv'
  const extension = extname(name)
  const stem = name.slice(0, name.length - extension.length)
  let free = name
  for (let number = 2; existsSync(join(directory, free)); number++) free = `${stem} (${number})${extension}`
  return free
}
