import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start applications and browsers of their own; two at a time suit two cores.
    maxWorkers: 2,
    // Longest wait before a test is given up, on a machine that is busy with other things; no test measures speed.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ['default']
  }
})
