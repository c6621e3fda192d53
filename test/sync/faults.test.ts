import { expect, test } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { startApplication, type StartedApplication, temporaryDirectory } from '../support/application.ts'
import { importText, makeField, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import { isInTurn, isLong } from '../support/long.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { type ServedApplication, serve } from '../support/process.ts'
import { startLyingProxy } from '../support/lying-proxy.ts'
import { addRemote, endOfRun, type EndedRun, runSync, verifySync } from '../support/sync.ts'

interface Proxied {
  here: StartedApplication
  there: StartedApplication
  proxy: FaultProxy
  remoteId: number
}

async function startProxied(settings: object = {}): Promise<Proxied> {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startFaultProxy(there.app.baseUrl)
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl, ...settings })
  return { here, there, proxy, remoteId }
}

/** Runs until one finishes, as the schedule would. @returns how the runs before it ended */
async function runUntilDone({ here, remoteId }: Proxied): Promise<EndedRun[]> {
  const ended: EndedRun[] = []
  for (let runs = 0; runs < 20; runs++) {
    const run = await runSync(here.api, remoteId)
    ended.push(run)
    if (run.outcome === 'finished') return ended
  }
  throw new Error(`no run finished: ${ended.at(-1)?.message ?? ''}`)
}

const all: Fault[] = [
  'slow',
  'lost',
  'unanswered',
  'truncated',
  'doubled',
  'too many',
  'broken',
  'gateway',
  'lying'
]
const passing: Fault[] = isLong
  ? all.filter((_, index) => isInTurn(index))
  : ['unanswered', 'truncated', 'gateway', 'lying']

test.each(passing)(
  'a request that is %s in between leaves both sides equal, with nothing twice',
  async (fault) => {
    const pair = await startProxied({ direction: 'both' })
    const { here, there, proxy } = pair
    const list = await makeList(here.api, { name: 'One' })
    await makeField(here.api, list.id, 'City', 'text')
    for (const name of ['a', 'b', 'c']) {
      await makeSubscriber(here.api, list.id, `${name}@example.com`, { custom_fields: { City: name } })
    }
    await makeSegment(here.api, list.id, { name: 'Segment', other: list.id })
    // Each kind of request meets it once, at its first time.
    const met = new Set<string>()
    proxy.faultOf = ({ method, path }) => {
      const kind = `${method} ${path.replace(/\?.*/, '').replace(/\d+/g, '1')}`
      if (met.has(kind)) return 'none'
      met.add(kind)
      return fault
    }
    await runUntilDone(pair)
    proxy.faultOf = () => 'none'
    expect(await runSync(here.api, pair.remoteId)).toMatchObject({ outcome: 'finished' })
    expect(await verifySync(here.api, pair.remoteId)).toMatchObject({ equal: true, differences: [] })
    for (const { api } of [here, there]) {
      const { data: lists } = await api.get<MailingList[]>('/mailing_lists')
      expect(lists.map(({ name }) => name)).toEqual(['One'])
      const { data: people } = await api.get<Subscriber[]>(`/mailing_lists/${lists[0]?.id ?? 0}/subscribers`)
      expect(people.map(({ email }) => email).sort()).toEqual(
        ['a', 'b', 'c'].map((name) => `${name}@example.com`)
      )
      const segments = await api.get<unknown[]>(`/mailing_lists/${lists[0]?.id ?? 0}/segments`)
      expect(segments.data.length).toBe(1)
    }
  }
)

test('imports that are cut off anywhere add every subscriber once', async () => {
  const pair = await startProxied()
  const { here, there, proxy, remoteId } = pair
  const list = await makeList(here.api, { name: 'Many' })
  const rows = Array.from({ length: 1500 }, (_, at) => `p${at}@example.com`)
  await importText(here.api, list.id, `email\n${rows.join('\n')}\n`)
  const met = new Set<string>()
  proxy.faultOf = ({ method, path }) => {
    const kind = `${method} ${path.replace(/\?.*/, '').replace(/\d+/g, '1')}`
    if (!kind.includes('import') || met.has(kind)) return 'none'
    met.add(kind)
    return 'unanswered'
  }
  await runUntilDone(pair)
  expect(met.size).toBeGreaterThan(0)
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
  const { data: counts } = await there.api.get<{ counts: { active: number } }>('/subscriber_counts')
  expect(counts.counts.active).toBe(1500)
})

