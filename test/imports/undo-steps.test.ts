import { expect, it } from 'vitest'
import type { CommandInput } from '../../src-main/database/command.ts'
import { Unfinished } from '../../src-main/database/command.ts'
import { addPerson } from '../support/bulk-steps.ts'
import { commandBench, plainImport } from '../support/commands.ts'

const outcomeOfAll =
  'SELECT done = total AS dealt_with_all, removed, restored, kept, finished_at IS NOT NULL AS ended FROM import_undos'

async function imported({ known = 0, added = 0, status = 'bounced' }) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'List' } })
  for (let person = 0; person < known; person++)
    await addPerson(bench, mailingListId, `k${person}@example.com`)
  const plain = plainImport(mailingListId)
  const settings: CommandInput<'subscriberImports.create'>['settings'] = {
    ...plain.settings,
    overwrite: true,
    overwrite_what: { ...plain.settings.overwrite_what, status: true }
  }
  const id = await bench.run('subscriberImports.create', { ...plain, settings })
  await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
  await bench.run('subscriberImports.startSplitting', { id, fingerprint: 'same' })
  const emails = [
    ...Array.from({ length: added }, (_, person) => `a${person}@example.com`),
    ...Array.from({ length: known }, (_, person) => `k${person}@example.com`)
  ]
  await bench.run('subscriberImports.startImporting', { id, records: emails.length })
  if (emails.length > 0) {
    const batch = { emails, customFields: emails.map(() => '{}'), statuses: emails.map(() => status) }
    await bench.run('subscriberImports.writeBatch', { id, index: 0, batch })
  }
  const named = { organizationId: 1, id }
  return {
    bench,
    id,
    end: () => bench.run('subscriberImports.end', { id, end: { is: 'finished' } }),
    begin: () => bench.run('importUndos.begin', named),
    undo: async (pauses: boolean) => {
      let steps = 0
      for (let isMore: unknown = true; isMore; steps++) {
        isMore = await bench.run('importUndos.continue', { id }, { pauses })
        if (isMore instanceof Unfinished) expect(isMore.rest).toEqual({ id })
      }
      return steps
    },
    row: (sql: string) => bench.sqlite.prepare(sql).get(),
    counts: () =>
      bench.sqlite
        .prepare('SELECT status, subscribers FROM mailing_list_counts WHERE subscribers > 0 ORDER BY status')
        .raw()
        .all()
  }
}

it.each([
  // Those who were added and those who were overwritten are dealt with in separate steps.
  { pauses: true, steps: 7 },
  { pauses: false, steps: 2 }
])('an import is undone in steps, of fifty people where others wait: $pauses', async ({ pauses, steps }) => {
  const { bench, end, begin, undo, row, counts } = await imported({ known: 101, added: 120 })
  await end()
  expect(counts()).toEqual([['bounced', 221]])
  await begin()
  bench.told.length = 0
  expect(await undo(pauses)).toBe(steps)
  expect(counts()).toEqual([['active', 101]])
  expect(row('SELECT count(*) AS people, min(status) AS status FROM subscribers')).toEqual({
    people: 101,
    status: 'active'
  })
  expect(row(outcomeOfAll)).toEqual({ dealt_with_all: 1, removed: 120, restored: 101, kept: 0, ended: 1 })
  expect(bench.told.filter(({ entity }) => entity === 'subscriber_import')).toHaveLength(1)
})

it('subscribers that were changed since are skipped and named, and the import reports its progress', async () => {
  const { bench, end, begin, undo, row, counts } = await imported({ known: 2, added: 2 })
  await end()
  bench.sqlite.exec("UPDATE subscribers SET updated_at = 7 WHERE email <> 'a1@example.com'")
  // Who is gone is neither kept nor restored.
  bench.sqlite.exec("DELETE FROM subscribers WHERE email = 'k1@example.com'")
  await begin()
  bench.told.length = 0
  await undo(true)
  expect(row(outcomeOfAll)).toEqual({ dealt_with_all: 1, removed: 1, restored: 0, kept: 2, ended: 1 })
  expect(
    bench.sqlite.prepare('SELECT email, reason FROM import_undo_kept ORDER BY email').raw().all()
  ).toEqual([
    ['a0@example.com', 'changed'],
    ['k0@example.com', 'changed']
  ])
  // One report comes from the step that skipped the changed subscribers, and one from the end.
  expect(bench.told.filter(({ entity }) => entity === 'subscriber_import')).toHaveLength(2)
  expect(counts()).toEqual([['bounced', 3]])
})

it('the change log names only the subscribers that an import added, not existing ones', async () => {
  const { bench } = await imported({ known: 3, added: 2 })
  const added = bench.sqlite
    .prepare<[], number>("SELECT id FROM subscribers WHERE email LIKE 'a%' ORDER BY id")
    .pluck()
    .all()
  const told = bench.told.filter(({ entity, action }) => entity === 'subscriber' && action === 'create')
  expect(told.at(-1)).toMatchObject({ firstId: added[0], lastId: added[1] })
  expect(added).toHaveLength(2)
})

it('an import that cannot be undone says why', async () => {
  const { bench, id, end, begin, undo } = await imported({ added: 1 })
  await expect(begin()).rejects.toThrow('an import that is importing cannot be undone; cancel it first')
  await end()
  const forbid = bench.sqlite.prepare(
    "UPDATE settings SET value = ? WHERE name = 'service_disable_subscriber_deletion'"
  )
  bench.sqlite
    .prepare("INSERT INTO settings (name, value) VALUES ('service_disable_subscriber_deletion', 'true')")
    .run()
  await expect(begin()).rejects.toThrow(
    'subscribers cannot be removed: service_disable_subscriber_deletion is on'
  )
  forbid.run('false')
  await begin()
  await expect(begin()).rejects.toThrow('this import was undone already')
  await undo(false)
  await expect(begin()).rejects.toThrow('this import was undone already')
  bench.sqlite.prepare('UPDATE subscriber_imports SET logs_purged_at = 1 WHERE id = ?').run(id)
  await expect(begin()).rejects.toThrow('an import can be undone for 7 days, and this one ended before that')
})

it('an import that changed nothing has nothing to undo, and one that added no subscriber deletes none', async () => {
  const nothing = await imported({})
  await nothing.end()
  await expect(nothing.begin()).rejects.toThrow('this import changed nothing that could be undone')
  // Everybody has the status already that it gives them.
  const same = await imported({ known: 3, status: 'active' })
  await same.end()
  await expect(same.begin()).rejects.toThrow('this import changed nothing that could be undone')
  const overwriting = await imported({ known: 1 })
  await overwriting.end()
  overwriting.bench.sqlite
    .prepare("INSERT INTO settings (name, value) VALUES ('service_disable_subscriber_deletion', 'true')")
    .run()
  await overwriting.begin()
  await overwriting.undo(false)
  expect(overwriting.row(outcomeOfAll)).toMatchObject({ removed: 0, restored: 1, kept: 0 })
})
