import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Client } from '../support/client.ts'
import { type LoadTarget, measureLoad, type NumberedCall } from './http-load.ts'
import {
  duckPeer,
  type PeerDatabase,
  type PeerStatements,
  postgresPeer,
  secondsOf,
  sqlitePeer
} from './peer-databases.ts'
import type { PeerKind } from './peer-server.ts'
import { writePeople } from './people.ts'
import { exportWhole, importPeople, makePeopleList, upload } from './prepared-list.ts'
import { type BenchedServer, startServer } from './server.ts'
import { percentile } from './statistics.ts'

const rounds = 3
const clients = 16
const secondsPerLoad = 3
const listedFields = 5

/** Figures of one run: the median of three rounds, in which the application and its peers take turns. */
export interface PeerFigures {
  what: string
  unit: 'seconds' | 'calls/s'
  listwright: number
  /** To sqlite3, or to Fastify with the same object: below 1 means that ours is faster. */
  ratio?: number
  /** Milliseconds of processor time per call, where it is a call. */
  cpu_ms?: number
  p99_ms?: number
  [peer: string]: number | string | undefined
}

/**
 * The application beside others that do the same work on the same machine, by turns: plain node and Fastify with the same answer, and
 * databases with the same people. Theirs are bare: nothing of a row is checked, logged, counted, mapped or kept for an undo.
 */
export async function benchPeers(rows: number): Promise<PeerFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    return [
      ...(await besideDatabases(server.api, directory, rows)),
      ...(await besideServers(server, directory))
    ]
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

async function besideDatabases(api: Client, directory: string, rows: number): Promise<PeerFigures[]> {
  const people = join(directory, 'people.csv')
  const older = join(directory, 'older.csv')
  await writePeople(people, rows)
  await writePeople(older, rows, 0, 1)
  const uploads = [await upload(api, people), await upload(api, older)] as const
  const times = new Map<keyof PeerStatements, Map<string, number[]>>()
  const note = (statement: keyof PeerStatements, name: string, seconds: number): void => {
    const ofStatement = times.get(statement) ?? new Map<string, number[]>()
    times.set(statement, ofStatement.set(name, [...(ofStatement.get(name) ?? []), seconds]))
  }
  for (let round = 0; round < rounds; round++) {
    const files = { directory: join(directory, `round-${round}`), people, older }
    await mkdir(files.directory)
    const peers = [sqlitePeer(files), await duckPeer(files), await postgresPeer(files)].filter(
      (peer) => peer !== null
    )
    const own = await ownStatements(api, uploads, { rows, round })
    for (const statement of ['import', 'update', 'filter', 'search', 'sort', 'export'] as const) {
      note(statement, 'listwright', await secondsOf(own[statement]))
      for (const peer of peers) note(statement, peer.name, await peer.time(statement))
    }
    await Promise.all(peers.map((peer: PeerDatabase) => peer.end()))
    await rm(files.directory, { recursive: true })
  }
  return [...times].map(([statement, ofStatement]) => {
    const medians = [...ofStatement].map(([name, seconds]) => [name, percentile(seconds, 0.5)] as const)
    const { listwright = Number.NaN, ...others } = Object.fromEntries(medians)
    const ratio = listwright / (others['sqlite3'] ?? Number.NaN)
    return { what: labels[statement](rows), unit: 'seconds', listwright, ratio, ...others }
  })
}

const labels: Record<keyof PeerStatements, (rows: number) => string> = {
  import: (rows) => `import of ${rows}, unique emails in random order`,
  update: (rows) => `import of ${rows} of which each has changed`,
  filter: () => 'filter by one value, a text and a date',
  search: () => 'search in emails and three texts',
  sort: () => 'order of all by a text',
  export: () => 'export of all as CSV'
}

type OwnStatements = Record<keyof PeerStatements, () => Promise<unknown>>

