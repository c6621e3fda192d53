import type { FastifyPluginAsync } from 'fastify'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeDirectory } from '../../base/durable.ts'
import { ok } from '../../http/envelope.ts'
import { serve } from '../../http/serve.ts'
import { noteBackup } from '../note.ts'
import { presentBackup } from '../present.ts'
import { archiveEndpoints } from '../endpoints.ts'

/** PUT /app/v1/backups/archive: makes a backup of the archive in the body, whatever its size. */
export const archiveRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  await app.register(importBody)
}

const importBody = serve(archiveEndpoints, ({ backups, writer }) => ({
  'PUT /backups/archive': async ({ caller, body }) => {
    await makeDirectory(backups.directory)
    const path = join(backups.directory, `.archive-${randomUUID()}.part`)
    try {
      await pipeline(body as Readable, createWriteStream(path, { mode: 0o600 }))
      const backup = await backups.import(path)
      await noteBackup(writer, caller, backup.name, 'imported')
      return ok(presentBackup(backup, caller.timeZone))
    } finally {
      await rm(path, { force: true })
    }
  }
}))
