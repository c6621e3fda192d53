import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import type { Endpoint, EndpointGroup } from '../../src-main/http/endpoint.ts'
import { temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { importText, makeCampaign, makeField, makeList, makeSegment } from '../support/builders.ts'
import { roundsToRun } from '../support/long.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { type Random, someOf, valueOf } from './values.ts'

// Every call of the API and of the window, with what its schema asks for and with what it does not. An answer of 500, none at all, one
// without the envelope and one that shows code are faults, and so are data that do not add up afterwards.

interface Operation {
  isSeldom: boolean
  method: string
  path: string
  endpoint: Endpoint
}

/** Requests that are under way at once. */
const atOnce = 16
const perApplication = 40_000
/** Longest wait for an answer, in milliseconds. */
const patience = 20_000
/** One of so many requests is not HTTP. */
const rawEvery = 300

/** Streams never end. */
const left = new Set(['GET /events'])
/** Calls that remove the key, fill the disk or take a second for a password hash: one of so many is made. */
const seldom = new Set([
  'DELETE /api_keys/:id',
  'DELETE /users/:id',
  'PUT /users/:id',
  'POST /backups',
  'POST /session',
  'PUT /session/password'
])
const seldomEvery = 200

async function operations(): Promise<Operation[]> {
  const root = join(import.meta.dirname, '../../src-main')
  const found: Operation[] = []
  for (const file of globSync('**/endpoints.ts', { cwd: root })) {
    // Links of messages have tests of their own, and no envelope.
    if (file.startsWith('tracking')) continue
    const declared = (await import(join(root, file))) as Record<string, unknown>
    for (const group of Object.values(declared)) {
      if (!isGroup(group)) continue
      for (const [name, endpoint] of Object.entries(group.endpoints)) {
        const [method = '', path = ''] = name.split(' ')
        if (left.has(name)) continue
        found.push({
          isSeldom: seldom.has(name),
          method,
          path: (group.tag === null ? '/app/v1' : '/ga/api/v2') + path,
          endpoint
        })
      }
    }
  }
  return found
}

function isGroup(value: unknown): value is EndpointGroup {
  return typeof value === 'object' && value !== null && 'endpoints' in value && 'tag' in value
}

interface Request {
  method: 'GET'
  path: string
  headers: Record<string, string>
  body: string | null
}

function requestFor({ method, path, endpoint }: Operation, authorization: string, random: Random): Request {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const schema = (endpoint.params as { properties?: Record<string, unknown> } | undefined)?.properties?.[
      name
    ]
    return encodeURIComponent(textOf(random() < 0.7 ? 1 + Math.floor(random() * 4) : valueOf(schema, random)))
  })
  const query = endpoint.query ? valueOf(endpoint.query, random) : null
  const search =
    typeof query === 'object' && query !== null
      ? Object.entries(query)
          .map(([key, value]) => `${encodeURIComponent(textOf(key))}=${encodeURIComponent(textOf(value))}`)
          .join('&')
      : ''
  const body =
    method === 'GET' || (!endpoint.body && random() < 0.9)
      ? null
      : bodyOf(valueOf(endpoint.body ?? {}, random), random)
  return {
    // Undici's type knows the usual methods; the API has no other.
    method: method as 'GET',
    path: filled + (search && `?${search}`),
    headers: headersFor(authorization, random),
    body
  }
}

