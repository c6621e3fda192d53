import { setTimeout as pause } from 'node:timers/promises'
import { makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { percentile, timeOf } from './statistics.ts'

/** The interval of the concurrent client's calls, in milliseconds. */
const callingInterval = 20

/** The durations of a concurrent client's calls, in milliseconds. */
export interface Latencies {
  reads_p50_ms: number
  reads_p99_ms: number
  reads_max_ms: number
  writes_p50_ms: number
  writes_p99_ms: number
  writes_max_ms: number
}

/**
 * A program that in turns reads a page of a list and adds a subscriber to one of its own, at fixed times, whether or not
 * the answers come in time.
 */
export async function callMeanwhile(api: Client, listId: number): Promise<{ stop(): Promise<Latencies> }> {
  const own = await makeList(api, { name: 'Meanwhile' })
  const reads: Promise<number>[] = []
  const writes: Promise<number>[] = []
  let stopped = false
  const calling = (async () => {
    const began = performance.now()
    for (let number = 1; !stopped; number++) {
      const due = began + number * callingInterval
      await pause(Math.max(0, due - performance.now()))
      if (number % 2 === 0) reads.push(timeOf(api, 'GET', `/mailing_lists/${listId}/subscribers`))
      else {
        const subscriber = { email: `meanwhile${number}@example.com`, status: 'active' }
        writes.push(timeOf(api, 'POST', `/mailing_lists/${own.id}/subscribers`, { subscriber }))
      }
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await calling
      return summary(await Promise.all(reads), await Promise.all(writes))
    }
  }
}

function summary(reads: number[], writes: number[]): Latencies {
  return {
    reads_p50_ms: percentile(reads, 0.5),
    reads_p99_ms: percentile(reads, 0.99),
    reads_max_ms: Math.max(...reads),
    writes_p50_ms: percentile(writes, 0.5),
    writes_p99_ms: percentile(writes, 0.99),
    writes_max_ms: Math.max(...writes)
  }
}
