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

/**
 * The duration of a call until its complete answer, in milliseconds, and the part of the answer that was
 * read.
 */
export interface TimedAnswer {
  took: number
  answer: string
}

/**
 * Makes a call, whatever it answers.
 * @param most bytes of the answer that are read: more would be garbage in this process, which distorts the
 * next calls
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
 * Makes a call that must succeed.
 * @returns milliseconds until the complete answer
 */
export async function timeOf(api: Client, method: string, path: string, body?: unknown): Promise<number> {
  const { took, answer } = await timedCall(api, [method, path, body], 200)
  if (!answer.startsWith('{"success":true')) {
    throw new Error(`${method} ${path} answered ${answer}`)
  }
  return took
}
