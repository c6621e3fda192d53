import { existsSync } from 'node:fs'
import { copyFile, cp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { IntegrityAnswer } from '../../src-main/integrity/endpoints.ts'
import { temporaryDirectory } from '../support/application.ts'
import { allSubscribers, importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { changeBytes, changePage, cutShort, type Random, swapPages } from '../support/damage.ts'
import { roundsToRun } from '../support/long.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

// What disks, people and other programs do to the files of an application that is ended. Whatever it is, one of three things is right:
// everything is as it was; or it is told, and nothing is written any more; or the application does not start, and says why. The files
// that were found are what they were afterwards.

interface Origin {
  /** Ended in order, or in the middle, with a log. */
  directory: Record<'ended' | 'killed', string>
  /** The first one, some changes before. */
  earlier: string
  foreign: string
  content: Record<'ended' | 'killed', string>
}

interface Damage {
  name: string
  to: 'ended' | 'killed'
  mayBeHarmless?: boolean
  apply: (directory: string, random: Random, origin: Origin) => Promise<void>
}

const database = (directory: string): string => join(directory, 'listwright.db')
const log = (directory: string): string => `${database(directory)}-wal`

const damages: Damage[] = [
  { name: 'bytes of the database', to: 'ended', apply: (at, random) => changeBytes(database(at), random) },
  {
    name: 'bytes beside a log',
    to: 'killed',
    mayBeHarmless: true,
    apply: (at, random) => changeBytes(database(at), random)
  },
  { name: 'a page of zeros', to: 'ended', apply: (at, random) => changePage(database(at), random, () => 0) },
  {
    name: 'a page of noise',
    to: 'ended',
    apply: (at, random) => changePage(database(at), random, () => random() * 256)
  },
  {
    name: 'two pages in each other’s place',
    to: 'ended',
    apply: (at, random) => swapPages(database(at), random)
  },
  { name: 'a database cut short', to: 'ended', apply: (at, random) => cutShort(database(at), random) },
  {
    name: 'an earlier copy',
    to: 'ended',
    apply: (at, _, { earlier }) => copyFile(database(earlier), database(at))
  },
  {
    name: 'an earlier copy with its notes',
    to: 'ended',
    apply: async (at, _, { earlier }) => {
      for (const part of ['', '-sums']) await copyFile(database(earlier) + part, database(at) + part)
    }
  },
  {
    name: 'another installation’s database',
    to: 'ended',
    apply: (at, _, { foreign }) => copyFile(database(foreign), database(at))
  },
  {
    name: 'a text in place of the database',
    to: 'ended',
    apply: (at) => writeFile(database(at), 'email\nsomebody@example.com\n'.repeat(500))
  },
  { name: 'an empty database', to: 'ended', apply: (at) => truncate(database(at), 0) },
  { name: 'no database', to: 'ended', apply: (at) => rm(database(at)) },
  { name: 'no log', to: 'killed', apply: (at) => rm(log(at)) },
  { name: 'an empty log', to: 'killed', apply: (at) => truncate(log(at), 0) },
  {
    name: 'bytes of the log',
    to: 'killed',
    mayBeHarmless: true,
    apply: (at, random) => changeBytes(log(at), random)
  },
  {
    name: 'bytes of the log, and no lock',
    to: 'killed',
    mayBeHarmless: true,
    apply: async (at, random) => {
      await changeBytes(log(at), random)
      await rm(join(at, 'instance.lock'))
    }
  },
  { name: 'the head of the log', to: 'killed', apply: (at, random) => changeBytes(log(at), random, 24) },
  { name: 'a log cut short', to: 'killed', apply: (at, random) => cutShort(log(at), random) },
  {
    name: 'another installation’s log',
    to: 'killed',
    apply: (at, _, { foreign }) => copyFile(log(foreign), log(at))
  },
  {
    name: 'an index of the log of noise',
    to: 'killed',
    mayBeHarmless: true,
    apply: (at, random) => changeBytes(`${database(at)}-shm`, random)
  },
  {
    name: 'notes of noise',
    to: 'ended',
    mayBeHarmless: true,
    apply: (at, random) => changeBytes(`${database(at)}-sums`, random)
  },
  { name: 'empty notes', to: 'ended', apply: (at) => truncate(`${database(at)}-sums`, 0) },
  {
    name: 'notes cut short',
    to: 'ended',
    mayBeHarmless: true,
    apply: (at, random) => cutShort(`${database(at)}-sums`, random)
  },
  {
    name: 'a last change of noise',
    to: 'ended',
    mayBeHarmless: true,
    apply: (at, random) => changeBytes(`${database(at)}-last`, random)
  }
]

async function contentOf(api: Client): Promise<string> {
  const hash = createHash('sha256')
  const { data: lists } = await api.get<{ id: number }[]>('/mailing_lists')
  for (const { id } of lists) hash.update(JSON.stringify(await allSubscribers(api, id)))
  return hash.update(JSON.stringify(lists)).digest('hex')
}

async function examined(api: Client): Promise<IntegrityAnswer> {
  const look = async (): Promise<IntegrityAnswer> =>
    (await api.workbench<IntegrityAnswer>('GET', '/integrity')).data
  await expect.poll(async () => (await look()).state, { timeout: 20_000 }).not.toBe('checking')
  return look()
}

async function fill(api: Client, name: string): Promise<number> {
  const list = await makeList(api, { name })
  await makeField(api, list.id, 'City', 'text')
  const rows = Array.from({ length: 3000 }, (_, row) => `${name}${row}@example.com,City ${row % 50}`)
  const { stats } = await importText(api, list.id, `email,City\n${rows.join('\n')}\n`, {
    column_mapping: ['email', 'City']
  })
  expect(stats.subscribers.added).toBe(rows.length)
  return list.id
}

async function prepare(): Promise<Origin> {
  const directories = await Promise.all(Array.from({ length: 4 }, () => temporaryDirectory()))
  const [ended = '', killed = '', earlier = '', foreign = ''] = directories
  const first = await serve(ended)
  const listId = await fill(first.api, 'reader')
  await first.end('SIGTERM')
  await cp(ended, earlier, { recursive: true })
  const second = await serve(ended)
  await examined(second.api)
  for (let person = 0; person < 20; person++)
    await makeSubscriber(second.api, listId, `later${person}@example.com`)
  const endedContent = await contentOf(second.api)
  await second.end('SIGTERM')
  await cp(ended, killed, { recursive: true })
  const third = await serve(killed)
  await examined(third.api)
  for (let person = 0; person < 20; person++)
    await makeSubscriber(third.api, listId, `last${person}@example.com`)
  const killedContent = await contentOf(third.api)
  await third.end('SIGKILL')
  const other = await serve(foreign)
  await fill(other.api, 'other')
  await other.end('SIGKILL')
  return {
    directory: { ended, killed },
    earlier,
    foreign,
    content: { ended: endedContent, killed: killedContent }
  }
}

async function bytesOf(path: string): Promise<Buffer | null> {
  return existsSync(path) ? readFile(path) : null
}

function sameBytes(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b)
}

/** @returns the application; or what it said, where it does not start */
async function start(directory: string): Promise<ServedApplication | string> {
  try {
    const app = await serve(directory)
    return app.ready.base_url ? app : app.output()
  } catch (error) {
    return String(error)
  }
}

test('damaged data is always reported and never overwritten', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  process.stdout.write(`damage: SEED=${seed}\n`)
  const random = seededRandom(seed)
  const origin = await prepare()
  const outcomes = new Map<string, Record<string, number>>()
  const rounds = roundsToRun(damages.length, 210)
  for (let round = 0; round < rounds; round++) {
    const damage = damages[round % damages.length] as Damage
    const outcome = await oneRound(damage, random, origin, `round ${round} of seed ${seed}, ${damage.name}`)
    const counted = outcomes.get(damage.name) ?? {}
    counted[outcome] = (counted[outcome] ?? 0) + 1
    outcomes.set(damage.name, counted)
  }
  process.stdout.write(
    `${[...outcomes].map(([name, counted]) => `${name}: ${JSON.stringify(counted)}`).join('\n')}\n`
  )
}, 1_200_000)

