import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { imageByKey } from '../api/images/queries.ts'
import { isProgram } from '../api/statistics/machines.ts'
import { ApiError } from '../base/errors.ts'
import { signingSecret } from '../settings/queries.ts'
import { serveEndpoints } from '../http/serve.ts'
import { trackingEndpoints } from './endpoints.ts'
import { addressOfLink, listNamesByToken } from './queries.ts'
import type { ConfirmationByLink } from '../api/web-forms/commands.ts'
import { pendingByToken } from '../api/web-forms/queries.ts'
import { readToken } from '../api/subscribers/tokens.ts'
import type { Language } from '../base/languages.ts'
import { messagePolicy, pageLanguage, pagePolicy, renderPage } from '../public-pages/render.ts'
import { isUndo, type ListNames, type PageName, publicPage } from '../public-pages/texts.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** The targets of links in messages. */
export const trackingRoutes: FastifyPluginAsync = async (app) => {
  // What mail programs and forms post is a short text; what it says beside the address decides nothing but an undo.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => body)
  await app.register(followLinks)
}

const followLinks = serveEndpoints(trackingEndpoints, ({ reader, writer, contents }) => ({
  'GET /o/:token': async ({ params: { token }, ip, method, headers }, reply) => {
    const isMachine = isProgram(headers['user-agent'])
    if (method === 'HEAD') await writer.run('tracking.visit', { token, purpose: 'open', link: 'HEAD' })
    else await writer.run('tracking.open', { token, ip, isMachine })
    return reply.type('image/gif').header('Cache-Control', 'no-store').send(pixel)
  },

  'GET /c/:link/:token': async ({ params, ip, method, headers, server }, reply) => {
    const { token, link } = params
    const named = readToken(await signingSecret(reader), 'click', token)
    const written = named && (await addressOfLink(reader, named, link))
    const holdsCodes = written?.includes('%%') ?? false
    const target =
      named && written && holdsCodes ? await contents.link(named, written, server.listeningOrigin) : written
    // Headers hold only Latin-1. URL encodes other letters as browsers do.
    const address = target && URL.canParse(target) ? new URL(target).href : null
    if (address === null) return sendPage(reply, 'unknownLink', languageOf(headers))
    const isMachine = isProgram(headers['user-agent'])
    if (method === 'HEAD') await writer.run('tracking.visit', { token, purpose: 'click', link: 'HEAD' })
    else await writer.run('tracking.click', { token, ip, linkId: link, isMachine })
    return reply.header('Cache-Control', 'no-store').redirect(address)
  },

  'GET /i/:key': async ({ params, headers }, reply) => {
    const image = await imageByKey(reader, params.key)
    if (!image) return sendPage(reply.code(404), 'noImage', languageOf(headers))
    return reply
      .type(image.media_type)
      .headers({
        // The key is a digest of the picture, so what it names never changes.
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': "default-src 'none'",
        'X-Content-Type-Options': 'nosniff'
      })
      .send(image.bytes)
  },

  'GET /w/:token': async ({ params, headers, server }, reply) => {
    const named = readToken(await signingSecret(reader), 'view', params.token)
    const message = named && (await contents.message(named, server.listeningOrigin))
    if (!message) return sendPage(reply, 'noMessage', languageOf(headers))
    await writer.run('tracking.visit', { token: params.token, purpose: 'view', link: 'web version' })
    void reply.header('Content-Security-Policy', messagePolicy)
    return message.html === undefined
      ? reply.type('text/plain; charset=utf-8').send(message.text)
      : reply.type('text/html; charset=utf-8').send(message.html)
  },

  // Programs open all links of a message to check them, which must not confirm anything: that takes a POST.
  'GET /s/:token': async ({ params, headers }, reply) => {
    const found = await pendingByToken(reader, params.token, Date.now())
    if (!found) return sendPage(reply.code(404), 'gone', languageOf(headers))
    const { form, list, pending } = found
    return sendPage(reply, 'confirmAddress', form.language, namesOf(list), pending.email)
  },

  'POST /s/:token': async ({ params: { token }, headers, ip }, reply) => {
    const found = await pendingByToken(reader, token, Date.now())
    const language = found?.form.language ?? languageOf(headers)
    const outcome = await confirmed(() => writer.run('webForms.confirmByLink', { token, ip }))
    const isDone = outcome === 'confirmed' || outcome === 'there_already'
    return sendPage(
      reply.code(isDone ? 200 : 404),
      outcome,
      language,
      found ? namesOf(found.list) : undefined
    )
  },

  // Programs open all links of a message to check them, which must not unsubscribe: that takes a POST.
  'GET /u/:token': async ({ params: { token }, headers }, reply) => {
    const names = await listNamesByToken(reader, token)
    if (!names) return sendPage(reply.code(404), 'notOnAList', languageOf(headers))
    await writer.run('tracking.visit', { token, purpose: 'unsubscribe', link: 'unsubscribe' })
    return sendPage(reply, 'unsubscribe', languageOf(headers), names)
  },

  // RFC 8058: mail programs send this request when their user unsubscribes.
  'POST /u/:token': async ({ params: { token }, body, headers, ip }, reply) => {
    const names = await listNamesByToken(reader, token)
    const language = languageOf(headers)
    if (isUndo(body)) {
      const isUndone = await writer.run('subscribers.undoByToken', { token })
      return sendPage(reply, isUndone ? 'resubscribed' : 'tooLate', language, names ?? undefined)
    }
    try {
      await writer.run('subscribers.unsubscribeByToken', { organizationId: null, token, ip })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return sendPage(reply.code(404), 'notOnAList', language)
    }
    return sendPage(reply, 'unsubscribed', language, names ?? undefined)
  }
}))

function namesOf(list: { name: string; d_from_name: string | null }): ListNames {
  return { list: list.name, sender: list.d_from_name ?? '' }
}

function languageOf(headers: IncomingHttpHeaders): Language {
  return pageLanguage(headers['accept-language'])
}

/** The list may refuse a subscriber whom it would have taken before, such as over its organization's limit. */
async function confirmed(work: () => Promise<ConfirmationByLink>): Promise<ConfirmationByLink | 'refused'> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return 'refused'
  }
}

function sendPage(
  reply: FastifyReply,
  name: PageName,
  language: Language,
  names?: ListNames,
  email?: string
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-store' })
    .send(renderPage(publicPage(name, language, names, email), language))
}