test('a change that has to be sent again overwrites nothing that happened there meanwhile', async () => {
  const { here, there, proxy, remoteId } = await startProxied({ direction: 'both' })
  const list = await makeList(here.api, { name: 'One' })
  await makeField(here.api, list.id, 'City', 'text')
  await makeSubscriber(here.api, list.id, 'a@example.com', { custom_fields: { City: 'Oslo' } })
  await runSync(here.api, remoteId)
  const { data: lists } = await there.api.get<MailingList[]>('/mailing_lists')
  const path = (listId: number) => `/mailing_lists/${listId}/subscribers/a@example.com`
  await here.api.put(path(list.id), { subscriber: { custom_fields: { City: 'Bergen' } } })
  const meanwhile: Promise<unknown>[] = []
  proxy.faultOf = ({ method }) => {
    if (method !== 'PUT' || meanwhile.length > 0) return 'none'
    meanwhile.push(there.api.put(path(lists[0]?.id ?? 0), { subscriber: { status: 'unsubscribed' } }))
    return 'lost'
  }
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', conflicts: 0 })
  await Promise.all(meanwhile)
  for (const [api, listId] of [
    [here.api, list.id],
    [there.api, lists[0]?.id ?? 0]
  ] as const) {
    const { data } = await api.get<Subscriber[]>(path(listId))
    expect(data[0]).toMatchObject({ status: 'unsubscribed', custom_fields: { City: { value: 'Bergen' } } })
  }
})

test('a subscriber added on both sides during a scan, and deleted here before the next, is matched again', async () => {
  const { here, there, proxy, remoteId } = await startProxied({ direction: 'both' })
  const list = await makeList(here.api, { name: 'One' })
  await makeSubscriber(here.api, list.id, 'removed@example.com')
  await runSync(here.api, remoteId)
  const { data: lists } = await there.api.get<MailingList[]>('/mailing_lists')
  await makeSubscriber(there.api, lists[0]?.id ?? 0, 'new@example.com')
  const pathOf = (name: string) => `/mailing_lists/${list.id}/subscribers/${name}@example.com`
  let isCut = false
  proxy.faultOf = async ({ method, path }) => {
    if (isCut) return 'lost'
    // The page of the look is on its way: whoever is removed now has to be removed there, before what the page told is written here.
    if (path.includes('/subscribers?per_page')) await here.api.delete(pathOf('removed'))
    if (method === 'DELETE') {
      await makeSubscriber(here.api, list.id, 'new@example.com')
      isCut = true
    }
    return 'none'
  }
  expect(await runSync(here.api, remoteId)).not.toMatchObject({ outcome: 'finished' })
  expect(isCut).toBe(true)
  await here.api.delete(pathOf('new'))
  proxy.faultOf = () => 'none'
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 0 })
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true, differences: [] })
})

test('the key goes to no other host, whatever a redirect says', async () => {
  const { here, proxy, remoteId } = await startProxied()
  proxy.faultOf = () => 'redirected'
  const run = await runSync(here.api, remoteId)
  expect(run).toMatchObject({ outcome: 'asking', remote: { state: 'asking', question: 'key' } })
  expect(run.message).toContain('redirects to another address')
  expect(proxy.passed.length).toBe(1)
})

test('sync asks for a new API key when the server rejects the stored one, and continues with it', async () => {
  const { here, there, remoteId } = await startProxied()
  await makeList(here.api, { name: 'One' })
  await here.api.workbench('PUT', `/remotes/${remoteId}`, { api_key: 'wrong' })
  expect(await runSync(here.api, remoteId)).toMatchObject({
    outcome: 'asking',
    message: expect.stringContaining('did not accept this key') as string
  })
  await here.api.workbench('PUT', `/remotes/${remoteId}`, { api_key: await there.app.createApiKey('other') })
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished' })
})

test('a server that cannot be reached is tried again later, and says when', async () => {
  const { here, there, remoteId } = await startProxied()
  await there.app.close()
  const run = await runSync(here.api, remoteId)
  expect(run).toMatchObject({ outcome: 'waiting', remote: { state: 'waiting' } })
  expect(run.remote.next_run_at).not.toBeNull()
})

