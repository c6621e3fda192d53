import type { Client } from '../support/client.ts'

/** The value below which a part of the samples lies, e.g. 0.99. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, value) => sum + value, 0) / samples.length
}

/**
 * Makes a call of the API that must succeed.
 * @returns milliseconds until the whole answer was there
 */
export async function timeOf(api: Client, method: string, path: string, body?: unknown): Promise<number> {
  const began = performance.now()
  const response = await api.raw(`/ga/api/v2${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const answer = await response.text()
  const took = performance.now() - began
  if (!answer.startsWith('{"success":true'))
    throw new Error(`${method} ${path} answered ${answer.slice(0, 200)}`)
  return took
}