/** @param round makes each question a new one, which no cache answers */
async function ownStatements(
  api: Client,
  [people, older]: readonly [string, string],
  { rows, round }: { rows: number; round: number }
): Promise<OwnStatements> {
  const list = await makePeopleList(api)
  const { data: fields } = await api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields`)
  const idOf = (name: string): number => fields.find((field) => field.name === name)?.id ?? 0
  const table = (question: object) => askTable(api, list, question)
  return {
    import: () => importPeople(api, list, people),
    update: () => importPeople(api, list, older, { overwrite: true }),
    filter: () =>
      table({
        clause: [
          { type: 'status', operator: 'is one of', statuses: ['active'] },
          { type: 'custom_field', custom_field_id: idOf('city'), operator: 'contains', value: 'rich' },
          {
            type: 'custom_field',
            custom_field_id: idOf('signup date'),
            operator: 'is after',
            value: '2018-09-01'
          }
        ]
      }),
    search: () => table({ search: 'weber' }),
    sort: () => table({ sort: { by: idOf('city'), descending: round % 2 === 1 } }),
    export: () => exportWhole(api, list, rows)
  }
}

async function askTable(api: Client, list: MailingList, question: object): Promise<void> {
  const answer = await api.workbench('POST', `/mailing_lists/${list.id}/subscriber_table`, question)
  if (!answer.success || answer.num_records === 0)
    throw new Error(answer.error_message ?? 'nothing was found')
}

async function besideServers({ api, pid }: BenchedServer, directory: string): Promise<PeerFigures[]> {
  const rows = 20_000
  const file = join(directory, 'few.csv')
  await writePeople(file, rows, listedFields)
  const list = await makePeopleList(api, listedFields)
  await importPeople(api, list, await upload(api, file), { further: listedFields })
  const path = `/ga/api/v2/mailing_lists/${list.id}/subscribers`
  const own: LoadTarget = { url: api.baseUrl, authorization: api.authorization, pid }
  const { data } = await api.get<{ id: number }[]>(`/mailing_lists/${list.id}/subscribers?per_page=1`)
  const firstId = data[0]?.id ?? 0
  const custom_fields = { 'first name': 'Anna', city: 'Wien', age: 40, 'field 1': 'text' }
  let made = 0
  const page = await api.raw(path)
  const { next_page_token: token } = (await page.clone().json()) as { next_page_token: string }
  const reads: Record<string, NumberedCall> = {
    'page of 100 with ten fields, by number': (number) => ({
      method: 'GET',
      path: `${path}?page=${(number * 7) % (rows / 100)}`
    }),
    'page of 100 with ten fields, by token': () => ({ method: 'GET', path: `${path}?page_token=${token}` }),
    'subscriber by id': (number) => ({ method: 'GET', path: `${path}/${firstId + ((number * 7919) % rows)}` })
  }
  const writes: Record<string, NumberedCall> = {
    'create a subscriber': () => ({
      method: 'POST',
      path,
      body: { subscriber: { email: `made${made++}@example.com`, status: 'active', custom_fields } }
    }),
    'update a subscriber': (number) => ({
      method: 'PUT',
      path: `${path}/${firstId + ((number * 7919) % rows)}`,
      body: { subscriber: { custom_fields: { age: number % 100 } } }
    })
  }
  const figures: PeerFigures[] = []
  for (const [what, call] of Object.entries(reads)) {
    const { method, path: asked } = call(0)
    const answer = join(directory, 'answer.json')
    await writeFile(answer, await (await api.raw(asked, { method })).text())
    figures.push(
      await loadFigures(what, own, call, ['node, bytes', 'fastify, bytes', 'fastify, object'], answer)
    )
  }
  for (const [what, call] of Object.entries(writes)) figures.push(await loadFigures(what, own, call))
  return figures
}

async function loadFigures(
  what: string,
  own: LoadTarget,
  call: NumberedCall,
  kinds: readonly PeerKind[] = [],
  answer = ''
): Promise<PeerFigures> {
  const peers = await Promise.all(kinds.map((kind) => startPeer(kind, answer)))
  const load = { clients, seconds: secondsPerLoad }
  const ownLoads = []
  const others = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    ownLoads.push(await measureLoad(own, call, load))
    for (const { kind, target } of peers) {
      const { calls_per_second } = await measureLoad(target, () => ({ method: 'GET', path: '/' }), load)
      others.set(kind, [...(others.get(kind) ?? []), calls_per_second])
    }
  }
  for (const { end } of peers) end()
  const listwright = percentile(
    ownLoads.map(({ calls_per_second }) => calls_per_second),
    0.5
  )
  const fastify = others.get('fastify, object')
  return {
    what: `${what}, ${clients} clients`,
    unit: 'calls/s',
    listwright,
    ...(fastify && { ratio: percentile(fastify, 0.5) / listwright }),
    cpu_ms: percentile(
      ownLoads.map(({ cpu_ms_per_call }) => cpu_ms_per_call),
      0.5
    ),
    p99_ms: percentile(
      ownLoads.map(({ p99_ms }) => p99_ms),
      0.5
    ),
    ...Object.fromEntries([...others].map(([kind, loads]) => [kind, percentile(loads, 0.5)]))
  }
}

async function startPeer(kind: PeerKind, answer: string) {
  const child = spawn(process.execPath, ['test/bench/peer-server.ts', kind, answer], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  process.on('exit', () => child.kill('SIGKILL'))
  for await (const url of createInterface(child.stdout)) {
    return { kind, target: { url, pid: child.pid ?? 0 }, end: () => void child.kill() }
  }
  throw new Error(`${kind} did not start`)
}
