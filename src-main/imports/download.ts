import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { makeDirectory, moveDurably } from '../base/durable.ts'
import { messageOf } from '../base/errors.ts'
import { checkUrl, guardedLookup } from './address-guard.ts'
import { ImportFailure } from '../csv/failure.ts'

/** Bytes that a file may have (docs/api.md, "Limits"). */
export const maxBytes = 200 * 1000 * 1000
/** Milliseconds before the second and before the third attempt (docs/api.md, "Limits"). */
const retryWaits = [10_000, 50_000]
/** After so long nothing is tried again, in milliseconds (docs/api.md, "Limits"). */
const maxTime = 15 * 60_000
/** Silence after which a server is given up, in milliseconds. */
const maxSilence = 60_000
/** Fewer bytes in that time are as good as silence: a download takes the place of another one. */
const minBytes = 64 * 1024
const maxRedirects = 5

export interface DownloadOptions {
  /** Whether addresses of this machine and of private networks may be read. */
  allowsPrivate: boolean
  signal: AbortSignal
  /** Told before each wait until when it lasts, in UNIX milliseconds, and with null that it is over. */
  onRetry?: (retryAt: number | null) => Promise<void>
  /** Milliseconds between attempts, in place of those of docs/api.md, "Limits". */
  waits?: readonly number[]
  /** The same for the silence after which a server is given up. */
  silence?: number
}

/**
 * Downloads a file to `path`, which exists only once the whole file is there.
 * @throws ImportFailure when it cannot be had, saying why; what the signal was aborted with
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { signal, onRetry, waits = retryWaits } = options
  const began = performance.now()
  const partial = `${path}.part`
  await makeDirectory(dirname(path))
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await fetchInto(url, partial, options)
        await moveDurably(partial, () => path)
        return
      } catch (error) {
        signal.throwIfAborted()
        const failure = failureIn(error)
        if (failure) throw failure
        const wait = waits[attempt]
        if (wait === undefined || performance.now() - began > maxTime) {
          const times = attempt === 0 ? 'once' : `${attempt + 1} times`
          throw new ImportFailure(`${url} could not be downloaded (tried ${times}): ${messageOf(error)}`)
        }
        await onRetry?.(Date.now() + wait)
        await pause(wait, undefined, { signal })
        await onRetry?.(null)
      }
    }
  } finally {
    await rm(partial, { force: true })
  }
}

/** What no other attempt would change. A failed connection holds it as its cause. */
function failureIn(error: unknown): ImportFailure | null {
  if (error instanceof ImportFailure) return error
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null
}

async function fetchInto(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { allowsPrivate, signal, silence = maxSilence } = options
  const { Agent } = await loadClient()
  const agent = new Agent({
    connect: { timeout: silence, ...(!allowsPrivate && { lookup: guardedLookup }) },
    headersTimeout: silence,
    bodyTimeout: silence
  })
  try {
    const { body, headers } = await follow(url, agent, options)
    const announced = Number(headers['content-length'])
    if (announced > maxBytes) throw tooLarge(url)
    await pipeline(body, limited(url, silence), createWriteStream(path), { signal })
  } finally {
    await agent.destroy()
  }
}

/** A megabyte of code that most starts never need. */
function loadClient(): Promise<typeof import('undici')> {
  return import('undici')
}

/** Follows redirects, each of which is checked as the first address is. */
async function follow(
  first: string,
  dispatcher: Dispatcher,
  { allowsPrivate, signal, silence = maxSilence }: DownloadOptions
): Promise<Dispatcher.ResponseData> {
  const { request } = await loadClient()
  let url = checkUrl(first, allowsPrivate)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await request(url, { dispatcher, signal })
    const { location } = response.headers
    if (response.statusCode === 200) return response
    await response.body.dump({ limit: minBytes, signal: AbortSignal.timeout(silence) })
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string') {
      throw new Error(`the server answered with status ${response.statusCode}`)
    }
    url = checkUrl(new URL(location, url).href, allowsPrivate)
  }
  throw new ImportFailure(`${first} redirects more than ${maxRedirects} times`)
}

/** Lets a file through that is not too large and does not come too slowly. */
function limited(url: string, silence: number): Transform {
  let [seen, before] = [0, 0]
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxBytes) done(tooLarge(url))
      else done(null, chunk)
    }
  })
  const timer = setInterval(() => {
    if (seen - before < minBytes) stream.destroy(new Error('the server sends too slowly'))
    before = seen
  }, silence)
  return stream.once('close', () => clearInterval(timer))
}

function tooLarge(url: string): ImportFailure {
  return new ImportFailure(
    `${url} is larger than 200 MB. Put the file into the upload directory, where files can be any size`
  )
}
