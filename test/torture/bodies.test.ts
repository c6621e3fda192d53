import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import { serve, type ServedApplication } from '../support/process.ts'

// Bodies as large as a path takes, of every shape: each is answered within seconds and in the envelope, the process lives, and others do
// not wait. The figures are printed.

const megabyte = 1024 * 1024

/** Fills a number of bytes with the same text again and again. */
function repeated(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length))
}

/** Shapes of bodies. @param bytes about how long they are */
const shapes: Record<string, (bytes: number) => string> = {
  'keys of an object': (bytes) => `{${repeated('"abcdefgh":1,', bytes)}"a":1}`,
  'keys that differ': (bytes) =>
    `{${Array.from({ length: bytes / 16 }, (_, at) => `"k${String(at).padStart(10, '0')}":1`).join()}}`,
  'empty arrays': (bytes) => `[${repeated('[],', bytes)}[]]`,
  'empty objects': (bytes) => `{"data":[${repeated('{},', bytes)}{}]}`,
  'open brackets': (bytes) => '['.repeat(bytes),
  'open braces': (bytes) => repeated('{"a":', bytes),
  numbers: (bytes) => `[${repeated('1,', bytes)}1]`,
  'one long number': (bytes) => `{"a":${'1'.repeat(bytes)}}`,
  'short strings': (bytes) => `{"data":[${repeated('"a",', bytes)}"a"]}`,
  'one long string': (bytes) => `{"data":"${'x'.repeat(bytes)}"}`,
  'one long string of escapes': (bytes) => `{"data":"${repeated('\\u00e9', bytes)}"}`,
  'one long string of other alphabets': (bytes) => `{"data":"${repeated('日', bytes / 3)}"}`,
  'many strings of some length': (bytes) => `{"data":[${repeated(`"${'x'.repeat(1000)}",`, bytes)}"a"]}`,
  'a string that does not end': (bytes) => `{"data":"${'x'.repeat(bytes)}`,
  spaces: (bytes) => `{${' '.repeat(bytes)}}`,
  nothing: (bytes) => '\0'.repeat(bytes)
}

interface Sent {
  status: number
  body: string
  seconds: number
}

/** Sends a body, and does not mind where the answer comes before its end. */
function send(application: ServedApplication, path: string, body: string): Promise<Sent> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const call = request(`${application.ready.base_url}/ga/api/v2${path}`, {
      method: 'POST',
      headers: { authorization: application.ready.authorization, 'content-type': 'application/json' }
    })
    let isAnswered = false
    call.on('response', (response) => {
      isAnswered = true
      let text = ''
      response.on('data', (piece: Buffer) => (text += piece.toString()))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text,
          seconds: (performance.now() - began) / 1000
        })
      )
      response.on('error', reject)
    })
    call.on('error', (error) => {
      if (!isAnswered) reject(error)
    })
    call.end(body)
  })
}

/** Sends small requests all the time from its own thread: sending 64 MB keeps this one busy. */
const watcher = `
  const { parentPort, workerData } = require('node:worker_threads')
  let isOver = false
  let longest = 0
  let calls = 0
  parentPort.on('message', () => (isOver = true))
  void (async () => {
    while (!isOver) {
      const began = performance.now()
      const answer = await fetch(workerData.url, { headers: { authorization: workerData.authorization } })
      await answer.text()
      // The first calls load what makes them.
      if (!isOver && ++calls > 10) longest = Math.max(longest, performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    parentPort.postMessage(longest)
  })()
`

/**
 * Sends small requests all the time.
 * @returns a function that stops them and returns the longest response time in milliseconds
 */
async function watchOthers({ ready }: ServedApplication): Promise<() => Promise<number>> {
  const { authorization } = ready
  const thread = new Worker(watcher, {
    eval: true,
    workerData: { url: `${ready.base_url}/ga/api/v2/mailing_lists/999999`, authorization }
  })
  await once(thread, 'online')
  await pause(300)
  return async () => {
    const told = once(thread, 'message') as Promise<[number]>
    thread.postMessage('stop')
    const [longest] = await told
    await thread.terminate()
    return Math.round(longest)
  }
}

