import { expect, it } from 'vitest'
import { bulkActionsToForget } from '../../src-main/api/bulk-actions/queries.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { addPerson, beginAction } from '../support/bulk-steps.ts'
import { type CommandBench, commandBench } from '../support/commands.ts'

const people = 600
const unsubscribing = { kind: 'set_status', status: 'unsubscribed' } as const

async function actingOnAll(
  bench: CommandBench,
  action: { kind: 'set_status'; status: 'unsubscribed' } | { kind: 'delete' },
  count = people
): Promise<number> {
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
  const ids = []
  for (let person = 1; person <= count; person++)
    ids.push(await addPerson(bench, mailingListId, `p${person}@example.com`))
  return beginAction(bench, mailingListId, ids, action)
}

async function stepsOf(bench: CommandBench, id: number, isShared: boolean): Promise<number[]> {
  const done = bench.sqlite
    .prepare<[number], number>('SELECT done + undo_done FROM bulk_actions WHERE id = ?')
    .pluck()
  const steps: number[] = []
  for (let isMore = true; isMore;) {
    const before = done.get(id) ?? 0
    isMore = Boolean(await bench.run('bulkActions.continue', { id }, { pauses: true, isShared }))
    steps.push((done.get(id) ?? 0) - before)
  }
  return steps.filter((step) => step > 0)
}

const active = "SELECT count(*) FROM subscribers WHERE status = 'active'"

it.each([
  { isShared: false, sizes: [250, 250, 100] },
  { isShared: true, sizes: Array.from({ length: 12 }, () => 50) }
])('a bulk action takes small steps during other writes: $isShared', async ({ isShared, sizes }) => {
  const bench = await commandBench()
  const id = await actingOnAll(bench, unsubscribing)
  expect(await stepsOf(bench, id, isShared)).toEqual(sizes)
  expect(bench.sqlite.prepare(active).pluck().get()).toBe(0)
})

it('undoing a bulk action takes small steps during other writes; subscribers that cannot be restored are kept for another try', async () => {
  const bench = await commandBench()
  const id = await actingOnAll(bench, unsubscribing)
  await stepsOf(bench, id, false)
  // Subscribers that were changed since are left as they are.
  bench.sqlite.exec('UPDATE subscribers SET updated_at = 0 WHERE id IN (1, 240, 600)')
  await bench.run('bulkActions.undo', { organizationId: 1, id })
  expect(await stepsOf(bench, id, true)).toEqual(Array.from({ length: 12 }, () => 50))
  expect(bench.sqlite.prepare(active).pluck().get()).toBe(597)
  expect(bench.sqlite.prepare('SELECT restored, not_restored FROM bulk_actions').get()).toEqual({
    restored: 597,
    not_restored: 3
  })
  expect(
    bench.sqlite.prepare('SELECT count(*) FROM bulk_action_changes WHERE is_tried = 1').pluck().get()
  ).toBe(3)
  await bench.run('bulkActions.undo', { organizationId: 1, id })
  expect(await stepsOf(bench, id, true)).toEqual([1, 1, 1])
  expect(bench.sqlite.prepare('SELECT restored, not_restored FROM bulk_actions').get()).toEqual({
    restored: 597,
    not_restored: 3
  })
})

it('putting deleted subscribers back stops at the limit, however many steps share a command', async () => {
  const bench = await commandBench()
  const id = await actingOnAll(bench, { kind: 'delete' })
  await stepsOf(bench, id, false)
  bench.sqlite.exec('UPDATE organizations SET subscriber_limit = 300 WHERE id = 1')
  await bench.run('bulkActions.undo', { organizationId: 1, id })
  await bench.run('bulkActions.continue', { id })
  expect(bench.sqlite.prepare(active).pluck().get()).toBe(300)
})

async function endedAction(
  bench: CommandBench,
  { kept, keptByUndo }: { kept: number; keptByUndo: number }
): Promise<number> {
  const id = await actingOnAll(bench, unsubscribing, 1)
  await stepsOf(bench, id, false)
  const insert = bench.sqlite.prepare(
    `INSERT INTO bulk_action_kept (bulk_action_id, is_undo, subscriber_id, email, reason)
     VALUES (?, ?, ?, 'a@example.com', 'changed')`
  )
  bench.sqlite.transaction(() => {
    for (let person = 1; person <= kept; person++) insert.run(id, 0, person)
    for (let person = 1; person <= keptByUndo; person++) insert.run(id, 1, person)
  })()
  return id
}

it.each([
  { kept: 0, keptByUndo: 0, calls: 1 },
  { kept: 499, keptByUndo: 0, calls: 1 },
  { kept: 500, keptByUndo: 0, calls: 2 },
  { kept: 501, keptByUndo: 0, calls: 2 },
  { kept: 1000, keptByUndo: 3, calls: 3 },
  { kept: 400, keptByUndo: 400, calls: 2 }
])(
  'the undo data of an action is deleted in steps, with the skipped subscribers: $kept, and $keptByUndo after an undo',
  async ({ kept, keptByUndo, calls }) => {
    const bench = await commandBench()
    const id = await endedAction(bench, { kept, keptByUndo })
    const rows = bench.sqlite.prepare(
      `SELECT (SELECT count(*) FROM bulk_action_kept) AS kept, (SELECT count(*) FROM bulk_action_changes) AS changes,
         forgotten_at IS NOT NULL AS forgotten FROM bulk_actions`
    )
    let done = 0
    for (let isMore = true; isMore && done < 10; done++) {
      isMore = Boolean(await bench.run('bulkActions.forget', { id }))
      // The first step already marks the action as not undoable, since a part of its undo data is deleted.
      expect(rows.get()).toMatchObject({ forgotten: 1 })
    }
    expect(done).toBe(calls)
    expect(rows.get()).toEqual({ kept: 0, changes: 0, forgotten: 1 })
  }
)

it('an action whose undo data was partly deleted at the end of the application is cleaned up at its next start', async () => {
  const bench = await commandBench()
  const id = await endedAction(bench, { kept: 501, keptByUndo: 0 })
  const toForget = () => bulkActionsToForget(kyselyOver(bench.sqlite), Infinity)
  for (let piece = 1; piece <= 2; piece++) {
    expect(await toForget()).toEqual([{ id }])
    await bench.run('bulkActions.forget', { id })
  }
  expect(await toForget()).toEqual([])
})
