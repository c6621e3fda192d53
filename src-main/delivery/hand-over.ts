import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { imageByKey } from '../api/images/queries.ts'
import { imageKeysIn } from '../api/images/rules.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { languages, type Language } from '../base/languages.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { GateClient, GateUnavailable } from '../gates/client.ts'
import { gateSecretOf, pageKeyOf, sealText } from '../gates/keys.ts'
import {
  type GateContent,
  type SealedMessage,
  type SealedPages,
  unsubscribeMark,
  webVersionMark
} from '../gates/protocol.ts'
import { lookOfList } from '../api/list-pages/queries.ts'
import { offeredLists } from '../api/subscribers/preferences.ts'
import { preferencesPage, withPreferencesLink } from '../public-pages/preferences.ts'
import { type PublicPage, renderPage } from '../public-pages/render.ts'
import { type PageName, publicPage } from '../public-pages/texts.ts'
import { shownHtml } from './frame.ts'
import { MessageLinks } from './links.ts'
import { type Addressee, gateOfLinks, MessageComposer } from './message.ts'
import type { MessagePlan, PlannedContent } from './plan.ts'

/** A content before it is sealed. */
interface OpenContent {
  /** `s` and the statistics id, or `f` and the id of a form. */
  key: string
  links: Record<string, string>
  pages: SealedPages
  message: SealedMessage | null
  /** The keys of its images. */
  images: string[]
}

interface Services {
  reader: Kysely<Schema>
  client: Pick<Writer, 'run'>
  /** The keys of gates, by URL domain; null = one cannot be read. */
  gateKeys: Readonly<Record<number, string | null>>
  signal?: AbortSignal
}

/**
 * Hands over to the gate of a plan what its messages link to, before the first of them leaves. What it has already is not sent again.
 * @returns why that could not be done; null if it was, or if the links do not go through a gate
 */
export async function handOver(services: Services, plan: MessagePlan): Promise<Refusal | null> {
  const { gate } = plan
  if (!gate) return null
  const { reader, client, gateKeys, signal } = services
  const key = gateKeys[gate.urlDomainId] ?? null
  if (key === null) return refusal('gate_no_key', { address: gate.address })
  const api = new GateClient(gate.address, key, signal)
  try {
    for (const open of await contentsOf(reader, plan)) {
      // A preview is no message of a campaign that has begun: of it, only the images have to be there.
      if (open.key === 's0') {
        await putImages(reader, api, open.images)
        continue
      }
      const stored = await client.run('gates.storeContent', {
        urlDomainId: gate.urlDomainId,
        key: open.key,
        sourceDigest: createHash('sha256').update(JSON.stringify(open)).digest('hex'),
        body: JSON.stringify(sealed(open, pageKeyOf(plan.signingSecret, open.key))),
        images: open.images
      })
      if (stored === null) continue
      await api.giveSecret(gateSecretOf(plan.signingSecret, plan.organizationId))
      await putImages(reader, api, open.images)
      await api.putContent(open.key, stored.body)
      await client.run('gates.recordHandedOver', { urlDomainId: gate.urlDomainId, ...stored })
    }
    return null
  } catch (error) {
    if (!(error instanceof GateUnavailable)) throw error
    return gateRefusal(gate.address, error)
  }
}

/** Returns why a gate cannot be used, as a sentence for the user. */
export function gateRefusal(address: string, { fault, message }: GateUnavailable): Refusal {
  if (fault === 'key') return refusal('gate_refuses_key', { address })
  if (fault === 'foreign') return refusal('gate_foreign', { address })
  return refusal('gate_unreachable', { address, words: message })
}

/** Sends images to a gate; one that was deleted meanwhile is left out. */
export async function putImages(
  reader: Kysely<Schema>,
  api: GateClient,
  keys: readonly string[]
): Promise<void> {
  for (const key of keys) {
    const image = await imageByKey(reader, key)
    if (image) await api.putImage(key, image.media_type, image.bytes)
  }
}

