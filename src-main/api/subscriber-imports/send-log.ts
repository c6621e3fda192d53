import type { FastifyReply } from 'fastify'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { notFound } from '../../errors.ts'
import { logPath } from '../../imports/logs.ts'
import type { ImportOutcome } from './schema.ts'

/**
 * Sends a log as a file.
 * @param of whose log it is, such as { name: 'subscriber import 7', file: 'import-7' }
 * @throws ApiError not_found when there is none, or nothing in it (spec, "Logs")
 */
export async function sendLog(
  reply: FastifyReply,
  directory: string,
  log: ImportOutcome,
  of: { name: string; file: string }
): Promise<FastifyReply> {
  const path = logPath(directory, log)
  const size = await stat(path).then(
    (info) => info.size,
    () => 0
  )
  if (size === 0) throw notFound(`log ${log} of ${of.name}`)
  const isCsv = log === 'failed'
  return reply
    .type(isCsv ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${of.file}-${log}.${isCsv ? 'csv' : 'txt'}"`)
    .send(createReadStream(path))
}
