import type { FastifyReply } from 'fastify'
import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { notFound } from '../base/errors.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { backupEndpoints } from './endpoints.ts'
import { archivePath, encryptedPath, lossesPath } from './files.ts'
import { recordBackupInAuditLog } from './note.ts'
import { presentBackup, presentCopies, presentRestored } from './present.ts'

/** /app/v1/backups: copies of the database. */
export const backupRoutes = serveEndpoints(backupEndpoints, ({ backups, writer }) => ({
  'GET /backups': async ({ caller }) => {
    const requested = backups.requested()
    return ok({
      backups: backups.list().map((backup) => presentBackup(backup, caller.timeZone)),
      directory: backups.directory,
      is_writing: backups.isWriting,
      restoring: requested && basename(requested),
      restored: presentRestored(backups.restored),
      warnings: [...backups.warnings],
      fault: backups.fault,
      copies: presentCopies(await backups.copies.state(), caller.timeZone)
    })
  },

  'POST /backups': async ({ caller, body }) => {
    const backup = await backups.create(body.kind)
    await recordBackupInAuditLog(writer, backup.name, 'made')
    return ok(presentBackup(backup, caller.timeZone))
  },

  'POST /backups/recover': async ({ caller }) => {
    const { backup, losses } = await backups.recover()
    return ok({ backup: presentBackup(backup, caller.timeZone), losses })
  },

  'GET /backups/:name/losses': async ({ params }, reply) => {
    const path = lossesPath(backups.named(params.name).path)
    return sendFile(reply, path, 'text/csv; charset=utf-8', `list of what was lost for ${params.name}`)
  },

  'POST /backups/:name/archive': async ({ params }) => {
    await backups.export(params.name)
    await recordBackupInAuditLog(writer, params.name, 'exported')
    return ok(null)
  },

  'GET /backups/:name/archive': async ({ params }, reply) => {
    const path = archivePath(backups.named(params.name).path)
    return sendFile(reply, path, 'application/zip', `archive of ${params.name}`)
  },

  'POST /backups/:name/encrypted': async ({ params, body }) => {
    await backups.encrypt(params.name, body.passphrase)
    await recordBackupInAuditLog(writer, params.name, 'exported')
    return ok(null)
  },

  'GET /backups/:name/encrypted': async ({ params }, reply) => {
    const path = encryptedPath(backups.named(params.name).path)
    return sendFile(reply, path, 'application/octet-stream', `encrypted copy of ${params.name}`)
  },

  'POST /backups/:name/verify': async ({ params }) =>
    ok(await backups.verify(backups.named(params.name).path)),

  'POST /backups/:name/restore': async ({ params }) => {
    await backups.requestRestore(params.name)
    await recordBackupInAuditLog(writer, params.name, 'restore_requested')
    return ok(null)
  },

  'PUT /backups/copies': async ({ body }) => {
    await backups.copies.set(body.folder, body.passphrase, (copies) =>
      writer.run('backups.setCopies', { copies })
    )
    void backups.copyWhatIsDue(Date.now())
    return ok(null)
  },

  'DELETE /backups/copies': async () => {
    await backups.copies.stop(() => writer.run('backups.setCopies', { copies: null }))
    return ok(null)
  },

  'DELETE /backups/restore': async () => {
    await backups.forgetRequest()
    return ok(null)
  },

  'DELETE /backups/:name': async ({ params }) => {
    await backups.remove(params.name)
    await recordBackupInAuditLog(writer, params.name, 'deleted')
    return ok(null)
  }
}))

/** @param called what a sentence calls the file where it is not there */
function sendFile(reply: FastifyReply, path: string, type: string, called: string): FastifyReply {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw notFound(called)
  return reply
    .type(type)
    .header('Content-Length', size)
    .header('Content-Disposition', `attachment; filename="${basename(path)}"`)
    .send(createReadStream(path))
}
