import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Each application that a test starts loads the same modules; Node keeps them compiled here.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node')

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They change the system that they run on: npm run test:packages.
    exclude: ['test/packages/**'],
    // Files that run in the same worker share what they import; to load it again for each took a fifth of the time.
    isolate: false,
    // What a test or an application set for the process is not left to the next test or file.
    setupFiles: 'test/support/default-umask.ts',
    unstubEnvs: true,
    // Tests start applications and browsers of their own; two at a time suit two cores.
    maxWorkers: 2,
    // Longest wait before a test is given up, on a machine that is busy with other things; no test measures speed.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // The same for what a test looks at again and again.
    expect: { poll: { timeout: 15_000 } },
    // What was built is run as it is.
    server: { deps: { external: [/\/out\/main\//] } },
    reporters: ['default']
  }
})
