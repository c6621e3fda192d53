import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { imageByKey } from '../api/images/queries.ts'
import { isProgram } from '../api/statistics/machines.ts'
import { ApiError } from '../base/errors.ts'
import { signingSecret } from '../settings/queries.ts'
import { serveEndpoints } from '../http/serve.ts'
import { trackingEndpoints } from './endpoints.ts'
import { addressOfLink } from './queries.ts'
import type { ConfirmationByLink } from '../api/web-forms/commands.ts'
import { pendingByToken } from '../api/web-forms/queries.ts'
import type { FormLanguage } from '../api/web-forms/schema.ts'
import { readToken } from '../api/subscribers/tokens.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** The targets of links in messages. */
export const trackingRoutes: FastifyPluginAsync = async (app) => {
  // The bodies that mail programs and forms post are ignored: the address says everything.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async () => undefined)
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
    if (address === null) return page(reply, 'This link does not work', 'The message that it was in is gone.')
    const isMachine = isProgram(headers['user-agent'])
    if (method === 'HEAD') await writer.run('tracking.visit', { token, purpose: 'click', link: 'HEAD' })
    else await writer.run('tracking.click', { token, ip, linkId: link, isMachine })
    return reply.header('Cache-Control', 'no-store').redirect(address)
  },

  'GET /i/:key': async ({ params }, reply) => {
    const image = await imageByKey(reader, params.key)
    if (!image) return page(reply.code(404), 'This picture is not there', 'No message here shows it.')
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

  'GET /w/:token': async ({ params, server }, reply) => {
    const named = readToken(await signingSecret(reader), 'view', params.token)
    const message = named && (await contents.message(named, server.listeningOrigin))
    if (!message) return page(reply, 'This message is no longer available', 'Its sender has removed it.')
    await writer.run('tracking.visit', { token: params.token, purpose: 'view', link: 'web version' })
    void reply.header('Content-Security-Policy', messagePolicy)
    return message.html === undefined
      ? reply.type('text/plain; charset=utf-8').send(message.text)
      : reply.type('text/html; charset=utf-8').send(message.html)
  },

  // Programs open all links of a message to check them, which must not confirm anything: that takes a POST.
  'GET /s/:token': async ({ params }, reply) => {
    const found = await pendingByToken(reader, params.token, Date.now())
    if (!found) return page(reply.code(404), 'This link does not work', 'It was used, or it is too old.')
    const { form, list, pending } = found
    const { title, sentence, action } = confirmationPages[form.language].ask
    const filled = sentence
      .replace('{email}', () => escape(pending.email))
      .replace('{list}', () => escape(list.name))
    return page(reply, title, filled, action, form.language)
  },

  'POST /s/:token': async ({ params: { token }, ip }, reply) => {
    const found = await pendingByToken(reader, token, Date.now())
    const language = found?.form.language ?? 'en'
    const outcome = await confirmed(() => writer.run('webForms.confirmByLink', { token, ip }))
    const { title, sentence } = confirmationPages[language][outcome]
    const filled = sentence.replace('{list}', () => escape(found?.list.name ?? ''))
    const isDone = outcome === 'confirmed' || outcome === 'there_already'
    return page(reply.code(isDone ? 200 : 404), title, filled, undefined, language)
  },

  // Programs open all links of a message to check them, which must not unsubscribe: that takes a POST.
  'GET /u/:token': async ({ params: { token } }, reply) => {
    await writer.run('tracking.visit', { token, purpose: 'unsubscribe', link: 'unsubscribe' })
    return page(
      reply,
      'Unsubscribe',
      'Press the button to get no more messages from this list.',
      'Unsubscribe'
    )
  },

  // RFC 8058: mail programs send this request when their user unsubscribes.
  'POST /u/:token': async ({ params, ip }, reply) => {
    try {
      await writer.run('subscribers.unsubscribeByToken', { organizationId: null, token: params.token, ip })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return page(reply.code(404), 'This link does not work', 'It does not belong to anyone on a list here.')
    }
    return page(reply, 'You are unsubscribed', 'You will get no more messages from this list.')
  }
}))

/** Contents are written by others: they may show images and run nothing. */
const messagePolicy =
  "default-src 'none'; img-src * data:; style-src 'unsafe-inline'; font-src *; sandbox allow-popups allow-top-navigation-by-user-activation"
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

/** The pages of confirmation messages, by the language of the form. */
const confirmationPages = {
  en: {
    ask: {
      title: 'Confirm your address',
      sentence: 'Press the button to get “{list}” at {email}.',
      action: 'Confirm'
    },
    confirmed: { title: 'Thank you', sentence: 'Your address is confirmed: you will get “{list}”.' },
    there_already: { title: 'You are subscribed', sentence: 'You get “{list}” already.' },
    gone: { title: 'This link does not work', sentence: 'It was used, or it is too old.' },
    refused: {
      title: 'This did not work',
      sentence: '“{list}” cannot take your address now. Please tell its sender.'
    }
  },
  de: {
    ask: {
      title: 'Adresse bestätigen',
      sentence: 'Mit dem Knopf bestätigen Sie, dass Sie „{list}“ an {email} erhalten möchten.',
      action: 'Bestätigen'
    },
    confirmed: { title: 'Danke', sentence: 'Ihre Adresse ist bestätigt: Sie erhalten „{list}“.' },
    there_already: { title: 'Sie sind angemeldet', sentence: 'Sie erhalten „{list}“ bereits.' },
    gone: { title: 'Dieser Link funktioniert nicht', sentence: 'Er wurde schon benutzt oder ist zu alt.' },
    refused: {
      title: 'Das hat nicht geklappt',
      sentence: '„{list}“ kann Ihre Adresse gerade nicht aufnehmen. Bitte sagen Sie es dem Absender.'
    }
  }
} satisfies Record<FormLanguage, Record<string, { title: string; sentence: string; action?: string }>>

/** The list may refuse a subscriber whom it would have taken before, such as over its organization's limit. */
async function confirmed(work: () => Promise<ConfirmationByLink>): Promise<ConfirmationByLink | 'refused'> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return 'refused'
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escape(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? character)
}

/** @param sentence HTML */
function page(
  reply: FastifyReply,
  title: string,
  sentence: string,
  action?: string,
  language: FormLanguage = 'en'
): FastifyReply {
  const form = action === undefined ? '' : `<form method="post"><button>${action}</button></form>`
  return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy)
    .send(`<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
button { font: inherit; padding: .5rem 1rem }
</style>
<h1>${title}</h1><p>${sentence}</p>${form}</html>`)
}
