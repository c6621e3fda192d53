import { execFileSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'
import { coveredByLongForm, LongestFirst, ofWindow } from './vitest.long.config.ts'
import { slow } from './vitest.slow.config.ts'

/** Which third of the long forms runs: another one with each commit, and the same again for the same one. */
const third =
  Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8), 16) % 3
process.stdout.write(`LONG=${third}\n`)

/**
 * What .ci/run runs besides `npm test`: the slow tests, and a third of the long forms, without running anything
 * twice. One of the thirds has the window's tests in the larger window, including those of `npm test`.
 */
export default defineConfig({
  test: {
    ...base.test,
    include: [...slow, ...coveredByLongForm, ...(third === 0 ? ofWindow : [])],
    env: { LONG: String(third) },
    sequence: { sequencer: LongestFirst }
  }
})
