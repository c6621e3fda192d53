import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Organization } from '../../src-main/api/organizations/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { User } from '../../src-main/api/users/schema.ts'
import { basic } from '../support/application.ts'
import { expectSuccess, makeField, makeList } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { seededRandom } from '../support/random.ts'
import { maxJobTime } from './prepared-list.ts'
import { startServer } from './server.ts'
import { percentile, timedCall } from './statistics.ts'

const organizationCount = 4
const clientsOfEach = 4
const seconds = 60

export interface LoadFigures {
  organizations: number
  clients: number
  calls: number
  calls_per_second: number
  reads_p50_ms: number
  reads_p99_ms: number
  writes_p50_ms: number
  writes_p99_ms: number
  errors: number
  leaks: number
}

interface Place {
  organizationId: number
  listId: number
  mark: string
  subscribers: number
}

interface LoadedClient {
  api: Client
  place: Place
  /** A list of another organization, which must not be found; null where there is one organization. */
  foreignListId: number | null
}

/**
 * Counts the calls of 16 clients in a minute, with four organizations and with one of the same size. Every
 * answer is searched for data of other organizations.
 */
export async function benchOrganizations(rows: number): Promise<LoadFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const dataDirectory = join(directory, 'data')
  const server = await startServer(dataDirectory)
  const perList = Math.floor(rows / organizationCount)
  try {
    const several: Place[] = []
    for (let number = 0; number < organizationCount; number++) {
      const organization = await makeOrganization(server.api, dataDirectory, `org${number}`)
      several.push(await fill(organization, perList))
    }
    const one = await makeOrganization(server.api, dataDirectory, 'single')
    const single: Place[] = []
    for (let number = 0; number < organizationCount; number++) single.push(await fill(one, perList))
    return [
      await load(await clientsOf(server.api.baseUrl, dataDirectory, single), 1),
      await load(await clientsOf(server.api.baseUrl, dataDirectory, several), organizationCount)
    ]
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

interface MadeOrganization {
  id: number
  mark: string
  api: Client
}

async function makeOrganization(
  system: Client,
  dataDirectory: string,
  mark: string
): Promise<MadeOrganization> {
  const { id } = expectSuccess(
    await system.post<Organization>('/organizations', { organization: { name: `The ${mark} company` } })
  )
  return { id, mark, api: await adminOf(system.baseUrl, dataDirectory, id) }
}

async function adminOf(baseUrl: string, dataDirectory: string, organizationId: number): Promise<Client> {
  const args = [
    'key',
    'create',
    'bench',
    '--organization',
    String(organizationId),
    '--data-dir',
    dataDirectory
  ]
  const { stdout } = await promisify(execFile)(process.execPath, ['out/main/listwright.js', ...args])
  return new Client(baseUrl, basic(`${organizationId}:${stdout.split('\n')[0]}`))
}

let lists = 0

async function fill({ id, mark, api }: MadeOrganization, subscribers: number): Promise<Place> {
  const list = await makeList(api, { name: `${mark} list ${++lists}` })
  await makeField(api, list.id, 'city', 'text')
  const people = Array.from({ length: subscribers }, (_, number) => `p${number}@${mark}.example,${mark} city`)
  const name = `${mark}-${lists}.csv`
  await api.raw(`/app/v1/uploads/${name}`, { method: 'PUT', body: `email,city\n${people.join('\n')}\n` })
  const { id: importId } = expectSuccess(
    await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email', 'city'],
        file_source: { type: 'upload_directory', filename: name }
      }
    })
  )
  const { stats } = await api.imported(importId, maxJobTime)
  if (stats.subscribers.added !== subscribers) throw new Error(`${name} was not imported whole`)
  return { organizationId: id, listId: list.id, mark, subscribers }
}

