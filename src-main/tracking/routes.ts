import type { KeyObject } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { imageByKey } from '../api/images/queries.ts'
import { isProgram } from '../api/statistics/machines.ts'
import { ApiError } from '../base/errors.ts'
import { signingSecret } from '../settings/queries.ts'
import { isSameText, targetSignature } from '../gates/keys.ts'
import { serveEndpoints } from '../http/serve.ts'
import { trackingEndpoints } from './endpoints.ts'
import { addressOfLink, formByToken, lookByToken } from './queries.ts'
import type { ConfirmationByLink } from '../api/web-forms/commands.ts'
import { pendingByToken } from '../api/web-forms/queries.ts'
import { readToken } from '../api/subscribers/tokens.ts'
import type { Language } from '../base/languages.ts'
import { lookOfList } from '../api/list-pages/queries.ts'
import { choosableLists } from '../api/subscribers/preferences.ts'
import { faultySignUpPage, rulesOf, signedUpPage, signUpPage } from '../api/web-forms/sign-up-page.ts'
import { explainError } from '../base/refusals/languages.ts'
import { callerOf, RateLimit } from '../http/rate-limit.ts'
import { type PageLook, plainLook } from '../public-pages/look.ts'
import { preferencesPage, readPreferences, withPreferencesLink } from '../public-pages/preferences.ts'
import {
  messagePolicy,
  pageLanguage,
  pagePolicy,
  type PublicPage,
  renderPage
} from '../public-pages/render.ts'
import { isComplete, readSignUp } from '../public-pages/sign-up.ts'
import { isUndo, type PageName, publicPage } from '../public-pages/texts.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** The targets of links in messages. */
export const trackingRoutes: FastifyPluginAsync = async (app) => {
  // What mail programs and forms post is a short text; what it says beside the address decides nothing but an undo.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => body)
  await app.register(followLinks)
}

/** Sign-ups at once and per second: all visitors come from this computer, by a server in front of it. */
const [signUpsAtOnce, signUpsPerSecond] = [100, 1]

const followLinks = serveEndpoints(trackingEndpoints, ({ reader, writer, contents }) => {
  const signUps = new RateLimit(signUpsAtOnce, signUpsPerSecond)
  return {
    'GET /o/:token': async ({ params: { token }, ip, method, headers }, reply) => {
      const isMachine = isProgram(headers['user-agent'])
      if (method === 'HEAD') await writer.run('tracking.visit', { token, purpose: 'open', link: 'HEAD' })
      else await writer.run('tracking.open', { token, ip, isMachine })
      return reply.type('image/gif').header('Cache-Control', 'no-store').send(pixel)
    },

    'GET /c/:link/:token': async ({ params, query, ip, method, headers, server }, reply) => {
      const { token, link } = params
      const secret = await signingSecret(reader)
      const named = readToken(secret, 'click', token)
      const written = named && (await addressOfLink(reader, named, link))
      const holdsCodes = written?.includes('%%') ?? false
      const target =
        named && written && holdsCodes
          ? (signedTarget(secret, { link, token, ...query }) ??
            (await contents.link(named, written, server.listeningOrigin)))
          : written
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
      return sendPage(reply, 'confirmAddress', form.language, await lookOfList(reader, list), pending.email)
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
        found ? await lookOfList(reader, found.list) : undefined
      )
    },

    // Programs open all links of a message to check them, which must not unsubscribe: that takes a POST.
    'GET /u/:token': async ({ params: { token }, query, headers }, reply) => {
      const look = await lookByToken(reader, token)
      const named = readToken(await signingSecret(reader), 'unsubscribe', token)
      if (!look || !named) return sendPage(reply.code(404), 'notOnAList', languageOf(headers))
      await writer.run('tracking.visit', { token, purpose: 'unsubscribe', link: 'unsubscribe' })
      const language = look.language ?? languageOf(headers)
      const lists = await choosableLists(reader, named)
      if (query.preferences !== undefined && lists.length > 0) {
        return sendRendered(reply, preferencesPage(language, look, lists), language)
      }
      const page = publicPage('unsubscribe', language, look)
      return sendRendered(reply, lists.length > 0 ? withPreferencesLink(page, language) : page, language)
    },

    // RFC 8058: mail programs send this request when their user unsubscribes.
    'POST /u/:token': async ({ params: { token }, query, body, headers, ip }, reply) => {
      const look = (await lookByToken(reader, token)) ?? plainLook
      const language = look.language ?? languageOf(headers)
      if (query.preferences !== undefined) {
        const preferences = readPreferences(body) ?? {}
        const isKnown = await writer.run('preferences.set', { token, preferences, ip })
        if (!isKnown) return sendPage(reply.code(404), 'notOnAList', language)
        return sendPage(reply, 'preferencesSaved', language, { ...look, list: '' })
      }
      if (isUndo(body)) {
        const isUndone = await writer.run('subscribers.undoByToken', { token })
        return sendPage(reply, isUndone ? 'resubscribed' : 'tooLate', language, look)
      }
      try {
        await writer.run('subscribers.unsubscribeByToken', { organizationId: null, token, ip })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return sendPage(reply.code(404), 'notOnAList', language)
      }
      return sendPage(reply, 'unsubscribed', language, look)
    },

    'GET /f/:token': async ({ params: { token }, headers }, reply) => {
      const found = await formByToken(reader, token)
      if (!found) return sendPage(reply.code(404), 'unknownLink', languageOf(headers))
      return sendRendered(reply, signUpPage(found), found.form.language)
    },

    'POST /f/:token': async ({ params: { token }, body, headers, ip }, reply) => {
      const found = await formByToken(reader, token)
      if (!found) return sendPage(reply.code(404), 'unknownLink', languageOf(headers))
      const { language } = found.form
      const signUp = readSignUp(body)
      // A program learns nothing from the answer.
      if (signUp === null) return sendRendered(reply, signedUpPage(found), language)
      if (!isComplete(signUp, rulesOf(found))) {
        return sendRendered(reply.code(400), faultySignUpPage(found), language)
      }
      if (!signUps.take(callerOf(ip), Date.now())) return sendPage(reply.code(429), 'busy', language)
      try {
        await writer.run('webForms.signUp', { formId: found.form.id, signUp, ip })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const sentence = explainError(error, language)
        return sendRendered(reply.code(400), faultySignUpPage(found, sentence), language)
      }
      return sendRendered(reply, signedUpPage(found), language)
    }
  }
})

/** Returns the target that a link carries; null if it carries none that was signed here. */
function signedTarget(
  secret: KeyObject,
  { link, token, to, s: signature = '' }: { link: number; token: string; to?: string; s?: string }
): string | null {
  if (to === undefined) return null
  return isSameText(signature, targetSignature(secret, link, token, to)) ? to : null
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
  look?: PageLook,
  email?: string
): FastifyReply {
  return sendRendered(reply, publicPage(name, language, look, email), language)
}

function sendRendered(reply: FastifyReply, page: PublicPage, language: Language): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'Content-Security-Policy': pagePolicy, 'Cache-Control': 'no-store' })
    .send(renderPage(page, language))
}
