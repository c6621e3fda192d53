import { onTestFinished } from 'vitest'
import { type Gate, startGate } from '../../src-main/gate/gate.ts'
import { temporaryDirectory } from './application.ts'
import { expectSuccess } from './builders.ts'
import type { Client } from './client.ts'
import { startListwright } from './process.ts'
import { freePort } from './servers.ts'

/** Starts a gate on loopback that ends with the test. */
export async function openGate(directory?: string): Promise<Gate & { directory: string }> {
  const dataDirectory = directory ?? (await temporaryDirectory())
  const gate = await startGate({ dataDirectory, port: await freePort(), host: '127.0.0.1', tls: null })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await gate.close()
  }
  onTestFinished(close)
  return { ...gate, close, directory: dataDirectory }
}

/** Adds a gate to an organization. @returns the id of the URL domain */
export async function addGate(api: Client, { address, key }: Pick<Gate, 'address' | 'key'>): Promise<number> {
  const url_domain = { kind: 'gate', address, secret: key }
  return expectSuccess(await api.post<{ id: number }>('/url_domains', { url_domain })).id
}

/** Has the application fetch from a gate at once. */
export async function fetchNow(api: Client, urlDomainId: number): Promise<void> {
  expectSuccess(await api.put(`/url_domains/${urlDomainId}`, { url_domain: {} }))
}

/** A gate as a process of its own. */
export interface ServedGate {
  address: string
  key: string
  pid: number
  /** Sends a signal and waits for the end. @returns the exit status, null after a signal that ended it */
  end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts `listwright gate`, which is killed after the test at the latest. @param port left out = a free one */
export async function serveGate(directory: string, port?: number): Promise<ServedGate> {
  const { first, ...process } = await startListwright([
    'gate',
    '--data-dir',
    directory,
    '--port',
    String(port ?? (await freePort())),
    '--json'
  ])
  return { ...process, ...(first as { address: string; key: string }) }
}
