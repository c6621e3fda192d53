import { createReadStream, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { notFound } from '../base/errors.ts'
import { formatTime } from '../base/times.ts'
import { ok } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import { backupEndpoints } from './endpoints.ts'
import { type BackupFile, lossesPath } from './files.ts'
import type { Backup } from './schema.ts'

/** /app/v1/backups: copies of the database. */
export const backupRoutes = serve(backupEndpoints, ({ backups }) => ({
  'GET /backups': async ({ caller }) => {
    const requested = backups.requested()
    return ok({
      backups: backups.list().map((backup) => present(backup, caller.timeZone)),
      directory: backups.directory,
      is_writing: backups.isWriting,
      restoring: requested && basename(requested),
      warnings: [...backups.warnings],
      fault: backups.fault
    })
  },

  'POST /backups': async ({ caller }) => ok(present(await backups.create('manual'), caller.timeZone)),

  'POST /backups/recover': async ({ caller }) => {
    const { backup, losses } = await backups.recover()
    return ok({ backup: present(backup, caller.timeZone), losses })
  },

  'GET /backups/:name/losses': async ({ params }, reply) => {
    const path = lossesPath(backups.named(params.name).path)
    if (!existsSync(path)) throw notFound(`list of what was lost for ${params.name}`)
    return reply
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="${basename(path)}"`)
      .send(createReadStream(path))
  },

  'POST /backups/:name/verify': async ({ params }) =>
    ok(await backups.verify(backups.named(params.name).path)),

  'POST /backups/:name/restore': async ({ params }) => {
    await backups.requestRestore(params.name)
    return ok(null)
  },

  'DELETE /backups/restore': async () => {
    await backups.forgetRequest()
    return ok(null)
  },

  'DELETE /backups/:name': async ({ params }) => {
    backups.remove(params.name)
    return ok(null)
  }
}))

function present({ name, kind, createdAt, bytes }: BackupFile, timeZone: string): Backup {
  return { name, kind, created_at: formatTime(createdAt, timeZone), bytes }
}
