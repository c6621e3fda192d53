import { mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'
import { slow } from './vitest.slow.config.ts'

/** The tests of `npm test`. */
export default mergeConfig(base, { test: { exclude: slow } })
