import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from './vitest.config.ts'

const isOfWindow = (path: string): boolean => basename(dirname(path)) === 'e2e'

/** Test files with a long form: those that import test/support/long.ts, and those of the window, which run in a larger one. */
const withLongForm = globSync('test/**/*.test.ts')
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => isOfWindow(path) || /from '.*\/support\/long\.ts'/.test(readFileSync(path, 'utf8')))

export const ofWindow = withLongForm.filter(isOfWindow)

/** Those whose long form includes all of the short one. */
export const coveredByLongForm = withLongForm.filter((path) => !isOfWindow(path))

/** Takes longer than its size suggests, and vitest orders files that it has not run before by size. */
const longest = 'test/e2e/accessibility.test.ts'

/** Begins with what takes longest, so that it does not run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(longest)
    return (await super.sort(files)).toSorted((a, b) => Number(isLongest(b)) - Number(isLongest(a)))
  }
}

/** The tests that have a long form, in that form. */
export default defineConfig({
  test: {
    ...base.test,
    include: withLongForm,
    env: { LONG: 'true' },
    sequence: { sequencer: LongestFirst }
  }
})
