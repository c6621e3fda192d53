import { spawn } from 'node:child_process'
import { createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { makeToken, type TokenPurpose } from '../../src-main/api/subscribers/tokens.ts'
import { GateClient } from '../../src-main/gates/client.ts'
import { sealText } from '../../src-main/gates/keys.ts'
import { measureLoad } from './http-load.ts'
import { peakMemoryOf } from './server.ts'

export interface GateFigures {
  what: string
  events_per_second: number
  cpu_ms_per_event: number
  p99_ms: number
  peak_memory_mb: number
}

const pageKey = randomBytes(16).toString('base64url')
/** Seconds of each measurement. */
const seconds = 15
const clients = 64

/**
 * A gate on one core of this computer: unsubscribes as mail services send them, openings, and forged links, each from many addresses.
 * @param rows recipients that the links name
 */
export async function benchGate(rows: number): Promise<GateFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-gate-'))
  const command = ['out/main/listwright.js', 'gate', '--data-dir', directory, '--port', '0', '--json']
  const child = spawn('taskset', ['-c', '0', process.execPath, ...command], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  process.on('exit', () => child.kill('SIGKILL'))
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { address, key } = JSON.parse(line) as { address: string; key: string }
    const secret = createSecretKey(randomBytes(32))
    const api = new GateClient(address, key)
    await api.giveSecret(secret)
    const pages = { unsubscribed: { en: '<p>You are unsubscribed</p>', de: '<p>Abgemeldet</p>' } }
    const body = { links: {}, pages: sealText(pageKey, JSON.stringify(pages)), message: null }
    await api.putContent('s1', JSON.stringify(body))
    const tokenOf = (purpose: TokenPurpose, number: number): string =>
      makeToken(secret, purpose, { subscriberId: (number % rows) + 1, sliceId: 1 })
    const measure = async (what: string, method: string, pathOf: (number: number) => string) => {
      const target = { url: address, pid: child.pid ?? 0 }
      const figures = await measureLoad(
        target,
        (number) => ({ method, path: pathOf(number), headers: fromAddress(number) }),
        { clients, seconds }
      )
      return {
        what,
        events_per_second: figures.calls_per_second,
        cpu_ms_per_event: figures.cpu_ms_per_call,
        p99_ms: figures.p99_ms,
        peak_memory_mb: (peakMemoryOf(child.pid ?? 0) ?? Number.NaN) / 1_000_000
      }
    }
    return [
      await measure(
        'one-click unsubscribes',
        'POST',
        (number) => `/u/${tokenOf('unsubscribe', number)}/${pageKey}`
      ),
      await measure('openings', 'GET', (number) => `/o/${tokenOf('open', number)}`)
    ]
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await rm(directory, { recursive: true, force: true })
  }
}

/** As a server before the gate tells it. */
function fromAddress(number: number): string {
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  return `X-Forwarded-For: ${address}\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0\r\n`
}