function textOf(value: unknown): string {
  // Paths and queries hold no halves of characters.
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

function bodyOf(value: unknown, random: Random): string {
  const text = JSON.stringify(value) ?? ''
  if (random() > 0.03) return text
  const at = Math.floor(random() * text.length)
  return someOf(
    [text.slice(0, at), text.slice(0, at) + '\u0000' + text.slice(at), `${text}}`, '', '['.repeat(2000)],
    random
  )
}

function headersFor(authorization: string, random: Random): Record<string, string> {
  const usual = { authorization, 'content-type': 'application/json' }
  if (random() > 0.05) return usual
  return someOf(
    [
      { authorization },
      { 'content-type': 'application/json' },
      { ...usual, authorization: 'Basic !!!' },
      { ...usual, 'content-type': 'application/x-www-form-urlencoded' },
      { ...usual, 'content-type': 'multipart/form-data; boundary=x' },
      { ...usual, 'content-type': 'text/html; charset=utf-7' },
      { ...usual, accept: 'application/xml', 'accept-language': 'x'.repeat(1000) },
      { ...usual, cookie: `listwright_session_1=${'a'.repeat(500)}` },
      { ...usual, origin: 'https://example.com', 'sec-fetch-site': 'cross-site' }
    ],
    random
  )
}

/** Stack traces, and faults of our own database; the word SQLite alone is a kind of database that can be connected. */
const codeOfOurs = /\n\s+at [\w.<]|node_modules|SQLITE_|SqliteError|constraint failed/

/** Returns what is wrong with an answer, or null. */
function faultOf(status: number, type: string, text: string, { endpoint }: Operation): string | null {
  if (status >= 500) return `status ${status}: ${text.slice(0, 300)}`
  if (status < 300 && !endpoint.answer) return null
  if (!type.includes('json')) return `no envelope, but ${type}: ${text.slice(0, 200)}`
  const envelope = JSON.parse(text) as Record<string, unknown>
  const isEnvelope =
    typeof envelope['success'] === 'boolean' && 'data' in envelope && 'error_code' in envelope
  if (!isEnvelope) return `no envelope: ${text.slice(0, 200)}`
  if (envelope['success'] === true) return null
  if (!envelope['error_message']) return 'a refusal without a reason'
  return codeOfOurs.test(text) ? `shows code: ${text.slice(0, 300)}` : null
}

async function fill({ api }: ServedApplication): Promise<void> {
  for (const name of ['One', 'Two']) {
    const list = await makeList(api, { name, has_format: true, has_confirmed: true })
    await makeField(api, list.id, 'City', 'text')
    await makeField(api, list.id, 'Born', 'date')
    await importText(
      api,
      list.id,
      `email,City\n${Array.from({ length: 20 }, (_, row) => `p${row}@example.com,Oslo`).join('\n')}\n`
    )
    await makeSegment(api, list.id)
    await makeCampaign(api, list.id)
  }
  await api.post('/suppression_lists', { suppression_list: { name: 'Never' } })
}

/** @returns how many requests were made before another application has to take over */
async function fuzz(
  app: ServedApplication,
  all: Operation[],
  requests: number,
  random: Random,
  statuses: Map<number, number>
): Promise<number> {
  const pool = new Pool(app.ready.base_url, {
    connections: atOnce,
    headersTimeout: patience,
    bodyTimeout: patience
  })
  let made = 0
  let refusedKeys = 0
  const work = async (): Promise<void> => {
    // A key that was deleted, or whose user was, says nothing any more.
    while (made < requests && refusedKeys < 20) {
      const operation = someOf(all, random)
      if (operation.isSeldom && random() * seldomEvery > 1) continue
      made++
      if (made % rawEvery === 0) sendNoise(app, random)
      const request = requestFor(operation, app.ready.authorization, random)
      const named = `${request.method} ${request.path} ${request.body?.slice(0, 1500) ?? ''}`
      const answer = await pool.request(request).catch((error: unknown) => {
        throw new Error(`${named}\nwas not answered: ${String(error)}`)
      })
      const text = await answer.body.text()
      const fault = faultOf(answer.statusCode, String(answer.headers['content-type'] ?? ''), text, operation)
      if (fault) {
        // What the application logs arrives over another pipe.
        await pause(200)
        const logged = app.errors().slice(-3000)
        throw new Error(`${named}\n${JSON.stringify(request.headers)}\n${fault}\n${logged}`)
      }
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
      if (answer.statusCode === 401 && request.headers['authorization'] === app.ready.authorization)
        refusedKeys++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await pool.destroy()
  return made
}

/** Bytes that are no request, over a connection that is left open for a moment. */
function sendNoise(app: ServedApplication, random: Random): void {
  const socket = connect(Number(new URL(app.ready.base_url).port), '127.0.0.1', () => {
    socket.write(
      someOf(
        [
          'GET / HTTP/1.1\r\nHost: x',
          'POST /ga/api/v2/mailing_lists HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n{',
          'POST /ga/api/v2/mailing_lists HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
          'GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
          Buffer.from(Array.from({ length: 500 }, () => Math.floor(random() * 256)))
        ],
        random
      )
    )
  })
  // It is the other side's right to end it.
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), 100 + random() * 400)
}

function check(directory: string): Promise<{ status: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entryPoint, 'check', '--data-dir', directory], (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), said: stdout + stderr })
    )
  })
}

test(
  'every call answers any input with the envelope within seconds, and the data stay consistent',
  { timeout: 3_000_000 },
  async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
    const wanted = Number(process.env['REQUESTS'] ?? roundsToRun(5_000, 200_000))
    process.stdout.write(`fuzz: SEED=${seed}, ${wanted} requests\n`)
    const random = seededRandom(seed)
    const all = await operations()
    expect(all.length).toBeGreaterThan(200)
    const statuses = new Map<number, number>()
    for (let made = 0; made < wanted;) {
      const directory = await temporaryDirectory()
      const app = await serve(directory)
      await fill(app)
      made += await fuzz(app, all, Math.min(perApplication, wanted - made), random, statuses)
      await pause(200)
      expect(await app.end('SIGTERM')).toBe(0)
      expect(await check(directory)).toMatchObject({ status: 0 })
    }
    process.stdout.write(
      `${all.length} calls; answers by status: ${JSON.stringify(Object.fromEntries(statuses))}\n`
    )
  }
)
