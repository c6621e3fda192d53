import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What takes longest, of parts that other tests are about as well: `npm test` does without, `npm run test:long` does not. */
export const slow = [
  'test/backups/{encryption,restore-steps}.test.ts',
  'test/bulk-actions/recovery.test.ts',
  'test/desktop/shell.test.ts',
  'test/e2e/{accessibility,audit,backups,bulk-actions,campaigns,drafts,filters,imports,integrity,jobs}.test.ts',
  'test/e2e/{language,layout,list-settings,message-design,message-editor,palette,suppression}.test.ts',
  'test/e2e/{sync,templates,undo,users,views}.test.ts',
  'test/headless/sync.test.ts',
  'test/imports/faults.test.ts',
  'test/integrity/damage.test.ts',
  'test/sync/{faults,mirror,people,records-convergence}.test.ts',
  'test/torture/damage.test.ts'
]

export default defineConfig({ test: { ...base.test, include: slow } })
