import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { importOutcomes } from '../../src-main/api/subscriber-imports/schema.ts'
import { DryRunBatches } from '../../src-main/imports/dry-run-batch.ts'
import { ValueChanges } from '../../src-main/imports/value-changes.ts'
import { newImportSession } from '../../src-main/imports/import-batch.ts'
import { addPerson } from '../support/bulk-steps.ts'
import { commandBench, plainImport } from '../support/commands.ts'

/** A dry run of emails on a list that has k@example.com. */
async function dryRun(room = Infinity) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'List' } })
  await addPerson(bench, mailingListId, 'k@example.com')
  const session = newImportSession(mailingListId, [], plainImport(mailingListId).settings)
  const batches = new DryRunBatches(
    bench.sqlite,
    session,
    join(bench.directory, 'keys.db'),
    room,
    new ValueChanges([])
  )
  onTestFinished(() => batches.close())
  /** The outcome of each row; an email that is '' stands for a row that failed. */
  return (...emails: string[]) =>
    [...batches.apply({ emails, customFields: emails.map(() => '{}') })].map((code) => importOutcomes[code])
}

it('a dry run recognizes duplicates of earlier batches and existing subscribers', async () => {
  const apply = await dryRun()
  expect(apply('a@example.com', 'K@example.com', 'A@example.com', '')).toEqual([
    'added',
    'skipped_overwrite',
    'skipped_duplicate',
    'failed'
  ])
  expect(apply('a@example.com', 'b@example.com')).toEqual(['skipped_duplicate', 'added'])
})

it('a dry run adds as many subscribers as the limit allows, across all batches', async () => {
  const apply = await dryRun(2)
  expect(apply('a@example.com', 'k@example.com')).toEqual(['added', 'skipped_overwrite'])
  expect(apply('b@example.com', 'c@example.com', 'a@example.com')).toEqual([
    'added',
    'skipped_over_limit',
    'skipped_duplicate'
  ])
})
