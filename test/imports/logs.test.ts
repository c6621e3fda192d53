import { englishOf, refusal } from '../../src-main/base/refusal.ts'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, it } from 'vitest'
import { SubscriberImportInput } from '../../src-main/api/subscriber-imports/schema.ts'
import { validationFailed } from '../../src-main/base/errors.ts'
import { importFault, ImportFailure } from '../../src-main/csv/failure.ts'
import { ImportLogs } from '../../src-main/imports/logs.ts'
import { countRecords } from '../../src-main/imports/split.ts'
import { canCountOpenFiles, openFiles } from '../support/open-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'listwright-logs-'))
afterAll(() => rm(directory, { recursive: true }))
const format = Value.Default(SubscriberImportInput.properties.file_format, {}) as Parameters<
  typeof countRecords
>[1]

describe('the logs of an import', () => {
  it('hold everything that was added once they are closed, and nothing of an earlier run', () => {
    const path = join(directory, 'logs')
    const earlier = new ImportLogs(path, format)
    earlier.addEmail('skipped_duplicate', 'old@example.com')
    earlier.close()
    const logs = new ImportLogs(path, format)
    logs.addEmail('added', 'a@example.com')
    logs.flush()
    logs.addEmail('added', 'b@example.com')
    logs.addFailure(['c@', 'Ann, "the first"'], 'is no email')
    logs.close()
    expect(readdirSync(path).sort()).toEqual(['added.txt', 'failed.csv'])
    expect(readFileSync(join(path, 'added.txt'), 'utf8')).toBe('a@example.com\nb@example.com\n')
    expect(readFileSync(join(path, 'failed.csv'), 'utf8').trimEnd()).toBe(
      'c@,"Ann, ""the first""",is no email'
    )
  })
})

it.runIf(canCountOpenFiles)('the logs of an import are open until they are closed, and no longer', () => {
  const path = join(directory, 'open')
  const logs = new ImportLogs(path, format)
  expect(openFiles(path)).toBe(0)
  logs.addEmail('added', 'a@example.com')
  logs.addFailure(['c@'], 'is no email')
  logs.flush()
  expect(openFiles(path)).toBe(2)
  logs.close()
  logs.close()
  expect(openFiles(path)).toBe(0)
})

describe('why an import could not go on', () => {
  const textOf = (error: unknown): string => englishOf(importFault(error))

  it('is the sentence of the refusal', () => {
    expect(textOf(new ImportFailure(refusal('enclosure_not_closed', { enclosure: '"' }), 7))).toBe(
      'Line 7: a " is opened here and never closed'
    )
    expect(textOf(validationFailed(refusal('blank', { field: 'name' })))).toBe('name cannot be blank')
  })

  it('is the full disk, with what to do', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    expect(textOf(full)).toMatch(/full.*, then import the file again$/i)
  })

  it('is an internal error for an unexpected exception', () => {
    expect(textOf(new TypeError('x is undefined'))).toBe(
      'The import was stopped by an internal error: x is undefined'
    )
  })
})

it('counting the records of a file ends when it is stopped', async () => {
  const path = join(directory, 'people.csv')
  writeFileSync(path, 'email\na@example.com\n')
  expect(await countRecords(path, format, ['email'], new AbortController().signal)).toBe(1)
  const stopped = new Error('stopped')
  await expect(countRecords(path, format, ['email'], AbortSignal.abort(stopped))).rejects.toBe(stopped)
})
