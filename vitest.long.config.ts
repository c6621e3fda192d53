import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The tests that have a long form, in that form; see test/support/long.ts. */
export default defineConfig({
  test: {
    ...base.test,
    include: [
      'test/imports/{recovery,faults}.test.ts',
      'test/delivery/recovery.test.ts',
      'test/segments/filters.test.ts',
      'test/bulk-actions/*.test.ts',
      'test/sync/*.test.ts',
      'test/tools/*.test.ts',
      'test/torture/*.test.ts',
      'test/salvage/*.test.ts',
      'test/e2e/*.test.ts'
    ],
    env: { LONG: 'true' }
  }
})
