import { execFile } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { messageOf } from '../../src-main/base/errors.ts'
import type { IntegrityAnswer } from '../../src-main/integrity/endpoints.ts'
import { temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { makeField, makeList } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { roundsToRun } from '../support/long.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'
import { canFail, faultyDisk } from '../support/disk-faults.ts'
import { type Random, someOf } from './values.ts'

// Several programs make changes of every kind until the application is killed, again and again; in some rounds the disk has hardly
// any room. What was answered with success is there after each start, as it was answered; what was refused is not; and what was not
// answered is there whole or not at all.

/** A record in short; null = there is none. */
type State = { kind: Kind; [key: string]: unknown } | null

interface Change {
  /** null = in the answer. */
  path: string | null
  before: State
  after: State
  send: (api: Client) => Promise<Answer>
}

interface Program {
  name: string
  listId: number
  records: Map<string, State>
  touched: Set<string>
  /** A change that was not answered: the record is as before or as after. */
  open: Change | null
  /**
   * The possible states after the next start, by path: if a disk failed to store a change, its content is
   * unknown.
   */
  doubtful: Map<string, State[]>
  imports: Map<number, string>
  made: number
}

interface KindOfRecord {
  makesAt: (listId: number) => string
  key: string
  at: (id: number) => string
  with: Record<string, unknown>
}

const named = {
  list: {
    makesAt: () => '/mailing_lists',
    key: 'mailing_list',
    at: (id) => `/mailing_lists/${id}`,
    with: {}
  },
  field: {
    makesAt: (listId) => `/mailing_lists/${listId}/custom_fields`,
    key: 'custom_field',
    at: (id) => `/custom_fields/${id}`,
    with: { field_type: 'text' }
  },
  segment: {
    makesAt: (listId) => `/mailing_lists/${listId}/segments`,
    key: 'segmentation_criteria',
    at: (id) => `/segments/${id}`,
    with: { clause: [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: 1 }] }
  },
  suppressionList: {
    makesAt: () => '/suppression_lists',
    key: 'suppression_list',
    at: (id) => `/suppression_lists/${id}`,
    with: {}
  },
  campaign: {
    makesAt: (listId) => `/mailing_lists/${listId}/campaigns`,
    key: 'campaign',
    at: (id) => `/campaigns/${id}`,
    with: { segmentation_criteria_ad_hoc: [] }
  }
} satisfies Record<string, KindOfRecord>

type Kind = 'subscriber' | keyof typeof named
const kinds = Object.keys(named) as (keyof typeof named)[]

const programs = 4
const cities = ['Oslo', 'Bergen', '', 'Zürich, "old"']
const statuses = ['active', 'unsubscribed', 'bounced']
const olderOnes = 40
const none = { shortWrites: 0, failedWrites: 0, failedSyncs: 0 }
const failures = [
  none,
  { ...none, shortWrites: 100_000 },
  { ...none, failedWrites: 20_000 },
  { ...none, failedSyncs: 20_000 },
  { shortWrites: 20_000, failedWrites: 5_000, failedSyncs: 5_000 }
]
/** The size of the disk in MB, and the bytes left in rounds in which it is full. */
const disk = { megabytes: 400, left: 200_000 }

function someChange(program: Program, random: Random): Change {
  const known = [...program.records].filter(([, state]) => state !== null)
  const chosen = known.length > 0 && random() < 0.5 ? someOf(known, random) : null
  if (!chosen) return random() < 0.6 ? newSubscriber(program, random) : newRecord(program, random)
  const [path, before] = chosen
  if (before?.kind !== 'subscriber') return newName(program, path, before)
  if (random() < 0.3) return { path, before, after: null, send: (api) => api.delete(path) }
  const after: State = { ...before, status: someOf(statuses, random), city: someOf(cities, random) }
  const subscriber = { status: after['status'], custom_fields: { City: after['city'] } }
  return { path, before, after, send: (api) => api.put(path, { subscriber }) }
}

function newSubscriber(program: Program, random: Random): Change {
  const email = `${program.name}-${++program.made}@example.com`
  const after = { kind: 'subscriber' as const, email, status: 'active', city: someOf(cities, random) }
  const at = `/mailing_lists/${program.listId}/subscribers`
  const subscriber = { email, status: 'active', custom_fields: { City: after.city } }
  return { path: `${at}/${email}`, before: null, after, send: (api) => api.post(at, { subscriber }) }
}

function newRecord(program: Program, random: Random): Change {
  const kind = someOf(kinds, random)
  const { makesAt, key, with: rest } = named[kind]
  const name = `${program.name} ${++program.made}`
  const send = (api: Client): Promise<Answer> =>
    api.post(makesAt(program.listId), { [key]: { name, ...rest } })
  return { path: null, before: null, after: { kind, name }, send }
}