test(
  'a large body of any shape is answered in the envelope, and the process lives',
  { timeout: 300_000 },
  async () => {
    const application = await serve(await temporaryDirectory())
    const list = await makeList(application.api)
    const { data: suppression } = await application.api.post<{ id: number }>('/suppression_lists', {
      suppression_list: { name: 'Never' }
    })
    const paths: [string, number][] = [
      ['/mailing_lists', 4 * megabyte],
      [`/suppression_lists/${suppression.id}/suppressed_addresses/create_multiple`, 32 * megabyte],
      [`/mailing_lists/${list.id}/subscriber_imports`, 64 * megabyte]
    ]
    for (const [path, bytes] of paths) {
      for (const [shape, make] of Object.entries(shapes)) {
        const body = make(bytes - 1000)
        const stop = await watchOthers(application)
        const sent = await send(application, path, body)
        const wait = await stop()
        process.stdout.write(
          `${String(Math.round(bytes / megabyte)).padStart(3)} MB of ${shape}: ${sent.status} in ${sent.seconds.toFixed(2)} s, others wait ${wait} ms\n`
        )
        expect([200, 400, 413], `${path} ${shape}`).toContain(sent.status)
        expect(JSON.parse(sent.body), `${path} ${shape}`).toMatchObject({ success: false })
        expect(sent.seconds, `${path} ${shape}`).toBeLessThan(15)
      }
    }
    expect((await application.api.get('/mailing_lists')).success).toBe(true)
    expect(await application.end('SIGTERM')).toBe(0)
  }
)

test('an import of 16 MB in JSON with each byte escaped is unchanged', async () => {
  const application = await serve(await temporaryDirectory())
  const list = await makeList(application.api)
  const lines = Array.from({ length: 100_000 }, (_, at) => `p${at}@example.com,${'ÄÖ'.repeat(30)}`)
  const content = `email,note\n${lines.join('\n')}\n`.slice(0, 15 * megabyte)
  const escaped = JSON.stringify(content).replaceAll('Ä', '\\u00c4').replaceAll('Ö', '\\u00D6')
  const settings = '"column_mapping":["email",""],"overwrite":false'
  const body = `{"subscriber_import":{${settings},"file_source":{"type":"json","content":${escaped}}}}`
  const stop = await watchOthers(application)
  const { status, body: answer } = await send(
    application,
    `/mailing_lists/${list.id}/subscriber_imports`,
    body
  )
  const wait = await stop()
  process.stdout.write(`an import of ${Math.round(body.length / megabyte)} MB: others wait ${wait} ms\n`)
  expect(status).toBe(200)
  const { data } = JSON.parse(answer) as { data: SubscriberImport }
  expect((await application.api.imported(data.id)).stats.subscribers).toMatchObject({
    added: 100_000,
    failed: 0
  })
  expect(await application.end('SIGTERM')).toBe(0)
})

test('a million addresses, including the last one, are suppressed within seconds', async () => {
  const application = await serve(await temporaryDirectory())
  const { data: list } = await application.api.post<{ id: number }>('/suppression_lists', {
    suppression_list: { name: 'Never' }
  })
  const addresses = Array.from({ length: 1_000_000 }, (_, at) => `person${at}@example.com`)
  const path = `/suppression_lists/${list.id}/suppressed_addresses`
  const stop = await watchOthers(application)
  const sent = await send(application, `${path}/create_multiple`, JSON.stringify({ data: addresses }))
  const wait = await stop()
  process.stdout.write(`a million addresses in ${sent.seconds.toFixed(1)} s, others wait ${wait} ms\n`)
  expect(sent.status).toBe(200)
  const { num_records: records } = await application.api.get(`${path}?per_page=1`)
  expect(records).toBe(1_000_000)
  const wrong = JSON.stringify({ data: ['a@example.com', 'b@example.com\nc@example.com', 7] })
  expect((await send(application, `${path}/create_multiple`, wrong)).body).toContain(
    'data.2 must be a string'
  )
  const split = JSON.stringify({ data: ['a@example.com', 'b@example.com\nc@example.com'] })
  expect((await send(application, `${path}/create_multiple`, split)).body).toContain(
    'data.1 is no email address'
  )
  expect(await application.end('SIGTERM')).toBe(0)
})

test('the application ends within five seconds while it reads any body', { timeout: 300_000 }, async () => {
  const directory = await temporaryDirectory()
  for (const [shape, make] of Object.entries(shapes)) {
    const application = await serve(directory)
    const list = await makeList(application.api)
    const answer = send(
      application,
      `/mailing_lists/${list.id}/subscriber_imports`,
      make(64 * megabyte - 1000)
    ).catch(() => null)
    await pause(150)
    const began = performance.now()
    expect(await application.end('SIGTERM'), shape).toBe(0)
    expect(performance.now() - began, shape).toBeLessThan(5000)
    await answer
  }
})
