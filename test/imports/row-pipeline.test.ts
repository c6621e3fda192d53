import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { code } from '../../src-main/imports/import-batch.ts'
import type { CommittedBatch } from '../../src-main/imports/plan.ts'
import { ImportLogs, logPath } from '../../src-main/imports/logs.ts'
import { RowPipeline, type WriteBatch } from '../../src-main/imports/row-pipeline.ts'
import { temporaryDirectory } from '../support/application.ts'
import { plainImport } from '../support/commands.ts'

const { added, failed } = code
const { settings } = plainImport(1)

/** Reads a file in the order of its rows; batches become what `write` says, by default all added. */
async function piped(
  text: string,
  {
    write = ({ rows }) => Promise.resolve(new Uint8Array(rows).fill(added)),
    committed = [],
    beforePart
  }: { write?: WriteBatch; committed?: CommittedBatch[]; beforePart?: () => Promise<void> } = {}
) {
  const directory = await temporaryDirectory()
  const path = join(directory, 'rows.csv')
  await writeFile(path, text)
  const plan = {
    settings,
    reading: null,
    fields: [],
    primaryKeyFieldId: null,
    timeZone: 'UTC',
    path,
    committed
  }
  const batches: { rows: number; index: number; before: number | undefined }[] = []
  const logs = new ImportLogs(join(directory, 'logs'), settings.file_format)
  const recorded: WriteBatch = (batch, index, before) => {
    batches.push({ rows: batch.rows, index, before: before?.length })
    return write(batch, index, before)
  }
  const pipeline = new RowPipeline(plan, 'file', logs, recorded, beforePart)
  return {
    batches,
    run: () => pipeline.run().finally(() => logs.close()),
    logged: (outcome: 'added' | 'failed') =>
      readFile(logPath(join(directory, 'logs'), outcome), 'utf8').catch(() => null)
  }
}

const lines = (count: number) => Array.from({ length: count }, (_, row) => `p${row}@example.com\n`).join('')

it('rows go into batches of 2,500, and are logged in the order of the file', async () => {
  const { batches, run, logged } = await piped(`no address\n${lines(5001)}`)
  expect(await run()).toBe(true)
  expect(batches).toEqual([2500, 2500, 2].map((rows, index) => ({ rows, index, before: undefined })))
  expect(await logged('added')).toBe(`\n${lines(5001)}`)
})

it('a row that failed is logged as it came, with its line and why', async () => {
  const write: WriteBatch = ({ rows }) =>
    Promise.resolve(Uint8Array.from({ length: rows }, (_, row) => (row === 0 ? failed : added)))
  const { run, logged } = await piped(`no address\n${lines(2)}`, { write })
  await run()
  expect(await logged('added')).toBe(lines(2))
  expect(await logged('failed')).toMatch(/^no address,"?line 1: /)
})

it('a batch ends with the row that makes it two megabytes, however few its rows are', async () => {
  // Rows that fail are kept whole, for the log.
  const huge = Array.from({ length: 12 }, (_, row) => `p${row} ${'x'.repeat(400_000)}\n`).join('')
  const { batches, run } = await piped(huge)
  await run()
  expect(batches.map(({ rows }) => rows)).toEqual([5, 5, 2])
})

it('a file without rows has no batch', async () => {
  const { batches, run, logged } = await piped('')
  expect(await run()).toBe(true)
  expect(batches).toEqual([])
  expect(await logged('added')).toBeNull()
})

it('batches that an earlier run committed are kept, and the rest of an unfinished one comes before the next', async () => {
  const committed = [
    { rows: 3, outcomes: new Uint8Array(3).fill(added) },
    { rows: 4, outcomes: new Uint8Array(1).fill(added) }
  ]
  let isRestWritten = false
  const write: WriteBatch = async ({ rows }, index) => {
    if (index === 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      isRestWritten = true
    }
    if (index === 2) expect(isRestWritten).toBe(true)
    return new Uint8Array(rows).fill(added)
  }
  const { batches, run, logged } = await piped(lines(10), { committed, write })
  expect(await run()).toBe(true)
  expect(batches).toEqual([
    { rows: 3, index: 0, before: 3 },
    { rows: 4, index: 1, before: 1 },
    { rows: 3, index: 2, before: undefined }
  ])
  expect(await logged('added')).toBe(lines(10))
})

it('an import that was paused logs only complete parts of its file, and requests no more batches', async () => {
  // A part has 10,000 rows: the first is whole, and the second is not.
  const write: WriteBatch = ({ rows }, index) =>
    Promise.resolve(index < 5 ? new Uint8Array(rows).fill(added) : null)
  const { batches, run, logged } = await piped(lines(45_000), { write })
  expect(await run()).toBe(false)
  expect(await logged('added')).toBe(lines(10_000))
  expect(batches.length).toBeLessThanOrEqual(8)
})

it('a batch that failed ends the import with its error, whatever comes after', async () => {
  const write: WriteBatch = ({ rows }, index) =>
    index === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(new Uint8Array(rows))
  const { run, logged } = await piped(lines(45_000), { write })
  await expect(run()).rejects.toThrow('the disk is full')
  expect(await logged('added')).toBeNull()
})

it('a part of a file that changed meanwhile is not written', async () => {
  let parts = 0
  const beforePart = () => (++parts === 2 ? Promise.reject(new Error('the file changed')) : Promise.resolve())
  const { batches, run, logged } = await piped(lines(25_000), { beforePart })
  await expect(run()).rejects.toThrow('the file changed')
  expect(batches).toHaveLength(4)
  expect(await logged('added')).toBe(lines(10_000))
})

it('no more than twenty batches wait for the writer', async () => {
  let [waiting, most] = [0, 0]
  const write: WriteBatch = async ({ rows }) => {
    most = Math.max(most, ++waiting)
    await new Promise(setImmediate)
    waiting--
    return new Uint8Array(rows).fill(added)
  }
  const committed = Array.from({ length: 100 }, () => ({
    rows: 10,
    outcomes: new Uint8Array(10).fill(added)
  }))
  const { run } = await piped(lines(1000), { write, committed })
  expect(await run()).toBe(true)
  expect(most).toBe(20)
})
