import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import { importOutcomes, type SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { roundsToRun } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

/** More than 20,000, so that they are written in the order of their keys. */
const rows = 40_000
const moments = roundsToRun(2, 12)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

function csvFile(): string {
  const lines = ['email,City,Age']
  for (let row = 0; row < rows; row++) {
    if (row % 97 === 0) lines.push(`nobody${row},City${row},${row % 90}`)
    else if (row % 53 === 0) lines.push(`P${row - 1}@example.com,Again,${row % 90}`)
    else lines.push(`p${row}@example.com,"City, ${row % 500}",${row % 211 === 0 ? 'old' : row % 90}`)
  }
  return `${lines.join('\n')}\n`
}

async function prepare(directory: string): Promise<number> {
  const application = await serve(directory)
  const { api } = application
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text')
  await makeField(api, list.id, 'Age', 'number')
  const known = Array.from({ length: 3000 }, (_, number) => `p${number * 17}@example.com`)
  const first = await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: ['email'],
      file_format: { csv_has_headers: false },
      file_source: { type: 'json', content: known.join('\n') }
    }
  })
  expect((await api.imported(first.data.id)).state).toBe('finished')
  await writeFile(join(directory, 'uploads', 'people.csv'), csvFile())
  await application.end('SIGTERM')
  return list.id
}

async function startImport(api: Client, listId: number): Promise<number> {
  const { data } = await api.post<SubscriberImport>(`/mailing_lists/${listId}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: ['email', 'City', 'Age'],
      file_source: { type: 'upload_directory', filename: 'people.csv' },
      overwrite: true
    }
  })
  return data.id
}

/** Adds subscribers to another list until the application is gone: the writer pauses within batches for each of them. */
async function changeMeanwhile(api: Client): Promise<number> {
  let made = 0
  try {
    const other = await makeList(api)
    for (;;) {
      await makeSubscriber(api, other.id, `other${made}@example.com`)
      await pause(++made % 15)
    }
  } catch (error) {
    // What fetch throws if the server is gone.
    if (error instanceof TypeError) return made
    throw error
  }
}

/** Everything that must not depend on when the import was interrupted. */
async function outcomeOf(api: Client, listId: number, importId: number) {
  const { state, error_message, stats } = await api.imported(importId)
  const logs: Record<string, string> = {}
  for (const outcome of importOutcomes) {
    logs[outcome] = await (await api.raw(`/ga/api/v2/subscriber_imports/${importId}/logs/${outcome}`)).text()
  }
  const subscribers = (await allSubscribers(api, listId)).map(({ id, email, status, custom_fields }) => [
    id,
    email,
    status,
    custom_fields['City']?.value,
    custom_fields['Age']?.value
  ])
  const all = await api.get<SubscriberCounts>('/subscriber_counts')
  const counts = all.data.mailing_lists.find(({ mailing_list }) => mailing_list.id === listId)?.counts
  return { state, error_message, stats, counts, logs, subscribers }
}

function withoutIds(outcome: Awaited<ReturnType<typeof outcomeOf>>) {
  return { ...outcome, subscribers: outcome.subscribers.map(([, ...rest]) => rest) }
}

it(
  `an import killed at ${moments} random moments ends as an undisturbed one does (SEED=${seed})`,
  { timeout: 480_000 },
  async () => {
    const random = seededRandom(seed)
    const prepared = await temporaryDirectory()
    const listId = await prepare(prepared)

    const undisturbedDirectory = await temporaryDirectory()
    await cp(prepared, undisturbedDirectory, { recursive: true })
    const undisturbed = await serve(undisturbedDirectory)
    const began = performance.now()
    const importId = await startImport(undisturbed.api, listId)
    await undisturbed.api.imported(importId)
    const duration = performance.now() - began
    const expected = await outcomeOf(undisturbed.api, listId, importId)
    await undisturbed.end('SIGTERM')
    expect(expected.stats).toMatchObject({ number_of_records: rows, records_imported: rows })
    for (const outcome of ['added', 'updated', 'failed', 'skipped_duplicate'] as const) {
      expect(expected.stats.subscribers[outcome], outcome).toBeGreaterThan(100)
    }

    let interrupted = 0
    let changed = 0
    for (let moment = 0; moment < moments; moment++) {
      const directory = await temporaryDirectory()
      await cp(prepared, directory, { recursive: true })
      const first = await serve(directory)
      await startImport(first.api, listId)
      const isShared = moment % 2 === 1
      const changes = isShared ? changeMeanwhile(first.api) : null
      // In each part of its time once.
      await pause(((moment + random()) / moments) * duration)
      const { data } = await first.api.get<SubscriberImport>(`/subscriber_imports/${importId}`)
      if (data.state !== 'finished') interrupted++
      await first.end('SIGKILL')
      // A moment may be too early for the first of them.
      changed += (await changes) ?? 0

      // And once more while it recovers.
      const second = await serve(directory)
      await pause(random() * duration)
      await second.end('SIGKILL')

      const third = await serve(directory)
      const outcome = await outcomeOf(third.api, listId, importId)
      // Others took ids in between.
      const [is, shouldBe] = [outcome, expected].map((each) => (isShared ? withoutIds(each) : each))
      // toEqual takes a second for this much data. Compare the JSON first, and use toEqual only to show what differs.
      if (JSON.stringify(is) !== JSON.stringify(shouldBe)) {
        expect(is, `moment ${moment}`).toEqual(shouldBe)
      }
      await third.end('SIGTERM')
    }
    expect(interrupted).toBeGreaterThan(0)
    expect(changed).toBeGreaterThan(0)
  }
)
