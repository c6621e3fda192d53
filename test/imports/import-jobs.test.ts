import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { importJobs } from '../../src-main/imports/import-jobs.ts'
import { partialUpload, removeLeftFiles } from '../../src-main/imports/left-files.ts'
import { sourceDirectory, unpackedPath } from '../../src-main/imports/source.ts'
import { commandBench, plainImport } from '../support/commands.ts'

async function withImports() {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'List' } })
  const db = kyselyOver(bench.sqlite)
  return {
    bench,
    db,
    jobs: importJobs(db, bench.client, bench.directory),
    create: (source: Partial<ReturnType<typeof plainImport>['source']> = {}) => {
      const plain = plainImport(mailingListId)
      return bench.run('subscriberImports.create', { ...plain, source: { ...plain.source, ...source } })
    },
    file: async (path: string) => {
      await mkdir(dirname(join(bench.directory, path)), { recursive: true })
      await writeFile(join(bench.directory, path), 'x')
    },
    left: (directory: string) => readdir(join(bench.directory, directory))
  }
}

describe('imports that run at the same time', () => {
  const job = (mailingListId: number, work: 'download' | 'import' = 'import', organizationId = 1) => ({
    id: mailingListId,
    dueAt: 0,
    mailingListId,
    organizationId,
    work
  })
  const many = (count: number, make: (index: number) => ReturnType<typeof job>) =>
    Array.from({ length: count }, (_, index) => make(index))

  it('are two at most, each on a list of its own', async () => {
    const { jobs } = await withImports()
    const running = (count: number) => many(count, (index) => job(index + 10))
    expect(jobs.mayStart(job(1), running(1))).toBe(true)
    expect(jobs.mayStart(job(1), running(2))).toBe(false)
    expect(jobs.mayStart(job(10), running(1))).toBe(false)
  })

  it('are limited to 4 downloads for an organization and 16 in all, which hold up no other imports', async () => {
    const { jobs } = await withImports()
    const own = (count: number) => many(count, () => job(1, 'download'))
    expect(jobs.mayStart(job(1, 'download'), own(3))).toBe(true)
    expect(jobs.mayStart(job(1, 'download'), own(4))).toBe(false)
    const others = (count: number) => many(count, (index) => job(index, 'download', index + 2))
    expect(jobs.mayStart(job(1, 'download'), others(15))).toBe(true)
    expect(jobs.mayStart(job(1, 'download'), others(16))).toBe(false)
    expect(jobs.mayStart(job(1), own(4))).toBe(true)
    expect(
      jobs.mayStart(
        job(1, 'download'),
        many(2, (index) => job(index))
      )
    ).toBe(true)
  })

  it('count as downloading until their file is known', async () => {
    const { bench, jobs, create } = await withImports()
    const id = await create({ type: 'url', url: 'https://example.com/a.csv' })
    const plain = await create()
    const works = async () => (await jobs.unfinished(Date.now())).map((each) => [each.id, each.work])
    expect(await works()).toEqual([
      [id, 'download'],
      [plain, 'import']
    ])
    await bench.run('subscriberImports.begin', { id, dataDirectory: bench.directory })
    await bench.run('subscriberImports.recordDownload', { id, fingerprint: 'known' })
    expect(await works()).toEqual([
      [id, 'import'],
      [plain, 'import']
    ])
  })
})

describe('files of imports', () => {
  it('are deleted once an import has ended, except those that the user put into the uploads folder', async () => {
    const { bench, jobs, create, file, left } = await withImports()
    const json = await create({ path: `${sourceDirectory}/one` })
    const uploaded = await create({ type: 'upload_directory', path: 'uploads/two.csv' })
    const unpacked = (id: number) => unpackedPath('', id)
    await file(`${sourceDirectory}/one`)
    await file('uploads/two.csv')
    await file(unpacked(uploaded))
    await jobs.cleanUp?.(json)
    expect(await left(sourceDirectory)).toHaveLength(2)
    bench.sqlite.exec('UPDATE subscriber_imports SET finished_at = 1')
    await jobs.cleanUp?.(json)
    await jobs.cleanUp?.(uploaded)
    await jobs.cleanUp?.(999)
    expect(await left(sourceDirectory)).toEqual([])
    expect(await left('uploads')).toEqual(['two.csv'])
  })

  it('that nothing needs any more are removed at the start, and so are partial uploads', async () => {
    const { bench, db, create, file, left } = await withImports()
    await create({ path: `${sourceDirectory}/waiting` })
    const paused = await create({ path: `${sourceDirectory}/paused` })
    await create({ path: `${sourceDirectory}/ended` })
    bench.sqlite.exec(`UPDATE subscriber_imports SET state = 'paused' WHERE id = ${paused};
      UPDATE subscriber_imports SET state = 'finished', finished_at = 1 WHERE source_path LIKE '%ended'`)
    for (const name of ['waiting', 'paused', 'ended', 'nobody']) await file(`${sourceDirectory}/${name}`)
    await file(unpackedPath('', paused))
    await mkdir(join(bench.directory, sourceDirectory, 'analysis-1'))
    await file(`${sourceDirectory}/analysis-1/sheet`)
    await file(`uploads/${partialUpload}x`)
    await file(`uploads/folder/${partialUpload}y`)
    await file('uploads/folder/whole.csv')
    await removeLeftFiles(db, bench.directory)
    const unpacked = unpackedPath('', paused).split('/').at(-1) ?? ''
    expect((await left(sourceDirectory)).sort()).toEqual(['paused', 'waiting', unpacked].sort())
    expect(await left('uploads')).toEqual(['folder'])
    expect(await left('uploads/folder')).toEqual(['whole.csv'])
  })
})
