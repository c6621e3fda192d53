import { createSecretKey, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { makeToken, type TokenPurpose } from '../../src-main/api/subscribers/tokens.ts'
import { GateClient } from '../../src-main/gates/client.ts'
import { openText, sealText, targetSignature } from '../../src-main/gates/keys.ts'
import { callerOf, RateLimit } from '../../src-main/http/rate-limit.ts'
import { GateStore, type NewEvent } from '../../src-main/gate/store.ts'
import { temporaryDirectory } from '../support/application.ts'
import { openGate } from '../support/gate.ts'

const secret = createSecretKey(randomBytes(32))
const pageKey = randomBytes(16).toString('base64url')
const named = { subscriberId: 12, sliceId: 7 }

function token(purpose: TokenPurpose): string {
  return makeToken(secret, purpose, named)
}

/** A gate with one content of two links, of which the second holds a code. */
async function gateWithContent() {
  const gate = await openGate()
  const api = new GateClient(gate.address, gate.key)
  await api.giveSecret(secret)
  const pages = { unsubscribe: { en: '<p>Unsubscribe from Readers</p>', de: '<p>Readers abmelden</p>' } }
  const links = { '1': 'https://example.com/a', '2': 'https://example.com/?city=%%city%%' }
  const body = { links, pages: sealText(pageKey, JSON.stringify(pages)), message: null }
  await api.putContent('s7', JSON.stringify(body))
  const events = async (): Promise<string[]> => {
    const { epochs } = await api.status()
    const all = await Promise.all(epochs.map(({ epoch }) => api.events(epoch, 0)))
    return all.flatMap((fetched) => fetched.events.map(({ kind }) => kind))
  }
  return { ...gate, api, events }
}

function visit(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init })
}

/** Sends a request as it stands, which fetch would tidy up. */
async function sendRaw(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(text)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  await once(socket, 'close')
  return answer
}

describe('a gate under attack', () => {
  it.each([
    ['another recipient', (link: string) => link.replace('/12-', '/13-')],
    ['another content', (link: string) => link.replace('-7-', '-8-')],
    ['another signature', (link: string) => link.replace(/.{6}$/, '000000')],
    ['the token of another purpose', () => `/u/${token('open')}/${pageKey}`],
    [
      'a token of another installation',
      () => `/u/${makeToken(createSecretKey(randomBytes(32)), 'unsubscribe', named)}/${pageKey}`
    ]
  ])('unsubscribes no one by a link with %s', async (_, change) => {
    const { address, events } = await gateWithContent()
    const link = change(`/u/${token('unsubscribe')}`)

    const answer = await visit(`${address}${link}${link.endsWith(pageKey) ? '' : `/${pageKey}`}`, {
      method: 'POST'
    })

    expect(answer.status).toBe(404)
    expect(await events()).toEqual([])
  })

  it.each([
    ['a link that was not handed over', `/c/3/${token('click')}`],
    ['a target in the address of a link without codes', `/c/1/${token('click')}?to=https://evil.example`],
    ['a target that is not signed', `/c/2/${token('click')}?to=https://evil.example`],
    ['a wrong signature', `/c/2/${token('click')}?to=https://example.com/?city=Rome&s=${'0'.repeat(32)}`],
    [
      'a signed target elsewhere',
      `/c/2/${token('click')}?to=https://evil.example&s=${targetSignature(secret, 2, token('click'), 'https://evil.example')}`
    ],
    ['a name of JavaScript', `/c/__proto__/${token('click')}`],
    ['a second slash', `//evil.example/c/1/${token('click')}`]
  ])('redirects nowhere by %s', async (_, path) => {
    const { address } = await gateWithContent()

    const answer = await visit(address + path)

    const target = answer.headers.get('Location')
    expect(target === null || target === 'https://example.com/a').toBe(true)
  })

  it('redirects by a link whose codes the application has filled in', async () => {
    const { address } = await gateWithContent()
    const to = 'https://example.com/?city=Rome'
    const s = targetSignature(secret, 2, token('click'), to)

    const answer = await visit(`${address}/c/2/${token('click')}?to=${encodeURIComponent(to)}&s=${s}`)

    expect(answer.headers.get('Location')).toBe(to)
  })

  it.each([
    '/../gate.db',
    '/i/..%2f..%2fgate.db',
    '/i/%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/gate.db',
    '/w/../../x'
  ])('serves no file at %s', async (path) => {
    const { address } = await gateWithContent()

    const answer = await sendRaw(address, `GET ${path} HTTP/1.1\r\nHost: gate\r\nConnection: close\r\n\r\n`)

    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(answer).not.toContain('SQLite')
  })

  it('does nothing by HEAD or GET but note a visit', async () => {
    const { address, events } = await gateWithContent()

    await visit(`${address}/u/${token('unsubscribe')}/${pageKey}`)
    await visit(`${address}/u/${token('unsubscribe')}/${pageKey}`, { method: 'HEAD' })
    await visit(`${address}/c/1/${token('click')}`, { method: 'HEAD' })

    expect(new Set(await events())).toEqual(new Set(['visit']))
  })

  it('counts a link that is followed again and again only so often, and answers it every time', async () => {
    const { address, events } = await gateWithContent()

    const answers = await Promise.all(
      Array.from({ length: 200 }, () => visit(`${address}/o/${token('open')}`))
    )

    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect((await events()).length).toBeLessThanOrEqual(22)
  })

  it('answers an address that tries forged links less and less', async () => {
    const { address } = await gateWithContent()

    const statuses = []
    for (let number = 0; number < 100; number++) {
      statuses.push((await visit(`${address}/u/${number}-7-${'a'.repeat(40)}/x`, { method: 'POST' })).status)
    }

    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(65)
    expect(statuses.at(-1)).toBe(429)
    expect((await visit(`${address}/u/${token('unsubscribe')}/${pageKey}`, { method: 'POST' })).status).toBe(
      200
    )
  })

  it('locks out who guesses its key', async () => {
    const { address, key } = await gateWithContent()
    const ask = async (guess: string): Promise<number> =>
      (await visit(`${address}/gate/v1/status`, { headers: { Authorization: `Bearer ${guess}` } })).status

    const statuses = []
    for (let number = 0; number < 30; number++) statuses.push(await ask(`${key}x`))

    expect(statuses[0]).toBe(401)
    expect(statuses.at(-1)).toBe(429)
  })

  it.each([
    ['a long body', { method: 'POST', body: 'x'.repeat(10_000) }, 413],
    ['an unknown method', { method: 'DELETE' }, 404]
  ])('refuses %s', async (_, init, status) => {
    const { address, events } = await gateWithContent()

    const answer = await visit(`${address}/u/${token('unsubscribe')}/${pageKey}`, init)

    expect(answer.status).toBe(status)
    expect(await events()).toEqual([])
  })

  it('belongs to one installation', async () => {
    const { api } = await gateWithContent()

    await expect(api.giveSecret(createSecretKey(randomBytes(32)))).rejects.toMatchObject({ fault: 'foreign' })
  })

  it('is known by its address behind a server that terminates TLS, and by no other', async () => {
    const { address, api } = await gateWithContent()

    await visit(`${address}/o/${token('open')}`, {
      headers: { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }
    })

    const [{ epoch = '' } = {}] = (await api.status()).epochs
    expect((await api.events(epoch, 0)).events).toMatchObject([{ ip: '198.51.100.7' }])
  })
})

