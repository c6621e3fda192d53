import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Event } from '../../src-main/api/events/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { serve } from '../support/process.ts'
import { until } from '../support/smtp-route.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`

/** `listwright events` as a process of its own. */
function followEvents(...args: string[]) {
  const child = spawn(process.execPath, [entryPoint, 'events', ...args], {
    env: { ...process.env, LISTWRIGHT_WEBHOOK_SECRET: secret }
  })
  const printed = { output: '', errors: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.errors += chunk.toString()))
  onTestFinished(() => void child.kill('SIGKILL'))
  const stop = async (): Promise<unknown> => {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    return (await ended)[0]
  }
  return { printed, stop }
}

describe('listwright events', () => {
  it('prints events as they happen, also across a restart of the application, and sends them on', async () => {
    const directory = await temporaryDirectory()
    const receiver = await webhookReceiver()
    const first = await serve(directory)
    const list = await makeList(first.api, { name: 'News' })
    const events = followEvents('--data-dir', directory, '--json', '--forward-to', receiver.url)
    await until(() => events.printed.errors.includes('Following events'))

    await makeSubscriber(first.api, list.id, 'one@example.com')
    await until(() => events.printed.output.includes('one@example.com'))
    await first.end('SIGTERM')
    await until(() => events.printed.errors.includes('Waiting until Listwright is started'))
    const second = await serve(directory)
    await until(() => events.printed.errors.split('Following events').length === 3)
    await makeSubscriber(second.api, list.id, 'two@example.com')
    await until(() => receiver.accepted.length === 2)
    const status = await events.stop()

    const lines = events.printed.output.trim().split('\n')
    const printed = lines.map((line) => JSON.parse(line) as Event)
    expect(printed).toEqual(receiver.accepted)
    expect(printed.map(({ email }) => email)).toEqual(['one@example.com', 'two@example.com'])
    const [{ body, headers } = { body: '', headers: {} }] = receiver.requests
    expect(() => new Verifier(secret).verify(body, headers as Record<string, string>)).not.toThrow()
    expect(status).toBe(0)
    const keys = await second.api.workbench<unknown[]>('GET', '/api_keys')
    expect(JSON.stringify(keys.data)).not.toContain('Command line')
  })

  it('prints a line for people, with what the receiver answered', async () => {
    const directory = await temporaryDirectory()
    const { api } = await serve(directory)
    const list = await makeList(api, { name: 'News' })
    const events = followEvents('--data-dir', directory, '--forward-to', 'http://127.0.0.1:1/')
    await until(() => events.printed.errors.includes('Following events'))

    await makeSubscriber(api, list.id, 'one@example.com')
    await until(() => events.printed.output.includes('\n'))

    expect(events.printed.output).toMatch(
      /^\S+Z {2}subscriber_created {2}one@example\.com {2}News {2}→ connect ECONNREFUSED/
    )
  })

  it.each([
    [['--type', 'open'], '--type must be one of studio_subscriber_created, '],
    [['--forward-to', 'localhost:3000'], '--forward-to must be a web address such as http://'],
    [['--organization', 'x'], '--organization must be a whole number']
  ])('refuses %j with a sentence', async (args, sentence) => {
    const events = followEvents('--data-dir', await temporaryDirectory(), ...args)
    await until(() => events.printed.errors !== '')
    expect(events.printed.errors).toContain(sentence)
  })
})