function newName(program: Program, path: string, before: State): Change {
  const kind = before?.kind as keyof typeof named
  const name = `${program.name} ${++program.made}`
  const { key, with: rest } = named[kind]
  // Fields keep their type, and segments are given whole.
  const more = kind === 'segment' ? rest : {}
  return { path, before, after: { kind, name }, send: (api) => api.put(path, { [key]: { name, ...more } }) }
}

/** Makes changes until the application is gone. */
async function work(program: Program, app: ServedApplication, random: Random): Promise<void> {
  const { api } = app
  try {
    for (;;) {
      if (random() < 0.02) await handOutImport(program, api)
      const change = someChange(program, random)
      program.open = change
      const answer = await change.send(api)
      program.open = null
      if (!answer.success) {
        if (!/disk (is full|has failed)|is closing/.test(answer.error_message ?? ''))
          throw await refusalOf(change, answer, app)
        if (change.path) program.touched.add(change.path)
        if (change.path && answer.error_message?.includes('failed')) {
          const states = program.doubtful.get(change.path) ?? [change.before]
          program.doubtful.set(change.path, [...states, change.after])
        }
        continue
      }
      const path =
        change.path ?? named[change.after?.kind as keyof typeof named].at((answer.data as { id: number }).id)
      program.records.set(path, change.after)
      program.touched.add(path)
      program.doubtful.delete(path)
    }
  } catch (error) {
    // What fetch throws if the server is gone, or its answer is cut off.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
  }
}

/**
 * Describes a change that was refused for a reason other than its disk or the end of the application, with
 * the reported damage.
 */
async function refusalOf(change: Change, { error_message }: Answer, app: ServedApplication): Promise<Error> {
  const found = await app.api.workbench<IntegrityAnswer>('GET', '/integrity').then(
    ({ data }) => JSON.stringify(data),
    (error: unknown) => `it has ended (${messageOf(error)})`
  )
  return new Error(
    `${JSON.stringify(change)} was refused: ${error_message ?? ''}. The application says: ${found}\n${app.errors()}`
  )
}

async function handOutImport(program: Program, api: Client): Promise<void> {
  const email = `${program.name}-import-${++program.made}@example.com`
  const { success, data } = await api.post<{ id: number }>(
    `/mailing_lists/${program.listId}/subscriber_imports`,
    {
      subscriber_import: {
        column_mapping: ['email'],
        file_format: { csv_has_headers: false },
        file_source: { type: 'json', content: `${email}\n` }
      }
    }
  )
  if (success) program.imports.set(data.id, email)
}

async function stateOf(api: Client, path: string): Promise<State> {
  const { success, data } = await api.get<Record<string, unknown>>(path)
  if (!success) return null
  if (!path.includes('/subscribers/'))
    return {
      kind: kinds.find((kind) => named[kind].at(Number(data['id'])) === path) ?? 'list',
      name: data['name']
    }
  const [person] = data as unknown as {
    email: string
    status: string
    custom_fields: { City?: { value: unknown } }
  }[]
  if (!person) return null
  return {
    kind: 'subscriber',
    email: person.email,
    status: person.status,
    city: person.custom_fields.City?.value ?? ''
  }
}

async function settleOpen({ open, doubtful, records }: Program, api: Client, where: string): Promise<void> {
  if (open?.path) doubtful.set(open.path, [...(doubtful.get(open.path) ?? []), open.before, open.after])
  for (const [path, states] of doubtful) {
    const found = await stateOf(api, path)
    expect(states, `${where}: ${path} is half of something`).toContainEqual(found)
    records.set(path, found)
  }
  doubtful.clear()
}

async function expectRecords(
  { records }: Program,
  api: Client,
  paths: Iterable<string>,
  where: string
): Promise<void> {
  for (const path of paths) {
    expect(await stateOf(api, path), `${where}: ${path}`).toEqual(records.get(path) ?? null)
  }
}

/** Checks what changed since the last start, and some of the rest. */
async function look(all: Program[], api: Client, random: Random, where: string): Promise<void> {
  await Promise.all(
    all.map(async (program) => {
      await settleOpen(program, api, where)
      const paths = [...program.records.keys()]
      const older = Array.from({ length: paths.length > 0 ? olderOnes : 0 }, () => someOf(paths, random))
      await expectRecords(program, api, new Set([...program.touched, ...older]), where)
      program.open = null
      program.touched.clear()
    })
  )
}

async function expectSound(api: Client, where: string): Promise<void> {
  const integrity = async (): Promise<IntegrityAnswer> =>
    (await api.workbench<IntegrityAnswer>('GET', '/integrity')).data
  await expect.poll(async () => (await integrity()).state, { timeout: 20_000 }).not.toBe('checking')
  expect(await integrity(), where).toEqual({ state: 'sound', faults: [] })
}

