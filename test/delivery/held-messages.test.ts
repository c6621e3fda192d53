import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { kyselyOver, openForWriting } from '../../src-main/database/connection.ts'
import { migrate, migrations } from '../../src-main/database/migrate.ts'
import { sentAutoresponders } from '../../src-main/database/migrations/0049-sent-autoresponders.ts'
import { autorespondersToSend } from '../../src-main/delivery/autoresponders/queries.ts'
import { temporaryDirectory } from '../support/application.ts'
import { addPerson } from '../support/bulk-steps.ts'
import { commandBench } from '../support/commands.ts'

/** A list with an autoresponder and two messages that an earlier version queued. */
async function heldMessages() {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', {
    organizationId: 1,
    list: { name: 'Readers' }
  })
  const scope = { organizationId: 1, mailingListId }
  const { id } = await bench.run('autoresponders.create', {
    ...scope,
    autoresponder: { name: 'Welcome', trigger: 'api' }
  })
  for (const name of ['anna', 'ben']) {
    const subscriberId = await addPerson(bench, mailingListId, `${name}@example.com`, {})
    bench.sqlite
      .prepare(
        `INSERT INTO autoresponder_reactions
          (autoresponder_id, subscriber_id, due_at, content_replacement_fields, created_at, is_held)
          VALUES (?, ?, 1, '{}', 1, 1)`
      )
      .run(id, subscriberId)
  }
  const due = () => autorespondersToSend(kyselyOver(bench.sqlite))
  const count = (): unknown =>
    bench.sqlite.prepare('SELECT count(*) FROM autoresponder_reactions').pluck().get()
  return { bench, scope, id, due, count }
}

it('messages that were queued before any could be sent are held by the migration', async () => {
  const directory = await temporaryDirectory()
  const sqlite = openForWriting(join(directory, 'listwright.db'))
  onTestFinished(() => void sqlite.close())
  migrate(sqlite, directory, migrations.slice(0, migrations.indexOf(sentAutoresponders)))
  sqlite.pragma('foreign_keys = OFF')
  sqlite
    .prepare(
      `INSERT INTO autoresponder_reactions
        (autoresponder_id, subscriber_id, due_at, content_replacement_fields, created_at)
        VALUES (1, 1, 1, '{}', 1)`
    )
    .run()

  migrate(sqlite, directory)

  expect(sqlite.prepare('SELECT is_held FROM autoresponder_reactions').pluck().all()).toEqual([1])
})

it('held messages are not due until a user releases them', async () => {
  const { bench, scope, id, due } = await heldMessages()
  expect(await due()).toEqual([])

  await bench.run('autoresponders.decideHeld', { ...scope, sends: true })

  expect(await due()).toEqual([{ id, dueAt: 1 }])
})

it('held messages are deleted if a user says so', async () => {
  const { bench, scope, due, count } = await heldMessages()

  await bench.run('autoresponders.decideHeld', { ...scope, sends: false })

  expect(count()).toBe(0)
  expect(await due()).toEqual([])
})
