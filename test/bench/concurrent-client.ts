import { setTimeout as pause } from 'node:timers/promises'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Client } from '../support/client.ts'
import { timeOf } from './statistics.ts'

/** How often the concurrent client asks for a page, in milliseconds. */
const askingInterval = 20

/** A program that asks for a page at fixed times, whether or not the answers come in time. */
export function askForPages(api: Client, list: MailingList): { stop(): Promise<number[]> } {
  const latencies: Promise<number>[] = []
  let stopped = false
  const asking = (async () => {
    const began = performance.now()
    for (let number = 1; !stopped; number++) {
      const due = began + number * askingInterval
      await pause(Math.max(0, due - performance.now()))
      latencies.push(timeOf(api, 'GET', `/mailing_lists/${list.id}/subscribers`))
    }
  })()
  return {
    stop: async () => {
      stopped = true
      await asking
      return Promise.all(latencies)
    }
  }
}
