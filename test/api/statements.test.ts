import { expect, it } from 'vitest'
import { commandBench } from '../support/commands.ts'
import { statementsOn } from '../support/statements.ts'

it('an update of a subscriber reads the list, the fields and the subscriber once', async () => {
  const bench = await commandBench()
  const statements = statementsOn(bench.sqlite)
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
  const scope = { organizationId: 1, timeZone: 'UTC', mailingListId }
  await bench.run('subscribers.create', {
    ...scope,
    subscriber: {
      email: 'a@example.com',
      status: 'active',
      apply_custom_field_defaults: false,
      skip_autoresponders: false,
      autoresponder_exclude_reacted: false
    }
  })
  const before = statements.length

  await bench.run('subscribers.update', {
    ...scope,
    name: { email: 'a@example.com' },
    changes: { status: 'unsubscribed', run_autoresponders: false }
  })

  const run = statements.slice(before)
  const reads = (table: string) => run.filter((text) => text.startsWith(`select * from "${table}"`)).length
  expect(['mailing_lists', 'custom_fields', 'subscribers'].map(reads)).toEqual([1, 1, 1])
  expect(run).toHaveLength(10)
})
