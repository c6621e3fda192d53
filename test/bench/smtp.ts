import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectSuccess, makeCampaign } from '../support/builders.ts'
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
const html = `<html><body>${Array.from({ length: 10 }, (_, number) => link.replaceAll('NUMBER', String(number))).join('\n')}</body></html>`

/** A campaign of 3 kB with ten counted links to so many people, through a sink on the same computer, while a client reads or writes every 20 ms. */
export async function benchSmtp(rows: number): Promise<SmtpFigures[]> {
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
    const { list } = await makeFilledList(api, directory, rows, 0)
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
    await api.sent(id, maxJobTime)
    const seconds = (performance.now() - began) / 1000
    const latencies = await meanwhile.stop()
    const { accepted } = await journalOf(api, id)
    if (accepted !== rows) throw new Error(`only ${accepted} messages were accepted`)
    return [
      {
        what: 'all accept',
        recipients: rows,
        seconds,
        messages_per_second: rows / seconds,
        bytes_per_recipient: ((await sizeOf(directory)) - size) / rows,
        peak_memory_mb: [before, peak()],
        ...latencies
      }
    ]
  } finally {
    await server.end()
    await sink.end()
    await rm(directory, { recursive: true, force: true })
  }
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
