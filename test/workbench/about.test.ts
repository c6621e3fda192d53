import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isNewer, newerVersion } from '../../src-main/workbench/about/newer-version.ts'
import { startApplication } from '../support/application.ts'

async function releasesThatAnswer(status: number, body: (path: string) => string): Promise<string> {
  const server = createServer(({ url = '' }, answer) => {
    answer.writeHead(status)
    answer.end(body(url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases/`
}

describe('newer versions', () => {
  it.each([
    ['1.0.1', '1.0.0', true],
    ['1.10.0', '1.9.9', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-beta.2', true],
    ['1.0.0-beta.10', '1.0.0-beta.2', true],
    ['1.0.0-beta.1', '1.0.0', false],
    ['0.9.9', '1.0.0', false]
  ])('%s comes after %s: %s', (version, than, expected) => {
    expect(isNewer(version, than)).toBe(expected)
  })

  it('are looked up where the releases are, and reported', async () => {
    const releases = await releasesThatAnswer(200, () => 'version: 9.0.0\npath: x\n')
    expect(await newerVersion({ version: '1.0.0', releases })).toEqual({ version: '9.0.0', notes: '' })
    expect(await newerVersion({ version: '9.0.0', releases })).toBeNull()
  })

  it('are those that are still being tested for who has such a version', async () => {
    const releases = await releasesThatAnswer(200, (path) =>
      path === '/releases/beta-linux.yml' ? 'version: 9.1.0-beta.1' : 'version: 9.0.0'
    )
    expect((await newerVersion({ version: '9.0.0-beta.1', releases }))?.version).toBe('9.1.0-beta.1')
    expect((await newerVersion({ version: '8.0.0', releases }))?.version).toBe('9.0.0')
  })

  it('are unknown, with a reason, if the update address is unreachable or its answer names no version', async () => {
    const wrong = await releasesThatAnswer(200, () => '<h1>It works!</h1>')
    await expect(newerVersion({ version: '1.0.0', releases: wrong })).rejects.toThrow(
      /127\.0\.0\.1:\d+ does not say which version is the latest/
    )
    await expect(newerVersion({ version: '1.0.0', releases: 'http://127.0.0.1:1/' })).rejects.toThrow(
      '127.0.0.1:1 cannot be reached'
    )
  })

  it('are not looked for without a configured update address', async () => {
    const { api } = await startApplication()
    const { data } = await api.workbench<{ can_look: boolean }>('GET', '/about')
    expect(data).toEqual({ version: '0.1.0', can_look: false, update: null })
    expect((await api.workbench('POST', '/about/look')).success).toBe(false)
    expect((await api.workbench('POST', '/about/update')).success).toBe(false)
  })
})