it('shows a page without names where the page key does not fit', async () => {
  const { address } = await gateWithContent()

  const page = await visit(`${address}/u/${token('unsubscribe')}/${randomBytes(16).toString('base64url')}`)

  expect(await page.text()).toContain('these messages')
})

it('opens sealed texts only with their key', () => {
  const sealed = sealText(pageKey, 'Hello')

  expect(openText(pageKey, sealed)).toBe('Hello')
  expect(openText(randomBytes(16).toString('base64url'), sealed)).toBeNull()
  expect(openText(pageKey, `${sealed.slice(0, -4)}AAAA`)).toBeNull()
  expect(openText('short', sealed)).toBeNull()
})

describe('a rate limit', () => {
  it('lets so many through at once, and then so many per second', () => {
    const limit = new RateLimit(2, 1)

    expect([0, 0, 0, 500, 1000].map((now) => limit.take('a', now))).toEqual([true, true, false, false, true])
    expect(limit.take('b', 0)).toBe(true)
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::5', '2001:db8:0:0']
  ])('takes %s for %s', (ip, caller) => {
    expect(callerOf(ip)).toBe(caller)
  })
})

describe('the events of a gate', () => {
  const event: NewEvent = {
    ...{ kind: 'open', token: 'x', purpose: 'open', link: '', ip: '192.0.2.1', is_machine: false },
    at: 1
  }

  it('have an epoch of their own at each start', async () => {
    const directory = await temporaryDirectory()
    for (const start of [1, 2]) {
      const store = new GateStore(directory)
      store.append(Array.from({ length: start }, () => event))
      store.close()
    }

    const store = new GateStore(directory)
    const epochs = store.epochs()
    store.close()

    expect(epochs.map(({ last }) => last)).toEqual([1, 2])
    expect(new Set(epochs.map(({ epoch }) => epoch)).size).toBe(2)
  })

  it('stay for 30 days after they were fetched, and as long as they were not', async () => {
    const store = new GateStore(await temporaryDirectory())
    store.append([event, event])
    const [{ epoch = '' } = {}] = store.epochs()

    store.acknowledge(epoch, 1)
    store.deleteOld(30 * 24 * 3_600_000)
    expect(store.events(epoch, 0, 10)).toHaveLength(2)
    store.deleteOld(31 * 24 * 3_600_000)
    expect(store.events(epoch, 0, 10).map(({ number }) => number)).toEqual([2])
    store.close()
  })
})
