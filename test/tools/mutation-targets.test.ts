import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { targets } from '../mutation/targets.ts'

it('the targets of mutation tests are files and folders that exist', () => {
  const paths = targets.flatMap(({ sources, tests }) => [...sources, ...tests])

  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})