async function oneRound(
  { to, mayBeHarmless, apply }: Damage,
  random: Random,
  origin: Origin,
  named: string
): Promise<'harmless' | 'told' | 'not started'> {
  const directory = join(await temporaryDirectory(), 'data')
  await cp(origin.directory[to], directory, { recursive: true })
  await apply(directory, random, origin)
  const [found, foundLog] = [await bytesOf(database(directory)), await bytesOf(log(directory))]
  const started = await start(directory)
  if (typeof started === 'string') {
    expect(started, named).toMatch(/is damaged\. It was left as it is|is missing|is empty|another program/)
    expect(sameBytes(await bytesOf(database(directory)), found), `${named}: written over`).toBe(true)
    return 'not started'
  }
  const { api } = started
  const { state } = await examined(api)
  if (state === 'sound') {
    expect(mayBeHarmless, `${named}: not found`).toBe(true)
    expect(await contentOf(api), `${named}: served`).toBe(origin.content[to])
    await makeSubscriber(api, 1, 'new@example.com')
    await started.end('SIGTERM')
    return 'harmless'
  }
  const refused = await api.post('/mailing_lists', { mailing_list: { name: 'New' } })
  expect(refused.success, named).toBe(false)
  await started.end('SIGTERM')
  expect(sameBytes(await bytesOf(database(directory)), found), `${named}: written over`).toBe(true)
  if (foundLog)
    expect(
      sameBytes(await bytesOf(`${log(directory)}-as-found`), foundLog),
      `${named}: the log was written over`
    ).toBe(true)
  return 'told'
}
