import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expectSuccess, importText, makeCampaign, makeField, makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { journalOf, routeTo } from '../support/smtp-route.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { maxJobTime, makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

export interface SmtpFigures extends Latencies {
  what: string
  recipients: number
  seconds: number
  messages_per_second: number
  /** What the database grew by for each recipient, in bytes: journal and statistics. */
  bytes_per_recipient: number
  /** Before anything was sent, and the peak since. */
  peak_memory_mb: (number | null)[]
}

const link =
  '<p style="margin:0 0 16px">Dear %%first_name%%, <a href="https://example.com/offer?n=NUMBER">offer NUMBER</a> for %%city%%.</p>'
export const html = `<html><body>${Array.from({ length: 10 }, (_, number) => link.replaceAll('NUMBER', String(number))).join('\n')}</body></html>`

/**
 * Campaigns of 3 kB with ten counted links to so many people, through a sink on the same computer, while a client reads or writes every 20 ms:
 * as they are, signed with DKIM, and to five domains of which one asks for fewer messages.
 */
export async function benchSmtp(rows: number): Promise<SmtpFigures[]> {
  return [
    await measure('all accept', rows, {}),
    await measure('signed with DKIM (RSA, 2048 bits)', Math.ceil(rows / 3), { isSigned: true }),
    await measure('to four of five domains', Math.ceil(rows / 3), {
      domains: ['d0', 'd1', 'd2', 'd3', 'd4']
    }),
    await measure('to four of five domains, the fifth refuses 9 of 10', Math.ceil(rows / 3), {
      domains: ['d0', 'd1', 'd2', 'd3', 'slow']
    })
  ]
}

interface Variant {
  isSigned?: boolean
  /** The last one's messages are not waited for. */
  domains?: readonly string[]
}

async function measure(
  what: string,
  rows: number,
  { isSigned = false, domains }: Variant
): Promise<SmtpFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  const sink = await startSink()
  const peak = (): number | null => {
    const bytes = server.peakMemory()
    return bytes === undefined ? null : bytes / 1e6
  }
  try {
    const { api } = server
    await routeTo(api, sink.port, { connections: 10, messages_per_connection: 0 })
    const domain = expectSuccess(
      await api.post<{ id: number }>('/url_domains', { url_domain: { domain: 'links.example.com' } })
    )
    if (isSigned) expectSuccess(await api.post('/dkim_keys', { dkim_key: { domain: 'example.com' } }))
    const list = domains
      ? await listOfDomains(api, rows, domains)
      : (await makeFilledList(api, directory, rows, 0)).list
    server.forgetPeakMemory()
    const [before, size] = [peak(), await sizeOf(directory)]
    const meanwhile = await callMeanwhile(api, list.id)
    const began = performance.now()
    const { id } = await makeCampaign(api, list.id, {
      contents: [{ subject: 'News for %%first_name%%', format: 'html', html }],
      dispatch_attributes: {
        from_email: 'sender@example.com',
        url_domain_id: domain.id,
        begins_at: Math.floor(Date.now() / 1000)
      }
    })
    const messages = domains ? rows - Math.floor(rows / domains.length) : rows
    if (domains?.includes('slow')) await untilAccepted(api, id, messages)
    else await api.sent(id, maxJobTime)
    const seconds = (performance.now() - began) / 1000
    const latencies = await meanwhile.stop()
    const { accepted } = await journalOf(api, id)
    if (accepted < messages) throw new Error(`only ${accepted} messages were accepted`)
    return {
      what,
      recipients: rows,
      seconds,
      messages_per_second: messages / seconds,
      bytes_per_recipient: ((await sizeOf(directory)) - size) / rows,
      peak_memory_mb: [before, peak()],
      ...latencies
    }
  } finally {
    await server.end()
    await sink.end()
    await rm(directory, { recursive: true, force: true })
  }
}

/** A list whose subscribers are at these domains in turn. */
async function listOfDomains(api: Client, rows: number, domains: readonly string[]): Promise<{ id: number }> {
  const list = await makeList(api)
  for (const name of ['first name', 'city']) await makeField(api, list.id, name, 'text')
  const lines = Array.from(
    { length: rows },
    (_, index) => `p${index}@${domains[index % domains.length] ?? ''}.example,Anna,Bern`
  )
  await importText(api, list.id, ['email,first name,city', ...lines].join('\n'), {
    column_mapping: ['email', 'first name', 'city']
  })
  return list
}

async function untilAccepted(api: Client, id: number, messages: number): Promise<void> {
  while ((await journalOf(api, id)).accepted < messages) await pause(20)
}

async function sizeOf(directory: string): Promise<number> {
  return (await stat(join(directory, 'data', 'listwright.db'))).size
}

async function startSink(): Promise<{ port: number; end: () => Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, ['test/bench/mail-sink.ts'], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  process.on('exit', () => child.kill('SIGKILL'))
  if (!child.stdout) throw new Error('the sink has no output')
  for await (const line of createInterface(child.stdout)) {
    return {
      port: Number(line),
      end: async () => {
        child.stdin?.end()
        await once(child, 'exit')
      }
    }
  }
  throw new Error('the sink did not start')
}
