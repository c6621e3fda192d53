import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Segment } from '../../src-main/api/segments/schema.ts'
import { startApplication } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts'
import { roundsToRun } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'
import { runSyncAgreeing, verifySync } from '../support/sync.ts'

// Model-based, as convergence.test.ts is for people: each sequence is what happens on either side to one list, its fields and its
// segments. Names that a record is given are its own, so that no side has a reason to refuse it.

type Where = 'here' | 'there'
type Step = { on: Where } & (
  | { do: 'rename the list' }
  | { do: 'add' | 'rename' | 'remove'; kind: 'custom_fields' | 'segments'; which: number }
)

const on = fc.constantFrom<Where>('here', 'there')
const step: fc.Arbitrary<Step | null> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ on, do: fc.constant('rename the list' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      on,
      do: fc.constantFrom('add' as const, 'add' as const, 'rename' as const, 'remove' as const),
      kind: fc.constantFrom('custom_fields' as const, 'segments' as const),
      which: fc.nat({ max: 2 })
    })
  },
  { weight: 1, arbitrary: fc.constant(null) }
)
const rounds = 6

/** The expected records, whatever the order of changes, by list, kind and name. */
interface Known {
  /** How often a record of the name was added, on either side. */
  added: Map<string, number>
  /** Names that were added and neither renamed nor removed on any side. */
  untouched: Set<string>
}

async function take(step: Step, api: Client, name: string, unique: string, known: Known): Promise<void> {
  const { data: lists } = await api.get<MailingList[]>('/mailing_lists')
  const list = lists.find((each) => each.name.startsWith(`${name} `))
  if (!list) throw new Error(`the list ${name} is gone`)
  const renamed = `${name} ${unique}`
  if (step.do === 'rename the list')
    return void (await api.put(`/mailing_lists/${list.id}`, { mailing_list: { name: renamed } }))
  const key = step.kind === 'custom_fields' ? 'custom_field' : 'segmentation_criteria'
  const path = `/mailing_lists/${list.id}/${step.kind}`
  if (step.do === 'add') {
    const added = `${step.kind} ${step.which}`
    const clause = [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: list.id }]
    const record =
      step.kind === 'custom_fields' ? { name: added, field_type: 'text' } : { name: added, clause }
    if (!(await api.post(path, { [key]: record })).success) return
    const named = `${name}: ${added}`
    known.added.set(named, (known.added.get(named) ?? 0) + 1)
    known.untouched.add(named)
    return
  }
  const { data: records } = await api.get<(CustomField | Segment)[]>(path)
  const record = records[step.which]
  if (!record) return
  known.untouched.delete(`${name}: ${record.name}`)
  if (step.do === 'remove') await api.delete(`/${step.kind}/${record.id}`)
  else await api.put(`/${step.kind}/${record.id}`, { [key]: { name: renamed } })
}

test('lists, fields and segments changed on both sides over a bad network end equal, without duplicates', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  process.stdout.write(`convergence of records: SEED=${seed}\n`)
  const random = seededRandom(seed)
  const sequences = fc.sample(fc.array(step, { minLength: rounds, maxLength: rounds }), {
    seed,
    numRuns: roundsToRun(10, 100)
  })
  const [here, there] = await Promise.all([startApplication(), startApplication()])
  const apis = { here: here.api, there: there.api }
  for (const at of sequences.keys()) await makeList(here.api, { name: `L${at} ` + 'at first' })
  const proxy = await startFaultProxy(there.app.baseUrl)
  const { data: remote } = await here.api.workbench<{ id: number }>('POST', '/remotes', {
    base_url: proxy.baseUrl,
    organization_id: 1,
    api_key: await there.app.createApiKey('sync'),
    direction: 'both'
  })
  await runSyncAgreeing(here.api, remote.id)

  const known: Known = { added: new Map(), untouched: new Set() }
  const faults: Fault[] = ['lost', 'unanswered', 'truncated', 'broken', 'gateway']
  for (let round = 0; round < rounds; round++) {
    for (const [at, steps] of sequences.entries()) {
      const step = steps[round]
      if (step) await take(step, apis[step.on], `L${at}`, `${round} ${step.on}`, known)
    }
    proxy.faultOf = () =>
      random() < 0.05 ? (faults[Math.floor(random() * faults.length)] ?? 'none') : 'none'
    await runSyncAgreeing(here.api, remote.id)
  }
  proxy.faultOf = () => 'none'
  for (let runs = 0; runs < 3; runs++) await runSyncAgreeing(here.api, remote.id)

  expect((await verifySync(here.api, remote.id)).differences).toEqual([])
  expect(await runSyncAgreeing(here.api, remote.id)).toMatchObject({
    outcome: 'finished',
    pushed: {},
    pulled: {},
    refused: 0,
    conflicts: 0
  })
  const { data: lists } = await here.api.get<MailingList[]>('/mailing_lists')
  expect(lists.length).toBe(sequences.length)
  for (const [at, steps] of sequences.entries()) {
    const list = lists.find(({ name }) => name.startsWith(`L${at} `))
    for (const kind of ['custom_fields', 'segments']) {
      const { data } = await here.api.get<{ name: string }[]>(`/mailing_lists/${list?.id}/${kind}`)
      const names = data.map(({ name }) => name)
      const told = `L${at}: ${JSON.stringify(steps)}`
      for (const [name, alike] of Map.groupBy(names, (name) => name)) {
        expect(alike.length, told).toBeLessThanOrEqual(known.added.get(`L${at}: ${name}`) ?? 1)
      }
      const wanted = [...known.untouched].filter((each) => each.startsWith(`L${at}: ${kind}`))
      expect(names, told).toEqual(expect.arrayContaining(wanted.map((each) => each.split(': ')[1])))
    }
  }
}, 600_000)
