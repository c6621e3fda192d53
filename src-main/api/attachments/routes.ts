import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { campaignById } from '../campaigns/queries.ts'
import { attachmentEndpoints } from './endpoints.ts'
import { attachedFileById, attachmentsOf, presentAttachment } from './queries.ts'

/** The files that messages of campaigns and templates carry. */
export const attachmentRoutes: FastifyPluginAsync = async (app) => {
  // A file may be of any type, also JSON.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
  await app.register(filesOfMessages)
}

type Kind = 'campaign' | 'template'

const filesOfMessages = serveEndpoints(attachmentEndpoints, ({ reader, writer }) => {
  async function list(kind: Kind, { organizationId, timeZone }: Caller, id: number) {
    await campaignById(reader, organizationId, id, kind)
    return ok((await attachmentsOf(reader, id)).map((row) => presentAttachment(row, timeZone)))
  }

  async function download(
    kind: Kind,
    { organizationId }: Caller,
    { id, attachment_id }: { id: number; attachment_id: number },
    reply: FastifyReply
  ): Promise<FastifyReply> {
    await campaignById(reader, organizationId, id, kind)
    const { name, media_type, bytes } = await attachedFileById(reader, id, attachment_id)
    return reply
      .type(media_type)
      .headers({
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff'
      })
      .send(bytes)
  }

  async function add(
    kind: Kind,
    { organizationId, timeZone }: Caller,
    { id, name, body }: { id: number; name: string; body: unknown }
  ) {
    if (!(body instanceof Uint8Array) || body.length === 0)
      throw validationFailed(refusal('attachment_empty'))
    const file = { name: name.trim(), bytes: body }
    const row = await writer.run('attachments.add', { organizationId, id, kind, ...file })
    return ok(presentAttachment(row, timeZone))
  }

  async function remove(
    kind: Kind,
    { organizationId }: Caller,
    { id, attachment_id: attachmentId }: { id: number; attachment_id: number }
  ) {
    await writer.run('attachments.delete', { organizationId, id, kind, attachmentId })
    return ok(null)
  }

  return {
    'GET /campaigns/:id/attachments': ({ caller, params }) => list('campaign', caller, params.id),
    'GET /campaigns/:id/attachments/:attachment_id': ({ caller, params }, reply) =>
      download('campaign', caller, params, reply),
    'POST /campaigns/:id/attachments': ({ caller, params, query, body }) =>
      add('campaign', caller, { id: params.id, name: query.name, body }),
    'DELETE /campaigns/:id/attachments/:attachment_id': ({ caller, params }) =>
      remove('campaign', caller, params),
    'GET /templates/:id/attachments': ({ caller, params }) => list('template', caller, params.id),
    'GET /templates/:id/attachments/:attachment_id': ({ caller, params }, reply) =>
      download('template', caller, params, reply),
    'POST /templates/:id/attachments': ({ caller, params, query, body }) =>
      add('template', caller, { id: params.id, name: query.name, body }),
    'DELETE /templates/:id/attachments/:attachment_id': ({ caller, params }) =>
      remove('template', caller, params)
  }
})