async function clientsOf(baseUrl: string, dataDirectory: string, places: Place[]): Promise<LoadedClient[]> {
  const clients: LoadedClient[] = []
  for (const place of places) {
    const { organizationId, mark, listId } = place
    const admin = await adminOf(baseUrl, dataDirectory, organizationId)
    const foreign = places.find((other) => other.organizationId !== organizationId)
    for (let number = 0; number < clientsOfEach; number++) {
      const user = {
        full_name: `${mark} user ${number}`,
        email: `user${number}-${listId}@${mark}.example`,
        active: true,
        role: 'organization_admin'
      }
      const { id } = expectSuccess(await admin.post<User>('/users', { user }))
      const { api_key: key } = expectSuccess(
        await admin.workbench<{ api_key: string }>('POST', '/api_keys', { name: 'load', user_id: id })
      )
      const api = new Client(baseUrl, basic(`${organizationId}:${key}`))
      clients.push({ api, place, foreignListId: foreign?.listId ?? null })
    }
  }
  return clients
}

async function load(clients: LoadedClient[], organizations: number): Promise<LoadFigures> {
  const reads: number[] = []
  const writes: number[] = []
  let errors = 0
  let leaks = 0
  const ends = performance.now() + seconds * 1000
  await Promise.all(
    clients.map(async (client, index) => {
      const random = seededRandom(index + 1)
      for (let number = 0; performance.now() < ends; number++) {
        const call = nextCall(client, `${index}-${number}`, random)
        const [method, path] = call
        const isForeign = client.foreignListId !== null && path.includes(`/${client.foreignListId}/`)
        const { took, answer } = await timedCall(client.api, call)
        ;(method === 'GET' ? reads : writes).push(took)
        if (answer.includes('"error_code":"not_found"') !== isForeign) errors++
        else if (!isForeign && !answer.startsWith('{"success":true')) errors++
        if (tellsOfOthers(answer, client.place.mark)) leaks++
      }
    })
  )
  const calls = reads.length + writes.length
  return {
    organizations,
    clients: clients.length,
    calls,
    calls_per_second: calls / seconds,
    reads_p50_ms: percentile(reads, 0.5),
    reads_p99_ms: percentile(reads, 0.99),
    writes_p50_ms: percentile(writes, 0.5),
    writes_p99_ms: percentile(writes, 0.99),
    errors,
    leaks
  }
}

function tellsOfOthers(answer: string, mark: string): boolean {
  return [...answer.matchAll(/\b(org\d|single)\b/g)].some(([found]) => found !== mark)
}

type NextCall = [method: string, path: string, body?: unknown]

/**
 * Seven reads in ten, like those of a window and some programs; every fiftieth call requests another
 * organization's list.
 */
function nextCall({ place, foreignListId }: LoadedClient, name: string, random: () => number): NextCall {
  const { listId, mark, subscribers } = place
  const path = `/mailing_lists/${listId}/subscribers`
  const somebody = `p${Math.floor(random() * subscribers)}%40${mark}.example`
  const dice = random() * 100
  if (dice < 2 && foreignListId !== null) return ['GET', `/mailing_lists/${foreignListId}/subscribers`]
  if (dice < 30) return ['GET', `${path}?page=${Math.floor((random() * subscribers) / 100)}`]
  if (dice < 45) return ['GET', `/subscribers_by_email/${somebody}`]
  if (dice < 55) return ['GET', '/subscriber_counts']
  if (dice < 60) return ['GET', '/mailing_lists']
  if (dice < 65) return ['GET', '/jobs/all?per_page=20']
  if (dice < 70) return ['GET', `/mailing_lists/${listId}/custom_fields`]
  if (dice < 90) {
    const email = `new-${name}@${mark}.example`
    return [
      'POST',
      path,
      { subscriber: { email, status: 'active', custom_fields: { city: `${mark} town` } } }
    ]
  }
  return ['PUT', `${path}/${somebody}`, { subscriber: { custom_fields: { city: `${mark} hill` } } }]
}
