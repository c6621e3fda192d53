import type { FastifyPluginAsync } from 'fastify'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeDirectory } from '../base/durable.ts'
import { refusalOf, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { recordBackupInAuditLog } from './note.ts'
import { presentBackup } from './present.ts'
import { requireRoom } from './room.ts'
import { importEndpoints } from './endpoints.ts'

/** PUT /app/v1/backups/import: makes a backup of the archive or backup in the body, whatever its size. */
export const backupImportRoutes: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  await app.register(importBody)
}

const importBody = serveEndpoints(importEndpoints, ({ backups, writer }) => ({
  'PUT /backups/import': async ({ caller, headers, body }) => {
    backups.refuseWhileWriting()
    await makeDirectory(backups.directory)
    await requireRoom('The file', Number(headers['content-length'] ?? 0), backups.directory).catch(
      (error: unknown) => {
        throw validationFailed(refusalOf(error))
      }
    )
    const path = join(backups.directory, `.import-${randomUUID()}.part`)
    try {
      await pipeline(body as Readable, createWriteStream(path, { mode: 0o600 }))
      const backup = await backups.import(path, passphraseIn(headers['x-passphrase']))
      await recordBackupInAuditLog(writer, backup.name, 'imported')
      return ok(presentBackup(backup, caller.timeZone))
    } finally {
      await rm(path, { force: true })
    }
  }
}))

/** @throws ApiError validation_failed where it is not percent-encoded */
function passphraseIn(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null
  try {
    return decodeURIComponent(header)
  } catch {
    throw validationFailed(refusal('passphrase_header'))
  }
}