async function expectWhole(directory: string, where: string): Promise<void> {
  const { status, said } = await check(directory)
  expect(status, `${where}: ${said}`).toBe(0)
}

function check(directory: string): Promise<{ status: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entryPoint, 'check', '--data-dir', directory], (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), said: stdout + stderr })
    )
  })
}

async function fillDisk(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'filler')
  const { bavail, bsize } = await statfs(directory)
  try {
    await writeFile(path, Buffer.alloc(Math.max(0, bavail * bsize - disk.left)))
  } catch (error) {
    // The application filled the rest in the meantime: the disk is as full as it can be.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  return () => rm(path)
}

async function begin(app: ServedApplication): Promise<Program[]> {
  return Promise.all(
    Array.from({ length: programs }, async (_, number): Promise<Program> => {
      const list = await makeList(app.api, { name: `Program ${number}` })
      await makeField(app.api, list.id, 'City', 'text')
      return {
        name: `p${number}`,
        listId: list.id,
        records: new Map(),
        touched: new Set(),
        open: null,
        doubtful: new Map(),
        imports: new Map(),
        made: 0
      }
    })
  )
}

interface Rounds {
  seed: number
  rounds: number
  directory: string
  /** Does something to the disk before some of the rounds. @returns what undoes it once the application was killed */
  before: (random: Random) => Promise<(() => Promise<void>) | null>
  start: () => Promise<ServedApplication>
  /** What must have happened by the end: until then there are more rounds. */
  until?: () => boolean
}

async function crash({ seed, rounds, directory, before, start, until }: Rounds): Promise<number> {
  const random = seededRandom(seed)
  let app = await start()
  const all = await begin(app)
  for (let round = 0; round < rounds || until?.() === false; round++) {
    const where = `round ${round} of seed ${seed}`
    const undo = await before(random)
    const works = Promise.all(all.map((program) => work(program, app, random)))
    // Prevents an unhandled rejection; `await works` below throws what a program finds wrong.
    works.catch(() => undefined)
    await pause(random() ** 2 * 600)
    await app.end('SIGKILL')
    await works
    await undo?.()
    if (round % 20 === 0) await expectWhole(directory, where)
    app = await start()
    await look(all, app.api, random, where)
    if (round % 5 === 0) await expectSound(app.api, where)
  }
  for (const program of all) {
    await expectRecords(program, app.api, program.records.keys(), 'at the end')
    for (const [id, email] of program.imports) {
      // One that a disk stopped waits for a person.
      await app.api.post(`/subscriber_imports/${id}/unpause`)
      expect((await app.api.imported(id)).state).toBe('finished')
      const path = `/mailing_lists/${program.listId}/subscribers/${email}`
      expect(await stateOf(app.api, path), email).toMatchObject({ email, status: 'active' })
    }
  }
  expect(await app.end('SIGTERM')).toBe(0)
  await expectWhole(directory, 'at the end')
  return all.reduce((sum, { made }) => sum + made, 0)
}

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['ROUNDS'] ?? roundsToRun(4, 60))
/** Milliseconds; a round takes one or two seconds where nothing else runs. */
const timeout = 120_000 + rounds * 10_000

test('acknowledged changes survive each crash completely, also on a full disk', { timeout }, async () => {
  process.stdout.write(`crash: SEED=${seed}, ${rounds} rounds\n`)
  const directory = canMount ? (await smallDisk(disk.megabytes)).directory : await temporaryDirectory()
  const changes = await crash({
    seed,
    rounds,
    directory,
    before: async (random) => (canMount && random() < 0.15 ? fillDisk(directory) : null),
    start: () => serve(directory)
  })
  process.stdout.write(`${rounds} crashes, ${changes} changes\n`)
})

test.runIf(canFail)(
  'what was acknowledged is there after each crash, whole, also where writes and syncs failed',
  { timeout },
  async () => {
    process.stdout.write(`failing disk: SEED=${seed}, ${rounds} rounds\n`)
    const directory = await temporaryDirectory()
    const failing = faultyDisk(await temporaryDirectory(), directory, seed)
    const changes = await crash({
      seed,
      rounds,
      directory,
      before: (random) => {
        failing.set(someOf(failures, random))
        return Promise.resolve(() => Promise.resolve(failing.set(none)))
      },
      start: () => serve(directory, { env: failing.env }),
      until: () => {
        const { shortWrites, failedWrites, failedSyncs } = failing.counts()
        return shortWrites + failedWrites + failedSyncs > 0
      }
    })
    const { shortWrites, failedWrites, failedSyncs } = failing.counts()
    process.stdout.write(
      `${rounds} crashes, ${changes} changes; ${shortWrites} writes were short, ${failedWrites} and ${failedSyncs} syncs failed\n`
    )
  }
)
