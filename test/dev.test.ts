import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it, vi } from 'vitest'
import { takeInstanceLock } from '../src-main/database/instance-lock.ts'
import { SessionClient } from './support/session-client.ts'

const directory = mkdtempSync(join(tmpdir(), 'listwright-dev-'))
const loop = spawn(process.execPath, ['tools/dev.ts', '--port', '0', '--data-dir', directory], {
  stdio: ['ignore', 'pipe', 'inherit']
})
afterAll(async () => {
  loop.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

it('npm run dev serves the window by Vite, signs it in, and takes its calls to the server', async () => {
  const address = await signInAddress()
  const { data } = await new SessionClient({ baseUrl: new URL(address).origin }).openLink(address)
  const Authorization = `Bearer ${data.session}`

  const page = await fetch(new URL('/lists', address))
  expect(await page.text()).toContain('/@vite/client')
  const call = await fetch(new URL('/ga/api/v2/mailing_lists', address), {
    method: 'POST',
    headers: { Authorization, Origin: new URL(address).origin },
    body: '{"name":"From the window"}'
  })
  expect(await call.json()).toMatchObject({ success: true, data: { name: 'From the window' } })

  const foreign = await fetch(new URL('/ga/api/v2/mailing_lists', address), {
    method: 'POST',
    headers: { Authorization, Origin: 'https://example.com' },
    body: '{"name":"From elsewhere"}'
  })
  expect(foreign.status).toBe(403)

  loop.kill('SIGTERM')
  await once(loop, 'exit')
  // The server has ended too: the data can be opened by another one.
  await vi.waitFor(() => takeInstanceLock(directory).release(), 10_000)
})

async function signInAddress(): Promise<string> {
  for await (const line of createInterface(loop.stdout)) {
    const address = /http\S+sign_in=\S+/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error('npm run dev ended')
}
