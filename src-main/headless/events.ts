import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Event, eventTypes } from '../api/events/schema.ts'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { addressPathIn } from '../app-data.ts'
import { WebhookClient } from '../webhooks/receiver.ts'
import { type Command, commonOptions, commonUsage, requireDirectory } from './command.ts'
import { requireData } from './data-directory.ts'
import { besideRunning, type LocalApplication } from './local-application.ts'

// `listwright events`: what happens, on a terminal as it happens.

/** Holds the secret that forwarded events are signed with; without it each run makes one. */
const secretVariable = 'LISTWRIGHT_WEBHOOK_SECRET'

const usage = `Usage: listwright events [--type TYPE] [--forward-to URL] [--organization ID]

Prints subscribers who are created and updated, opens, clicks and unsubscribes while the application runs, until
you stop it (Ctrl+C). It waits while the application is closed, and misses nothing that is stored meanwhile.

${commonUsage.replace(/ {2}--json .*\n/, '  --json          print each event as one line of JSON, as a webhook gets it\n')}  --type TYPE        only events of this type: ${eventTypes.join(', ')}
  --forward-to URL   send each event on, as a webhook would, such as http://localhost:3000/hook. It is signed with the
                     secret in ${secretVariable}, or with one that is printed
  --organization ID  of another organization than the first one
`

interface Options {
  dataDirectory: string
  json: boolean
  type: string | undefined
  forwardTo: string | undefined
  organizationId: number
}

export const eventsCommand: Command = {
  usage,
  run: async (args) => {
    const options = readOptions(args)
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
    const receiver = options.forwardTo === undefined ? null : openReceiver(options.forwardTo)
    const position: Position = { last: null }
    try {
      while (!stop.signal.aborted) await followWhileOpen(options, position, receiver, stop.signal)
    } finally {
      await receiver?.close()
    }
  }
}

/** @throws Error with a sentence for the user */
function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      ...commonOptions,
      type: { type: 'string' },
      'forward-to': { type: 'string' },
      organization: { type: 'string', default: String(systemOrganizationId) }
    }
  })
  const { type, organization, 'forward-to': forwardTo, 'data-dir': directory } = values
  requireDirectory(directory)
  if (type !== undefined && !(eventTypes as readonly string[]).includes(type))
    throw new Error(`--type must be one of ${eventTypes.join(', ')}; "${type}" is none`)
  if (forwardTo !== undefined && !/^https?:$/.test(URL.parse(forwardTo)?.protocol ?? ''))
    throw new Error(
      `--forward-to must be a web address such as http://localhost:3000/hook, not "${forwardTo}"`
    )
  if (!/^\d{1,9}$/.test(organization))
    throw new Error(`--organization must be a whole number, not "${organization}"`)
  requireData(directory)
  return {
    ...{ dataDirectory: directory, json: values.json, type, forwardTo },
    organizationId: Number(organization)
  }
}

function openReceiver(url: string): WebhookClient {
  const given = process.env[secretVariable]
  const secret = given ?? `whsec_${randomBytes(24).toString('base64')}`
  if (given === undefined) process.stderr.write(`Forwarded events are signed with: ${secret}\n`)
  return new WebhookClient({ url, allowsPrivate: true, secrets: [secret] })
}

/** The last event that was printed; null = none yet. */
interface Position {
  last: number | null
}

/** Time between two looks for an application that starts, in milliseconds. */
const interval = 1000
/** Longest wait of a request, in seconds. */
const wait = 20

async function followWhileOpen(
  options: Options,
  position: Position,
  receiver: WebhookClient | null,
  signal: AbortSignal
): Promise<void> {
  const isOpen = (): boolean => existsSync(addressPathIn(resolve(options.dataDirectory)))
  if (!isOpen()) process.stderr.write('Waiting until Listwright is started …\n')
  while (!isOpen()) {
    if (signal.aborted) return
    await pause(interval)
  }
  try {
    await besideRunning(
      options.dataDirectory,
      (application) => followIn(application, options, position, receiver, signal),
      options.organizationId
    )
  } catch (error) {
    if (signal.aborted) return
    if (!isGone(error)) throw error
    await pause(interval)
  }
}

/** True for errors of the connection to an application that is closing, or was killed. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
}

async function followIn(
  { callApi }: LocalApplication,
  { json, type, forwardTo }: Options,
  position: Position,
  receiver: WebhookClient | null,
  signal: AbortSignal
): Promise<void> {
  const read = (seconds: number): Promise<{ events: Event[]; last: number }> => {
    const query = new URLSearchParams({
      wait: String(seconds),
      ...(position.last !== null && { after: String(position.last) }),
      ...(type !== undefined && { event_type: type })
    })
    return callApi('GET', `/events/follow?${query}`, null, signal)
  }
  position.last ??= (await read(0)).last
  process.stderr.write(
    `Following events${forwardTo === undefined ? '' : `, sent on to ${forwardTo}`}. Stop with Ctrl+C.\n`
  )
  while (!signal.aborted) {
    const answer = await read(wait)
    for (const event of answer.events) {
      if (signal.aborted) return
      const outcome = receiver ? await forward(receiver, event) : ''
      process.stdout.write(json ? `${JSON.stringify(event)}\n` : `${lineOf(event)}${outcome}\n`)
      position.last = event.event_id
    }
    position.last = answer.last
  }
}

async function forward(receiver: WebhookClient, event: Event): Promise<string> {
  const { status, answer, milliseconds } = await receiver.send(
    `msg_forwarded_${event.event_id}`,
    JSON.stringify(event)
  )
  return status === null ? `  → ${answer}` : `  → ${status} (${milliseconds} ms)`
}

function lineOf({ event_time, event_type, email, list_name, click_url }: Event): string {
  const time = new Date(event_time * 1000).toISOString()
  const what = event_type.replace(/^studio_/, '').padEnd(18)
  return [time, what, email, list_name, ...(click_url === undefined ? [] : [click_url])].join('  ')
}
