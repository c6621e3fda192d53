import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'
import { coveredByLongForm } from './vitest.long.config.ts'

/** What takes longest, of parts that other tests are about as well: `npm test` does without, `npm run test:long` does not. */
export const slow = [
  'test/api/primary-key.test.ts',
  'test/backups/{archive,backups,encryption,restore-steps}.test.ts',
  'test/bulk-actions/recovery.test.ts',
  'test/database/failing-disk.test.ts',
  'test/delivery/faults.test.ts',
  'test/delivery/smtp/postfix.test.ts',
  'test/desktop/shell.test.ts',
  'test/e2e/{accessibility,audit,backups,bounces,bulk-actions,campaigns,drafts,events,filters,home,imports,integrity}.test.ts',
  'test/e2e/{jobs,language,layout,list-settings,lists,message-design,message-editor,palette,segments,sending}.test.ts',
  'test/e2e/{subscriber-page,suppression,sync,templates,undo,users,views}.test.ts',
  'test/exports/exports.test.ts',
  'test/headless/{files,serve,start,sync}.test.ts',
  'test/imports/faults.test.ts',
  'test/integrity/damage.test.ts',
  'test/jobs/clock.test.ts',
  'test/retention.test.ts',
  'test/salvage/{repairs,salvage}.test.ts',
  'test/segments/filters.test.ts',
  'test/sync/{faults,mirror,people,records-convergence}.test.ts',
  'test/threads.test.ts',
  'test/torture/{bodies,damage,fuzz,gate,lying-remote,mailbox,pages,remote-lists,smtp,webhooks,write-back}.test.ts'
]

/** The slow tests, except those that `npm run test:long` runs in their long form after them. */
export default defineConfig({
  test: { ...base.test, include: slow, exclude: [...(base.test?.exclude ?? []), ...coveredByLongForm] }
})
