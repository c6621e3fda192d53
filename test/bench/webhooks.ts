import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { importText, makeList } from '../support/builders.ts'
import { startServer } from './server.ts'

export interface WebhookFigures {
  what: string
  events: number
  /** From the first row of the import until the last event was accepted. */
  events_per_second: number
  messages: number
  peak_memory_mb: number
}

/** An import whose rows are sent to a webhook on this computer, one by one and in batches. @param rows of the import */
export async function benchWebhooks(rows: number): Promise<WebhookFigures[]> {
  return [await measure('one by one', rows, 1), await measure('batches of 100', rows, 100)]
}

async function measure(what: string, rows: number, batchSize: number): Promise<WebhookFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-webhooks-'))
  const sink = spawn(process.execPath, ['test/bench/webhook-sink.ts'], { stdio: ['pipe', 'pipe', 'inherit'] })
  process.on('exit', () => sink.kill('SIGKILL'))
  const lines = createInterface(sink.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => ((await lines.next()) as { value: string }).value
  const port = await nextLine()
  const server = await startServer(directory)
  const { api } = server
  try {
    const url = `http://127.0.0.1:${port}/`
    const webhook = { name: what, url, batch_size: batchSize, allows_private_addresses: true }
    await api.post('/webhooks', { webhook })
    const list = await makeList(api)
    const emails = Array.from({ length: rows }, (_, number) => `person${number}@example.com`)
    const began = performance.now()
    await importText(api, list.id, `email\n${emails.join('\n')}\n`)
    let [messages, events] = [0, 0]
    while (events < rows) {
      await pause(50)
      sink.stdin.write('?')
      ;[messages = 0, events = 0] = (await nextLine()).split(' ').map(Number)
    }
    const seconds = (performance.now() - began) / 1000
    const peak_memory_mb = (server.peakMemory() ?? Number.NaN) / 1_000_000
    return { what, events, events_per_second: events / seconds, messages, peak_memory_mb }
  } finally {
    await server.end()
    const ended = once(sink, 'exit')
    sink.stdin.end()
    await ended
    await rm(directory, { recursive: true, force: true })
  }
}