/** An application in the middle of a run that the server does not answer. */
async function serveInRun(
  directory: string,
  proxy: FaultProxy,
  remoteId: number
): Promise<ServedApplication> {
  proxy.faultOf = () => new Promise(() => undefined)
  const asked = proxy.passed.length
  const here = await serve(directory)
  await here.api.workbench('POST', `/remotes/${remoteId}/run`)
  await expect.poll(() => proxy.passed.length, { timeout: 10_000 }).toBeGreaterThan(asked)
  return here
}

async function startForRuns() {
  const directory = await temporaryDirectory()
  const there = await startApplication()
  const proxy = await startFaultProxy(there.app.baseUrl)
  const first = await serve(directory)
  const remoteId = await addRemote(first.api, there, { base_url: proxy.baseUrl })
  await first.end('SIGTERM')
  return { directory, proxy, remoteId }
}

test('a run during which the application ended twice asks before it is tried again', async () => {
  const { directory, proxy, remoteId } = await startForRuns()
  for (let kills = 0; kills < 2; kills++) {
    await (await serveInRun(directory, proxy, remoteId)).end('SIGKILL')
  }
  proxy.faultOf = () => 'none'
  const last = await serve(directory)
  const asked = await endOfRun(last.api, remoteId)
  expect(asked.remote).toMatchObject({ state: 'asking', question: 'cut_off' })
  await last.api.workbench('POST', `/remotes/${remoteId}/answer`, { answer: 'go_on' })
  expect(await endOfRun(last.api, remoteId)).toMatchObject({ outcome: 'finished' })
  await last.end('SIGTERM')
})

test('a run that is stopped with the application continues with it, and asks no question', async () => {
  const { directory, proxy, remoteId } = await startForRuns()
  for (let ends = 0; ends < 3; ends++) {
    expect(await (await serveInRun(directory, proxy, remoteId)).end('SIGTERM')).toBe(0)
  }
  proxy.faultOf = () => 'none'
  const last = await serve(directory)
  expect(await endOfRun(last.api, remoteId)).toMatchObject({ outcome: 'finished' })
  await last.end('SIGTERM')
})

test('only sent rows are kept from the log of failed rows, however long it is', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startLyingProxy(there.app.baseUrl)
  const list = await makeList(here.api, { name: 'Many' })
  const rows = Array.from({ length: 300 }, (_, at) => `p${at}@example.com`)
  await importText(here.api, list.id, `email\n${rows.join('\n')}\n`)
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl })
  const strangers = 'stranger@example.com,"a reason that is long enough to fill the memory of a thread"\n'
  proxy.lie = (answer, path) => {
    if (/subscriber_imports\/\d+$/.test(path)) {
      const { stats } = answer.body['data'] as { stats: { subscribers: { failed: number } } }
      stats.subscribers.failed = 1
    }
    if (path.endsWith('/logs/failed')) {
      answer.status = 200
      answer.headers['content-type'] = 'text/csv'
      answer.text = `${strangers.repeat(500_000)}p7@example.com,"${'why '.repeat(1000)}"\n`
    }
  }
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished', refused: 1 })
  const { data } = await here.api.workbench<{ name: string; message: string }[]>(
    'GET',
    `/remotes/${remoteId}/refusals`
  )
  expect(data.map(({ name }) => name)).toEqual(['p7@example.com'])
  expect(data[0]?.message.length).toBe(500)
})

test('a page that exceeds the size limit of a response is requested again in smaller pages', async () => {
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const proxy = await startLyingProxy(there.app.baseUrl)
  const list = await makeList(here.api, { name: 'Long' })
  for (const name of ['a', 'b', 'c']) await makeSubscriber(here.api, list.id, `${name}@example.com`)
  const remoteId = await addRemote(here.api, there, { base_url: proxy.baseUrl, direction: 'both' })
  proxy.lie = (answer, path) => {
    const { data } = answer.body
    if (!path.endsWith('/subscribers') || !Array.isArray(data)) return
    for (const person of data as Record<string, unknown>[]) person['note'] = 'x'.repeat(4 * 1024 * 1024)
  }
  expect(await runSync(here.api, remoteId)).toMatchObject({ outcome: 'finished' })
  proxy.lie = () => undefined
  expect(await verifySync(here.api, remoteId)).toMatchObject({ equal: true })
})
