import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../support/client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'
import { percentile, timeOf } from './statistics.ts'

const callsEach = 1000
const clients = [1, 16]
const furtherFields = 5
const manyFurtherFields = 45
const rowsWithManyFields = 10_000

export interface CallFigures {
  call: string
  clients: number
  p50_ms: number
  p99_ms: number
}

type Call = (number: number) => Promise<number>

/** Times calls on a list with ten custom fields, and a page of one with 50. */
export async function benchCalls(rows: number): Promise<CallFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const { list, emails } = await makeFilledList(api, directory, rows, furtherFields)
    const wide = await makeFilledList(api, directory, Math.min(rows, rowsWithManyFields), manyFurtherFields)
    const calls = (mark: string): Record<string, Call> => ({
      ...callsOn(api, list.id, rows, emails, mark),
      'GET 100 subscribers with 50 fields': (number) =>
        timeOf(api, 'GET', `/mailing_lists/${wide.list.id}/subscribers?page=${number % 100}`)
    })
    const figures: CallFigures[] = []
    for (const concurrency of clients) {
      for (const [call, run] of Object.entries(calls(`c${concurrency}`))) {
        const times = await runConcurrently(run, concurrency)
        figures.push({
          call,
          clients: concurrency,
          p50_ms: percentile(times, 0.5),
          p99_ms: percentile(times, 0.99)
        })
      }
    }
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Each call by its number, so that no two of them are about the same subscriber. */
function callsOn(
  api: Client,
  listId: number,
  rows: number,
  emails: string[],
  mark: string
): Record<string, Call> {
  const path = `/mailing_lists/${listId}/subscribers`
  const email = (number: number): string => encodeURIComponent(emails[number % emails.length] ?? '')
  const made = (number: number): string => `bench-${mark}-${number}@example.com`
  const values = { 'first name': 'Anna', city: 'Wien', age: 40, 'field 1': 'text' }
  return {
    'GET 100 subscribers': (number) =>
      timeOf(api, 'GET', `${path}?page=${Math.floor((number * rows) / 100 / callsEach)}`),
    'GET 100 emails': (number) => {
      const names = Array.from({ length: 100 }, (_, offset) => email(number + offset * 7))
      return timeOf(api, 'GET', `${path}/${names.join(',')}`)
    },
    'GET by email': (number) => timeOf(api, 'GET', `/subscribers_by_email/${email(number)}`),
    'GET counts': () => timeOf(api, 'GET', '/subscriber_counts'),
    'POST subscriber': (number) =>
      timeOf(api, 'POST', path, {
        subscriber: { email: made(number), status: 'active', custom_fields: values }
      }),
    'PUT subscriber': (number) =>
      timeOf(api, 'PUT', `${path}/${encodeURIComponent(made(number))}`, {
        subscriber: { custom_fields: { age: number % 100 } }
      }),
    'DELETE subscriber': (number) => timeOf(api, 'DELETE', `${path}/${encodeURIComponent(made(number))}`)
  }
}

async function runConcurrently(call: Call, concurrency: number): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const client = async (): Promise<void> => {
    while (next < callsEach) times.push(await call(next++))
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return times
}
