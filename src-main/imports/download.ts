import { refusal } from '../base/refusal.ts'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { makeDirectory, moveDurably } from '../base/durable.ts'
import { refusalOf, ExplainedError } from '../base/errors.ts'
import { checkUrl, lookupOfDownloads } from './address-guard.ts'
import { ImportFailure } from '../csv/failure.ts'

/** Bytes that a file may have (docs/api.md, "Limits"). */
export const maxBytes = 200 * 1000 * 1000
/** Milliseconds before the second and before the third attempt (docs/api.md, "Limits"). */
const retryWaits = [10_000, 50_000]
/**
 * Limit of a download with all attempts, in milliseconds (docs/api.md, "Limits"). A server may be silent that
 * long while it prepares the file; the system detects dead connections.
 */
const maxTime = 15 * 60_000
/** In milliseconds. */
const connectTimeout = 60_000
/** Interval for probing a silent connection, in milliseconds. */
const keepAliveDelay = 30_000
/** Bytes of the page of a redirect that are read, so that its connection can be used again. */
const redirectBytes = 64 * 1024
const maxRedirects = 5

export interface DownloadOptions {
  /** Allows addresses of this machine and of private networks. */
  allowsPrivate: boolean
  signal: AbortSignal
  /** Called before each wait with its end in UNIX milliseconds, and with null after it. */
  onRetry?: (retryAt: number | null) => Promise<void>
  /** Milliseconds between attempts, in place of those of docs/api.md, "Limits". */
  waits?: readonly number[]
  /** Milliseconds that all attempts together may take, in place of the value of docs/api.md, "Limits". */
  maxTime?: number
}

/**
 * Downloads a file to `path`, which exists only once the whole file is there.
 * @throws ImportFailure when it cannot be had, saying why; what the signal was aborted with
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { signal, onRetry, waits = retryWaits, maxTime: longest = maxTime } = options
  const deadline = AbortSignal.timeout(longest)
  const attempted = { ...options, signal: AbortSignal.any([signal, deadline]) }
  const partial = `${path}.part`
  await makeDirectory(dirname(path))
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await fetchInto(url, partial, attempted)
        await moveDurably(partial, () => path)
        return
      } catch (error) {
        signal.throwIfAborted()
        if (deadline.aborted) {
          const minutes = Math.round(longest / 60_000)
          throw new ImportFailure(refusal('download_incomplete', { url, minutes }))
        }
        const failure = failureIn(error)
        if (failure) throw failure
        const wait = waits[attempt]
        if (wait === undefined) {
          const fault = refusalOf(error)
          throw new ImportFailure(
            attempt === 0
              ? refusal('download_failed_once', { url, fault })
              : refusal('download_failed', { url, times: attempt + 1, fault })
          )
        }
        await onRetry?.(Date.now() + wait)
        await pause(wait, undefined, { signal: attempted.signal }).catch(() => undefined)
        await onRetry?.(null)
      }
    }
  } finally {
    await rm(partial, { force: true })
  }
}

function failureIn(error: unknown): ImportFailure | null {
  if (error instanceof ImportFailure) return error
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null
}

async function fetchInto(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { allowsPrivate, signal } = options
  const { Agent } = await loadClient()
  const agent = new Agent({
    connect: {
      timeout: connectTimeout,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveDelay,
      ...(!allowsPrivate && { lookup: lookupOfDownloads })
    },
    // Timeouts are handled by the signal.
    headersTimeout: 0,
    bodyTimeout: 0
  })
  try {
    const { body, headers } = await follow(url, agent, options)
    const announced = Number(headers['content-length'])
    if (announced > maxBytes) throw tooLarge(url)
    await pipeline(body, limited(url), createWriteStream(path), { signal })
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
  { allowsPrivate, signal }: DownloadOptions
): Promise<Dispatcher.ResponseData> {
  const { request } = await loadClient()
  let url = checkUrl(first, allowsPrivate)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await request(url, { dispatcher, signal })
    const { location } = response.headers
    if (response.statusCode === 200) return response
    await response.body.dump({ limit: redirectBytes, signal })
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string') {
      throw new ExplainedError(refusal('answered_status', { status: response.statusCode }))
    }
    url = checkUrl(new URL(location, url).href, allowsPrivate)
  }
  throw new ImportFailure(refusal('too_many_redirects', { url: first, most: maxRedirects }))
}

/** Passes a file on unless it is too large. */
function limited(url: string): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxBytes) done(tooLarge(url))
      else done(null, chunk)
    }
  })
}

function tooLarge(url: string): ImportFailure {
  return new ImportFailure(refusal('download_too_large', { url }))
}
