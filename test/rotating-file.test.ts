import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RotatingFile } from '../src-main/base/rotating-file.ts'
import { temporaryDirectory } from './support/application.ts'

it('a log keeps its newest lines, in files that are no longer than they may be', async () => {
  const path = join(await temporaryDirectory(), 'logs/app.log')
  const file = new RotatingFile(path, { maxBytes: 100, kept: 2 })
  for (let line = 0; line < 40; line++) file.append(`line number ${line}\n`)
  expect(existsSync(`${path}.3`)).toBe(false)
  const kept = [`${path}.2`, `${path}.1`, path]
  for (const each of kept) expect(statSync(each).size).toBeLessThanOrEqual(100)
  const lines = kept
    .map((each) => readFileSync(each, 'utf8'))
    .join('')
    .trimEnd()
    .split('\n')
  expect(lines.at(-1)).toBe('line number 39')
  expect(lines).toEqual(lines.map((_, at) => `line number ${40 - lines.length + at}`))
  expect(statSync(path).mode & 0o077).toBe(0)
})
