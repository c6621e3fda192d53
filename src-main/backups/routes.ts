import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { notFound } from '../base/errors.ts'
import { ok } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import { backupEndpoints } from './endpoints.ts'
import { archivePath, lossesPath } from './files.ts'
import { tellOfBackup } from './note.ts'
import { presentBackup } from './present.ts'

/** /app/v1/backups: copies of the database. */
export const backupRoutes = serve(backupEndpoints, ({ backups, writer }) => ({
  'GET /backups': async ({ caller }) => {
    const requested = backups.requested()
    return ok({
      backups: backups.list().map((backup) => presentBackup(backup, caller.timeZone)),
      directory: backups.directory,
      is_writing: backups.isWriting,
      restoring: requested && basename(requested),
      warnings: [...backups.warnings],
      fault: backups.fault
    })
  },

  'POST /backups': async ({ caller }) => {
    const backup = await backups.create('manual')
    await tellOfBackup(writer, backup.name, 'made')
    return ok(presentBackup(backup, caller.timeZone))
  },

  'POST /backups/recover': async ({ caller }) => {
    const { backup, losses } = await backups.recover()
    return ok({ backup: presentBackup(backup, caller.timeZone), losses })
  },

  'GET /backups/:name/losses': async ({ params }, reply) => {
    const path = lossesPath(backups.named(params.name).path)
    if (!existsSync(path)) throw notFound(`list of what was lost for ${params.name}`)
    return reply
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="${basename(path)}"`)
      .send(createReadStream(path))
  },

  'POST /backups/:name/archive': async ({ params }) => {
    await backups.export(params.name)
    await tellOfBackup(writer, params.name, 'exported')
    return ok(null)
  },

  'GET /backups/:name/archive': async ({ params }, reply) => {
    const path = archivePath(backups.named(params.name).path)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) throw notFound(`archive of ${params.name}`)
    return reply
      .type('application/zip')
      .header('Content-Length', size)
      .header('Content-Disposition', `attachment; filename="${basename(path)}"`)
      .send(createReadStream(path))
  },

  'POST /backups/:name/verify': async ({ params }) =>
    ok(await backups.verify(backups.named(params.name).path)),

  'POST /backups/:name/restore': async ({ params }) => {
    await backups.requestRestore(params.name)
    await tellOfBackup(writer, params.name, 'restore_requested')
    return ok(null)
  },

  'DELETE /backups/restore': async () => {
    await backups.forgetRequest()
    return ok(null)
  },

  'DELETE /backups/:name': async ({ params }) => {
    backups.remove(params.name)
    await tellOfBackup(writer, params.name, 'deleted')
    return ok(null)
  }
}))
