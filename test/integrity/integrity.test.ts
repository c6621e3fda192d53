import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { StorageFault } from '../../src-main/base/errors.ts'
import { lastChangePath } from '../../src-main/database/last-change.ts'
import { sumsPath } from '../../src-main/database/page-sums.ts'
import { Integrity } from '../../src-main/integrity/integrity.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { temporaryDirectory } from '../support/application.ts'
import { printedFaults } from '../support/stderr.ts'

async function lookingAt(directory?: string) {
  const printed = printedFaults()
  const integrity = new Integrity(directory ?? (await temporaryDirectory()), false)
  onTestFinished(() => integrity.close())
  return { integrity, printed }
}

/** A directory with a database, and a folder in place of one of its notes, which therefore cannot be read. */
async function unreadable(pathOf: (databasePath: string) => string): Promise<string> {
  const directory = await temporaryDirectory()
  const databasePath = join(directory, 'listwright.db')
  await writeFile(databasePath, 'x')
  await mkdir(pathOf(databasePath))
  return directory
}

async function writerOf(directory: string) {
  const writer = await startWriter({
    databasePath: join(directory, 'listwright.db'),
    backupDirectory: directory
  })
  onTestFinished(() => writer.close())
  const add = () =>
    writer.run('suppressionLists.create', {
      organizationId: 1,
      suppressionList: { name: `Never ${names++}` }
    })
  await writer.run('accounts.ensureSystemOrganization', undefined)
  return { writer, add }
}

let names = 0

const cannotBeChecked = expect.stringMatching(/^The database could not be checked: EISDIR/) as string

it('the first start, without a database, is reported as sound', async () => {
  const { integrity, printed } = await lookingAt()
  expect(integrity.state).toBe('checking')
  integrity.examineEnd()
  await integrity.examine()
  expect(integrity.state).toBe('sound')
  expect(printed).toEqual([])
})

it('a database that cannot be checked counts as damaged, which is reported once', async () => {
  const { integrity, printed } = await lookingAt(await unreadable(sumsPath))
  await integrity.examine()
  await integrity.examine()
  expect(integrity.state).toBe('damaged')
  expect(integrity.faults).toEqual([cannotBeChecked])
  expect(printed).toEqual([expect.stringMatching(/^The database could not be checked: EISDIR.*\n$/)])
})

it('a note of the last change that cannot be read is reported before anything is written', async () => {
  const { integrity } = await lookingAt(await unreadable(lastChangePath))
  integrity.examineEnd()
  expect(integrity.faults).toEqual([cannotBeChecked])
})

it('a check that fails because the application is closing reports no damage', async () => {
  const { integrity, printed } = await lookingAt(await unreadable(sumsPath))
  const { writer } = await writerOf(await temporaryDirectory())
  await integrity.close()
  await expect(integrity.examine()).rejects.toThrow('EISDIR')
  integrity.watch(writer, Promise.reject(new Error('the thread was ended')))
  await new Promise(setImmediate)
  expect(integrity.faults).toEqual([])
  expect(printed).toEqual([])
})

it('a writer of data that could not be checked refuses changes until the data is accepted as it is', async () => {
  const directory = await temporaryDirectory()
  const { writer, add } = await writerOf(directory)
  const { integrity } = await lookingAt(directory)
  integrity.watch(writer, Promise.reject(new Error('odd')))
  await expect.poll(() => integrity.state).toBe('damaged')
  expect(integrity.faults).toEqual(['The database could not be checked: odd'])
  await expect(add()).rejects.toThrow('the database is damaged')
  await integrity.accept()
  expect(integrity.faults).toEqual([])
  await add()
})

it('damage that is found before the writer is attached makes the writer refuse changes', async () => {
  const directory = await temporaryDirectory()
  const { writer, add } = await writerOf(directory)
  const { integrity } = await lookingAt(directory)
  integrity.report()
  integrity.watch(writer, integrity.examine())
  await expect(add()).rejects.toThrow('the database is damaged')
  expect(integrity.faults).toEqual(['Parts of the database cannot be read: its structure is damaged.'])
})

it.each(['full', 'locked', 'failing'] as const)(
  'a database that cannot be checked because of the disk or another program does not count as damaged: %s',
  async (kind) => {
    const directory = await temporaryDirectory()
    const { writer, add } = await writerOf(directory)
    const { integrity, printed } = await lookingAt(directory)
    integrity.watch(writer, Promise.reject(new StorageFault(kind)))
    await expect.poll(() => printed).toEqual([`${new StorageFault(kind).message}\n`])
    expect(integrity.faults).toEqual([])
    await add()
  }
)

it('a database in which the check finds damage counts as damaged, and nothing more is written', async () => {
  const directory = await temporaryDirectory()
  const { writer, add } = await writerOf(directory)
  const { integrity } = await lookingAt(directory)
  integrity.watch(writer, Promise.reject(new StorageFault('damaged')))
  await expect.poll(() => integrity.state).toBe('damaged')
  await expect(add()).rejects.toThrow('the database is damaged')
})
