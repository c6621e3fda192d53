import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isGuarded } from '../../src-main/base/address-guard.ts'
import { checkUrl } from '../../src-main/imports/address-guard.ts'
import { download, type DownloadOptions } from '../../src-main/imports/download.ts'
import { temporaryDirectory } from '../support/application.ts'
import { serveFiles } from '../support/file-server.ts'

const file = 'email\na@example.com\n'
const quick = { allowsPrivate: true, waits: [20, 20] }

async function fetchFile(url: string, options: Partial<DownloadOptions> = {}): Promise<string> {
  const path = join(await temporaryDirectory(), 'sources', 'file.csv')
  try {
    await download(url, path, { ...quick, signal: new AbortController().signal, ...options })
    return await readFile(path, 'utf8')
  } finally {
    expect(existsSync(`${path}.part`)).toBe(false)
  }
}

describe('a download', () => {
  it('is tried three times', async () => {
    const server = await serveFiles((_request, response, number) => {
      if (number < 3) response.writeHead(503).end()
      else response.end(file)
    })
    expect(await fetchFile(server.url)).toBe(file)
    expect(server.requests).toBe(3)
  })

  it('that fails three times says why', async () => {
    const server = await serveFiles((_request, response) => void response.writeHead(404).end())
    await expect(fetchFile(server.url)).rejects.toThrow(
      `${server.url} could not be downloaded (tried 3 times): the server answered with status 404`
    )
  })

  it('waits 10 seconds before the second attempt', async () => {
    const server = await serveFiles((_request, response) => void response.writeHead(500).end())
    const { waits: _waits, ...withSpecifiedWaits } = quick
    const stop = new AbortController()
    const path = join(await temporaryDirectory(), 'file.csv')
    const running = download(server.url, path, { ...withSpecifiedWaits, signal: stop.signal })
    setTimeout(() => stop.abort(), 500)
    await expect(running).rejects.toThrow('aborted')
    expect(server.requests).toBe(1)
  })

  it('that is stopped ends with the reason, whatever the server did', async () => {
    const stop = new AbortController()
    const server = await serveFiles((_request, response) => {
      stop.abort(new Error('no longer wanted'))
      response.destroy()
    })
    await expect(fetchFile(server.url, { waits: [], signal: stop.signal })).rejects.toThrow(
      'no longer wanted'
    )
  })

  it('that starts late and is slow still succeeds', async () => {
    const server = await serveFiles((_request, response) => {
      const letters = [...file]
      setTimeout(() => {
        const drops = setInterval(() => {
          const letter = letters.shift()
          if (letter === undefined) {
            clearInterval(drops)
            response.end()
          } else response.write(letter)
        }, 20)
      }, 400)
    })
    expect(await fetchFile(server.url)).toBe(file)
    expect(server.requests).toBe(1)
  })

  it.each([
    ['silent', () => undefined],
    ['slow', (response: ServerResponse) => void setInterval(() => response.write('x'), 20).unref()]
  ])('that is %s for longer than allowed fails without another try', async (_, answer) => {
    const server = await serveFiles((_request, response) => answer(response))
    const began = performance.now()
    await expect(fetchFile(server.url, { maxTime: 500 })).rejects.toThrow('it was not complete after')
    expect(performance.now() - began).toBeLessThan(3000)
    expect(server.requests).toBe(1)
  })

  it('whose connection breaks is tried again', async () => {
    const server = await serveFiles((_request, response, number) => {
      if (number > 1) return void response.end(file)
      response.write('email')
      setTimeout(() => response.destroy(), 50)
    })
    expect(await fetchFile(server.url)).toBe(file)
    expect(server.requests).toBe(2)
  })

  it('follows redirects', async () => {
    const server = await serveFiles((request, response) => {
      if (request.url === '/people.csv') response.writeHead(302, { Location: '/moved.csv' }).end()
      else response.end(file)
    })
    expect(await fetchFile(server.url)).toBe(file)
  })

  it('follows five redirects at most, and tries a loop only once', async () => {
    const server = await serveFiles(
      (_request, response) => void response.writeHead(302, { Location: '/people.csv' }).end()
    )
    await expect(fetchFile(server.url)).rejects.toThrow('redirects more than 5 times')
    expect(server.requests).toBe(6)
  })

  it('follows no redirect to anything but http and https', async () => {
    const server = await serveFiles(
      (_request, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end()
    )
    await expect(fetchFile(server.url)).rejects.toThrow('must begin with http:// or https://')
  })

  it('of more than 200 MB is refused, announced or not, and not tried again', async () => {
    const announced = await serveFiles((_request, response) => {
      response.writeHead(200, { 'Content-Length': 201_000_000 }).write('email\n')
    })
    await expect(fetchFile(announced.url)).rejects.toThrow('larger than 200 MB')
    const chunk = Buffer.alloc(1_000_000, 'a@example.com\n')
    const streamed = await serveFiles((_request, response) => {
      let sent = 0
      const more = (): void => {
        while (sent++ < 201) if (!response.write(chunk)) return void response.once('drain', more)
        response.end()
      }
      more()
    })
    await expect(fetchFile(streamed.url)).rejects.toThrow('larger than 200 MB')
    expect([announced.requests, streamed.requests]).toEqual([1, 1])
  })

  it.each([
    [
      'closes in the midst',
      (response: { write: (text: string) => void; destroy: () => void }) => {
        response.write(file)
        setTimeout(() => response.destroy(), 20)
      }
    ]
  ])('from a server that %s is tried again, and never accepted as complete', async (_what, misbehave) => {
    const server = await serveFiles((_request, response, number) => {
      response.writeHead(200, { 'Content-Length': 2 * file.length })
      if (number < 3) misbehave(response)
      else response.end(file + file)
    })
    expect(await fetchFile(server.url)).toBe(file + file)
    expect(server.requests).toBe(3)
  })

  it('from an address of this computer is refused, by its number and by its name', async () => {
    const server = await serveFiles((_request, response) => void response.end(file))
    for (const url of [server.url, server.url.replace('127.0.0.1', 'localhost')]) {
      await expect(fetchFile(url, { allowsPrivate: false })).rejects.toThrow(
        'an address of this computer or of a private network'
      )
    }
    expect(server.requests).toBe(0)
  })
})

describe('the addresses that imports do not read', () => {
  it.each([
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::7f00:1'
  ])('%s', (address) => expect(isGuarded(address)).toBe(true))

  it.each(['93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:2800:21f:cb07::1'])('not %s', (address) =>
    expect(isGuarded(address)).toBe(false)
  )

  it.each([
    'http://127.1/a.csv',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/'
  ])('as %s', (url) => expect(() => checkUrl(url, false)).toThrow('private network'))

  it.each(['ftp://example.com/a.csv', 'file:///etc/passwd', 'example.com/a.csv', ''])(
    '%j is not an address',
    (url) => expect(() => checkUrl(url, true)).toThrow('must begin with http:// or https://')
  )
})
