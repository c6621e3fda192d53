import { createSecretKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { CampaignProgress } from '../../src-main/workbench/campaigns/endpoints.ts'
import type { GateTest, UrlDomain } from '../../src-main/api/delivery-settings/schema.ts'
import { makeToken } from '../../src-main/api/subscribers/tokens.ts'
import { startGate } from '../../src-main/gate/gate.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { GateStore } from '../../src-main/gate/store.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  expectSuccess,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import { addGate, fetchNow, openGate } from '../support/gate.ts'
import { type FiledMessage, messagesIn, outboxOf } from '../support/outbox.ts'
import { until } from '../support/smtp-route.ts'

const started = sharedApplication()
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36'

const html = `<html><body><p>Hello %%city%%</p>
<a href="https://example.com/?city=%%city%%&amp;x=1">Offer</a> <a href="http://example.com/B">B</a>
<a href="%%unsubscribe_link%%">Unsubscribe</a> <a href="%%link_to_web_version%%">Web</a></body></html>`

/** A campaign to one recipient whose links go through a gate. */
async function sentThroughGate(directory?: string) {
  const { api, dataDirectory } = started
  const gate = await openGate(directory)
  const domainId = await addGate(api, gate)
  const list = await makeList(api, { d_from_name: 'Bakery' })
  await makeField(api, list.id, 'City', 'text')
  await makeSubscriber(api, list.id, 'p@example.com', { custom_fields: { City: 'Zürich & more' } })
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: {
      from_email: 'sender@example.com',
      url_domain_id: domainId,
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  const campaign = await api.sent(id)
  const [message] = await outboxOf(dataDirectory, id)
  const status = async (): Promise<string> => {
    const [found] = await allSubscribers(api, list.id)
    return found?.status ?? ''
  }
  const summary = async () => expectSuccess(await api.get<CampaignDetail>(`/campaigns/${id}`)).stat_summary
  return { gate, domainId, list, campaign, message, links: linksIn(message), status, summary }
}

/** The addresses in a message, in order; the picture that counts opens comes last. */
function linksIn({ body } = {} as FiledMessage): string[] {
  return [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
}

function follow(url = '', init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init, headers: { 'User-Agent': browser, ...init.headers } })
}

function oneClick(url = ''): Promise<Response> {
  return follow(url, {
    method: 'POST',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
  })
}

describe('links through a gate', () => {
  it('lead to their targets, and are counted once the application has fetched', async () => {
    const { links, gate, domainId, summary } = await sentThroughGate()
    const [offer, other, , , pixel] = links
    expect(links.every((link) => link.startsWith(gate.address))).toBe(true)

    expect((await follow(offer)).headers.get('Location')).toBe(
      'https://example.com/?city=Z%C3%BCrich%20%26%20more&x=1'
    )
    expect((await follow(other)).headers.get('Location')).toBe('http://example.com/B')
    expect((await follow(pixel)).headers.get('Content-Type')).toBe('image/gif')
    await fetchNow(started.api, domainId)

    await until(async () => (await summary())?.clicks_total === 2)
    expect(await summary()).toMatchObject({ opens_unique: 1, clicks_unique: 1, clicks_unique_by_link: 2 })
  })

  it('unsubscribe by a POST as mailbox providers send it, for the campaign, and never by GET or HEAD', async () => {
    const { links, message, domainId, status, summary } = await sentThroughGate()
    expect(message?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const unsubscribe = links[2]

    const page = await follow(unsubscribe)
    expect(await page.text()).toContain('Press the button to stop getting')
    await follow(unsubscribe, { method: 'HEAD' })
    await fetchNow(started.api, domainId)
    expect(await status()).toBe('active')
    expect((await oneClick(unsubscribe)).status).toBe(200)
    await fetchNow(started.api, domainId)

    await until(async () => (await status()) === 'unsubscribed')
    expect(await summary()).toMatchObject({ unsubs_total: 1, unsubs_unique: 1, unsubs_status_updated: 1 })
  })

  it('let an unsubscribe be undone on its page', async () => {
    const { links, domainId, status, summary } = await sentThroughGate()

    const page = await follow(links[2], { method: 'POST' })
    expect(await page.text()).toContain('name="undo"')
    const undone = await follow(links[2], {
      method: 'POST',
      body: 'undo=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': 'de' }
    })
    expect(await undone.text()).toContain('Sie sind wieder angemeldet')
    await oneClick(links[4])
    await follow(links[4])
    await fetchNow(started.api, domainId)

    await until(async () => (await summary())?.opens_total === 1)
    expect(await status()).toBe('active')
    expect(await summary()).toMatchObject({ unsubs_total: 0, unsubs_unique: 0, unsubs_status_updated: 0 })
  })

  it('show the web version, which names no recipient and unsubscribes its reader', async () => {
    const { links, list, domainId, status } = await sentThroughGate()

    const web = await (await follow(links[3])).text()
    expect(web).toContain('Hello')
    expect(web).not.toContain('Zürich')
    const unsubscribe = linksIn({ body: web } as FiledMessage).find((link) => link.startsWith('/u/'))
    expect(unsubscribe).toBe(new URL(links[2] ?? '').pathname)
    expect(await (await follow(links[2])).text()).toContain(list.name)
    await oneClick(links[2])
    await fetchNow(started.api, domainId)

    await until(async () => (await status()) === 'unsubscribed')
  })
})

it('the links of an autoresponder lead on after it stopped counting them', async () => {
  const { api, dataDirectory } = started
  const gate = await openGate()
  const url_domain_id = await addGate(api, gate)
  const list = await makeList(api)
  const { id } = await makeAutoresponder(api, list.id, 'Welcome', {
    ...{ from_email: 'a@example.com', use_external_delivery_setting: false, track_links: true },
    ...{ content_subject: 'Hello', content_format: 'html', content_html: html, trigger: 'subscription' },
    ...{ delay: 'immediately', trigger_run_on_api: true },
    url_domain_id
  })
  const messages = (): Promise<FiledMessage[]> =>
    messagesIn(join(dataDirectory, 'outbox', `autoresponder-${id}.mbox`))
  await makeSubscriber(api, list.id, 'first@example.com')
  await until(async () => (await messages()).length === 1)
  const [, link] = linksIn((await messages())[0])

  const autoresponder = { track_links: false }
  expectSuccess(await api.put(`/mailing_lists/${list.id}/autoresponders/${id}`, { autoresponder }))
  await makeSubscriber(api, list.id, 'second@example.com')
  await until(async () => (await messages()).length === 2)

  expect((await follow(link)).headers.get('Location')).toBe('http://example.com/B')
})

describe('events of a gate', () => {
  it('are fetched although a link came with spaces, or with an address that is none', async () => {
    const { links, domainId, status } = await sentThroughGate()
    const padded = (links[2] ?? '').replace(/\/([^/]+)$/, `${'%20'.repeat(40)}/$1`)

    expect((await oneClick(padded)).status).toBe(404)
    await follow(links[4], { headers: { 'X-Forwarded-For': 'x'.repeat(60) } })
    await oneClick(links[2])
    await fetchNow(started.api, domainId)

    await until(async () => (await status()) === 'unsubscribed')
  })

  it('change no subscriber of another organization, whose administrators chose the gate', async () => {
    const { list, status } = await sentThroughGate()
    const [reader] = await allSubscribers(started.api, list.id)
    const other = await systemAdminIn(started.app, await makeOrganization(started))
    const gate = await openGate()
    const domainId = await addGate(other, gate)
    const fetchedAt = async (): Promise<string | null | undefined> =>
      expectSuccess(await other.get<UrlDomain[]>('/url_domains')).find(({ id }) => id === domainId)
        ?.fetched_at
    await until(async () => typeof (await fetchedAt()) === 'string')
    await gate.close()
    const store = new GateStore(gate.directory)
    const secret = createSecretKey(Buffer.from(store.setting('link_secret') ?? '', 'hex'))
    const token = makeToken(secret, 'unsubscribe', { subscriberId: reader?.id ?? 0, sliceId: 0 })
    const forged = {
      kind: 'unsubscribe',
      purpose: 'unsubscribe',
      token,
      link: '',
      ip: '',
      is_machine: false
    } as const
    store.append([{ ...forged, at: Date.now() }])
    store.close()

    const again = await startGate({
      ...{
        dataDirectory: gate.directory,
        port: Number(new URL(gate.address).port),
        host: '127.0.0.1',
        tls: null
      }
    })
    onTestFinished(() => again.close())
    await pause(1100)
    const before = await fetchedAt()
    await fetchNow(other, domainId)
    await until(async () => (await fetchedAt()) !== before)

    expect(await status()).toBe('active')
  })
})

describe('an undone unsubscribe', () => {
  it('leaves nothing behind, however often the button was pressed before', async () => {
    const { links, domainId, status, summary } = await sentThroughGate()

    await follow(links[2], { method: 'POST' })
    await follow(links[2], { method: 'POST' })
    await follow(links[2], { method: 'POST', body: 'undo=1' })
    await follow(links[4])
    await fetchNow(started.api, domainId)

    await until(async () => (await summary())?.opens_total === 1)
    expect(await status()).toBe('active')
    expect(await summary()).toMatchObject({ unsubs_total: 0, unsubs_unique: 0, unsubs_status_updated: 0 })
  })

  it('stays as a user has set it since', async () => {
    const { api } = started
    const { links, list, domainId, status } = await sentThroughGate()
    const set = async (to: string): Promise<void> => {
      const [found] = await allSubscribers(api, list.id)
      const path = `/mailing_lists/${list.id}/subscribers/${found?.id ?? 0}`
      expectSuccess(await api.put(path, { subscriber: { status: to } }))
    }
    await follow(links[2], { method: 'POST' })
    await fetchNow(api, domainId)
    await until(async () => (await status()) === 'unsubscribed')

    await set('active')
    await set('unsubscribed')
    await follow(links[2], { method: 'POST', body: 'undo=1' })
    await follow(links[4])
    await fetchNow(api, domainId)
    await pause(1500)

    expect(await status()).toBe('unsubscribed')
  })
})

describe('a gate', () => {
  it('is the only one in its folder', async () => {
    const { directory } = await openGate()

    await expect(openGate(directory)).rejects.toThrow(/^Another gate is using /)
  })

  it('keeps pages in a form that only links open', async () => {
    const { links, gate, list } = await sentThroughGate()
    const [, , unsubscribe = ''] = links

    await gate.close()
    const database = await readFile(`${gate.directory}/gate.db`, 'latin1')

    expect(database).not.toContain(list.name)
    expect(database).not.toContain('Press the button')
    expect(database).not.toContain('p@example.com')
    expect(unsubscribe).not.toContain('example.com')
  })

  it('is tested by a visit that comes back', async () => {
    const { api } = started
    const gate = await openGate()
    const id = await addGate(api, gate)

    const test = expectSuccess(await api.post<GateTest>(`/url_domains/${id}/test`))
    expect(test).toMatchObject({ is_open: true, words: '' })
    expect(test.milliseconds).toBeLessThan(5000)
    await api.put(`/url_domains/${id}`, { url_domain: { secret: 'x'.repeat(32) } })
    const refused = expectSuccess(await api.post<GateTest>(`/url_domains/${id}/test`))
    expect(refused.words).toContain('refuses its key')
  })

  it('says in the settings why it cannot be used', async () => {
    const { api } = started
    const id = await addGate(api, { address: 'http://127.0.0.1:9', key: 'x'.repeat(32) })

    const found = async (): Promise<UrlDomain | undefined> =>
      expectSuccess(await api.get<UrlDomain[]>('/url_domains')).find((each) => each.id === id)
    await until(async () => (await found())?.error_message !== null)

    expect(await found()).toMatchObject({
      kind: 'gate',
      domain: '127.0.0.1:9',
      has_secret: true,
      fetched_at: null
    })
    expect((await found())?.error_message).toMatch(/^the gate http:\/\/127\.0\.0\.1:9 cannot be used: “/)
  })
})

it('a campaign waits for a gate that cannot be reached, and goes on once its address is right', async () => {
  const { api } = started
  const domainId = await addGate(api, { address: 'http://127.0.0.1:1', key: 'x'.repeat(24) })
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'p@example.com')
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'text', text: 'Hello' }],
    dispatch_attributes: {
      ...{ from_email: 'sender@example.com', url_domain_id: domainId },
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  const fault = async (): Promise<string | null> =>
    (await api.workbench<CampaignProgress>('GET', `/campaigns/${id}/progress`)).data.error_message
  await until(async () => (await fault()) !== null)
  const waiting = await fault()
  const { data: before } = await api.get<CampaignDetail>(`/campaigns/${id}`)

  const { address, key } = await openGate()
  expectSuccess(await api.put(`/url_domains/${domainId}`, { url_domain: { address, secret: key } }))
  const { dispatch } = await api.sent(id, 20_000)

  expect(waiting).toMatch(/^the gate http:\/\/127\.0\.0\.1:1 cannot be used: “/)
  expect(before.stat_summary?.messages_sent).toBe(0)
  expect(dispatch?.state).toBe('finished')
  expect(await fault()).toBeNull()
})