async function contentsOf(reader: Kysely<Schema>, plan: MessagePlan): Promise<OpenContent[]> {
  const links = await linksOfSlices(
    reader,
    plan.contents.map(({ sliceId }) => sliceId)
  )
  const look = await lookOfList(reader, { ...plan.list, d_from_name: plan.sender.from_name ?? null })
  const lists = (await offeredLists(reader, plan.organizationId, plan.list.id)).map((list) => ({
    ...list,
    isOn: null
  }))
  const inLanguages = (pageIn: (language: Language) => PublicPage): SealedPages[string] => {
    const rendered = (visitors: Language): string => {
      const language = look.language ?? visitors
      return renderPage(pageIn(language), language)
    }
    return { en: rendered('en'), de: rendered('de') } satisfies Record<keyof typeof languages, string>
  }
  const pagesOf = (...wanted: PageName[]): SealedPages =>
    Object.fromEntries(
      wanted.map((name) => [name, inLanguages((language) => publicPage(name, language, look))])
    )
  const preferencePages = (): SealedPages => ({
    unsubscribe: inLanguages((language) =>
      withPreferencesLink(publicPage('unsubscribe', language, look), language)
    ),
    preferences: inLanguages((language) => preferencesPage(language, look, lists)),
    preferencesSaved: inLanguages((language) =>
      publicPage('preferencesSaved', language, { ...look, list: '' })
    )
  })
  return plan.contents.map((content) => {
    const images = imageKeysIn(shownHtml(plan.frame, [content]).join(''))
    if (plan.asksToConfirm) {
      const pages = pagesOf('confirm', 'confirmed')
      return { key: `f${content.id}`, links: {}, pages, message: null, images }
    }
    return {
      key: `s${content.sliceId}`,
      links: Object.fromEntries((links.get(content.sliceId) ?? []).map(({ id, url }) => [id, url])),
      pages: {
        ...pagesOf('unsubscribe', 'unsubscribed', 'resubscribed', 'tooLate'),
        ...(lists.length > 0 && preferencePages())
      },
      message: webVersionOf(plan, content),
      images
    }
  })
}

/** Returns all links that messages of some contents may have, also those that are not counted any more. */
async function linksOfSlices(reader: Kysely<Schema>, sliceIds: number[]) {
  const rows = await reader
    .selectFrom('stat_links')
    .select(['id', 'url', 'stat_slice_id'])
    .where('stat_slice_id', 'in', sliceIds)
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, (row) => row.stat_slice_id)
}

/** Leaves all codes blank: a gate knows nobody. */
const nobody: Addressee = {
  id: 0,
  email: '',
  subscribe_time: 0,
  subscribe_ip: null,
  values: {},
  format: null
}

/** Returns the web version of a content, which is the same for all recipients. Its links are not counted. */
function webVersionOf(plan: MessagePlan, content: PlannedContent): SealedMessage {
  const composer = new MessageComposer({
    ...plan,
    tracksOpens: false,
    contents: [{ ...content, links: [] }]
  })
  const { html, text = '' } = composer.write(content.id, nobody)
  const targets = { linkBase: plan.linkBase, gate: gateOfLinks(plan), mailbox: '', carriesTargets: false }
  const own = new MessageLinks(targets, plan.signingSecret, { subscriberId: 0, sliceId: content.sliceId })
  const body = (html ?? text)
    .replaceAll(own.unsubscribe, unsubscribeMark)
    .replaceAll(own.webVersion, webVersionMark)
  return { type: html === undefined ? 'text/plain' : 'text/html', body }
}

function sealed({ links, pages, message }: OpenContent, pageKey: string): GateContent {
  return {
    links,
    pages: sealText(pageKey, JSON.stringify(pages)),
    message: message && sealText(pageKey, JSON.stringify(message))
  }
}
