import { Agent, request } from 'node:http'
import type { Client } from '../support/client.ts'

const agent = new Agent({ keepAlive: true })

/** The value below which a part of the samples lies, e.g. 0.99. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, value) => sum + value, 0) / samples.length
}

/** What a call took, in milliseconds until the whole answer was there, and what was read of it. */
export interface TimedAnswer {
  took: number
  answer: string
}

/**
 * Makes a call of the API, whatever it answers.
 * @param most bytes of the answer that are read: more is garbage of this process, with which the next calls are measured
 */
export function timedCall(
  api: Client,
  [method, path, body]: [method: string, path: string, body?: unknown],
  most = Infinity
): Promise<TimedAnswer> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { Authorization: api.authorization }
    // node:http takes less time of its own than fetch, which would be measured with the server's.
    const call = request(`${api.baseUrl}/ga/api/v2${path}`, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        if (bytes < most) chunks.push(chunk)
        bytes += chunk.length
      })
      response.on('end', () => {
        const took = performance.now() - began
        resolve({ took, answer: Buffer.concat(chunks, Math.min(bytes, most)).toString() })
      })
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/**
 * Makes a call of the API that must succeed.
 * @returns milliseconds until the whole answer was there
 */
export async function timeOf(api: Client, method: string, path: string, body?: unknown): Promise<number> {
  const { took, answer } = await timedCall(api, [method, path, body], 200)
  if (!answer.startsWith('{"success":true')) {
    throw new Error(`${method} ${path} answered ${answer}`)
  }
  return took
}
