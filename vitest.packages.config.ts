import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What installs packages into the system: not for a machine that somebody uses. */
export default defineConfig({
  test: { ...base.test, include: ['test/packages/*.test.ts'], exclude: [] }
})
