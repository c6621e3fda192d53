import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import { runServe, serve } from '../support/process.ts'
import { SessionClient } from '../support/session-client.ts'

async function outcome(args: string[]): Promise<{ status: number | null; output: string; errors: string }> {
  const child = runServe(args)
  let [output, errors] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output, errors }
}

describe('npm run serve', () => {
  it('with --json prints one line, whose authorization works', async () => {
    const directory = await temporaryDirectory()
    const application = await serve(directory)
    expect(Object.keys(application.ready)).toEqual([
      'base_url',
      'organization_id',
      'api_key',
      'authorization',
      'data_dir'
    ])
    const { base_url, organization_id, api_key, authorization, data_dir } = application.ready
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(authorization).toBe(`Basic ${Buffer.from(`${organization_id}:${api_key}`).toString('base64')}`)
    expect(api_key).toMatch(/^[0-9a-f]{40}$/)
    expect(data_dir).toBe(directory)
    expect((await application.api.get('/mailing_lists')).success).toBe(true)
    expect(application.output().trimEnd().split('\n')).toHaveLength(1)
    expect((await stat(directory)).isDirectory()).toBe(true)
  })

  it('gives the first organization the time zone of the computer, permanently', async () => {
    const directory = await temporaryDirectory()
    for (const TZ of ['America/New_York', 'Asia/Tokyo']) {
      const application = await serve(directory, { env: { TZ } })
      const { data } = await application.api.get<{ time_zone_name: string }[]>('/organizations')
      expect(data.map(({ time_zone_name }) => time_zone_name)).toEqual(['America/New_York'])
      await application.end('SIGTERM')
    }
    const unset = await serve(await temporaryDirectory(), { env: { TZ: 'Etc/UTC' } })
    const { data } = await unset.api.get<{ time_zone_name: string }[]>('/organizations')
    expect(data[0]?.time_zone_name).toBe('UTC')
    await unset.end('SIGTERM')
  })

  it('without --json prints an address with a one-time sign-in token', async () => {
    const child = runServe(['--data-dir', await temporaryDirectory(), '--port', '0'])
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    while (!output.includes('Data:')) await pause(20)
    const address = /http:\S+sign_in=\S+/.exec(output)?.[0] ?? ''
    const window = new SessionClient({ baseUrl: new URL(address).origin })
    expect((await window.openLink(address)).success).toBe(true)
    expect((await window.session()).status).toBe(200)
    expect((await window.openLink(address)).status).toBe(401)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends on %s with status 0, and a running import can be resumed',
    async (signal) => {
      const directory = await temporaryDirectory()
      const first = await serve(directory)
      const list = await makeList(first.api)
      const content = Array.from({ length: 50_000 }, (_, row) => `p${row}@example.com`).join('\n')
      const { data } = await first.api.post<SubscriberImport>(
        `/mailing_lists/${list.id}/subscriber_imports`,
        {
          subscriber_import: {
            column_mapping: ['email'],
            file_format: { csv_has_headers: false },
            file_source: { type: 'json', content }
          }
        }
      )
      const asked = performance.now()
      expect(await first.end(signal)).toBe(0)
      expect(performance.now() - asked).toBeLessThan(5000)
      const second = await serve(directory)
      const ended = await second.api.imported(data.id)
      expect(ended).toMatchObject({
        state: 'finished',
        stats: { subscribers: { added: 50_000, skipped_duplicate: 0 } }
      })
    }
  )

  it('ends within 5 seconds although a request is being answered on a keep-alive connection', async () => {
    const application = await serve(await temporaryDirectory())
    const list = await makeList(application.api)
    const content = Array.from({ length: 400_000 }, (_, row) => `p${row}@example.com`).join('\n')
    const request = application.api
      .post(`/mailing_lists/${list.id}/subscriber_imports`, {
        subscriber_import: { column_mapping: ['email'], file_source: { type: 'json', content } }
      })
      .catch(() => null)
    await pause(60)
    const asked = performance.now()
    expect(await application.end('SIGTERM')).toBe(0)
    const took = performance.now() - asked
    expect(took).toBeLessThan(5000)
    await request
  })

  it('ends within five seconds even if clients do not finish their requests', async () => {
    const application = await serve(await temporaryDirectory())
    const { hostname, port } = new URL(application.ready.base_url)
    for (const beginning of [
      '',
      'GET / HT',
      'POST /ga/api/v2/mailing_lists HTTP/1.1\r\nContent-Length: 9\r\n\r\n{'
    ]) {
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(beginning)
    }
    const asked = performance.now()
    expect(await application.end('SIGTERM')).toBe(0)
    expect(performance.now() - asked).toBeLessThan(5000)
  })

  it('says in one sentence what is wrong, with status 1', async () => {
    const directory = await temporaryDirectory()
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const cases: [string[], RegExp][] = [
      [['--port', 'many'], /^--port must be a number from 0 to 65535/],
      [['--port', String(port), '--data-dir', directory], new RegExp(`^Port ${port} of 127.0.0.1 is taken`)],
      [['--colour'], /--colour/]
    ]
    for (const [args, message] of cases) {
      const { status, output, errors } = await outcome(args)
      expect([status, output]).toEqual([1, ''])
      expect(errors).toMatch(message)
      expect(errors.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  it('explains itself with --help', async () => {
    const { status, output } = await outcome(['--help'])
    expect(status).toBe(0)
    for (const option of ['--data-dir', '--port', '--json']) expect(output).toContain(option)
  })
})
