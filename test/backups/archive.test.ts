import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  readFileSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { importFile } from '../../src-main/backups/import-file.ts'
import { archived, restored, type Stored } from '../../src-main/backups/archive/values.ts'
import { removeLeftParts } from '../../src-main/backups/files.ts'
import { writeArchive } from '../../src-main/backups/archive/write-archive.ts'
import { digestsOf } from '../../src-main/backups/verify.ts'
import { writeBackup } from '../../src-main/backups/write-backup.ts'
import { addFunctions } from '../../src-main/database/functions.ts'
import { newestSchema } from '../../src-main/database/migrate.ts'
import {
  clientOf,
  sharedApplication,
  startApplication,
  type StartedApplication,
  temporaryDirectory
} from '../support/application.ts'
import { makeOrganization } from '../support/accounts.ts'
import { zipOf } from '../support/zip.ts'
import { createApp, entryPoint } from '../support/built.ts'
import {
  allSubscribers,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'

async function filesIn(path: string): Promise<Map<string, string>> {
  const zip = await yauzl.openPromise(path)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
  return files
}

async function digestOf(path: string) {
  const database = new SQLite(path, { readonly: true })
  addFunctions(database)
  const { window_sessions: _signedIn, ...tables } = await digestsOf(database)
  const sequences = database.prepare('SELECT * FROM sqlite_sequence ORDER BY name').all()
  database.close()
  return { tables, sequences }
}

async function command(dataDirectory: string, ...args: string[]): Promise<Record<string, unknown>> {
  const all = [entryPoint, 'backup', ...args, '--data-dir', dataDirectory, '--json']
  try {
    const { stdout } = await promisify(execFile)(process.execPath, all)
    return JSON.parse(stdout) as Record<string, unknown>
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as Record<string, unknown>
  }
}

async function fill({ api, app, dataDirectory }: StartedApplication): Promise<number> {
  const list = await makeList(api, { name: 'Readers: all / "new"', has_format: true, has_confirmed: true })
  await makeField(api, list.id, 'City', 'text')
  await makeField(api, list.id, 'Notes', 'text_multiline')
  await makeField(api, list.id, 'Age', 'number')
  await makeField(api, list.id, 'Colours', 'select_multiple_checkboxes', {
    options: [{ name: 'Red' }, { name: 'Blue, dark' }]
  })
  await makeSubscriber(api, list.id, 'anna@example.com', {
    custom_fields: {
      City: '=1+1',
      Notes: 'one\ntwo\u2028three "x", \\',
      Age: 42,
      Colours: ['Red', 'Blue, dark']
    }
  })
  await importText(api, list.id, 'email\nben@example.com\nclara@example.com\n')
  // What undoing it needs is packed into bytes.
  const overwriting = { column_mapping: ['email', 'City'], overwrite: true }
  await importText(api, list.id, 'email,City\nben@example.com,Graz\n', overwriting)
  await makeSegment(api, list.id, { name: 'Both', other: list.id })
  await makeAutoresponder(api, list.id, 'Hello')
  const campaign = await makeCampaign(api, list.id, {
    dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  await api.sent(campaign.id)
  await makeList(api, { name: 'Empty' })
  await makeOrganization({ api, app })
  expect(existsSync(join(dataDirectory, 'listwright.db'))).toBe(true)
  return list.id
}

describe('an archive of everything', () => {
  const started = sharedApplication()
  let listId: number
  let archive: string
  let original: Awaited<ReturnType<typeof digestOf>>

  beforeAll(async () => {
    listId = await fill(started)
    const directory = mkdtempSync(join(tmpdir(), 'listwright-archive-'))
    const copy = join(directory, 'copy.db')
    await writeBackup(join(started.dataDirectory, 'listwright.db'), copy)
    original = await digestOf(copy)
    for (const path of [copy, `${copy}.json`]) rmSync(path)
    archive = join(directory, 'all.zip')
    expect(await command(started.dataDirectory, 'export', archive)).toMatchObject({
      file: archive,
      subscribers: 3
    })
  }, 60_000)
  afterAll(() => rmSync(dirname(archive), { recursive: true }))

  it('is readable only by its owner, and no other file remains', () => {
    expect(statSync(archive).mode & 0o077).toBe(0)
    expect(readdirSync(join(archive, '..'))).toEqual(['all.zip'])
  })

  it('is plain text: CSV for each list, JSON for everything, and an explanation', async () => {
    const files = await filesIn(archive)
    expect([...files.keys()].filter((name) => !name.startsWith('data/'))).toEqual([
      'README.txt',
      'manifest.json',
      `subscribers/${listId} Readers_ all _ _new_.csv`,
      `subscribers/${listId + 1} Empty.csv`
    ])
    const people = files.get(`subscribers/${listId} Readers_ all _ _new_.csv`) ?? ''
    expect(people).toMatch(/^email,status,email_format,.*,City,Notes,Age,Colours\n/)
    expect(people).toContain(`'=1+1,"one\ntwo\u2028three ""x"", \\",42,"Red;Blue, dark"`)
    const lists = JSON.parse(files.get('data/mailing_lists.json') ?? '') as { name: string }[]
    expect(lists.map(({ name }) => name)).toEqual(['Readers: all / "new"', 'Empty'])
    const subscribers = JSON.parse(files.get('data/subscribers.json') ?? '') as Record<string, unknown>[]
    expect(subscribers[0]).toMatchObject({
      email: 'anna@example.com',
      custom_fields: expect.any(Object) as object
    })
    // An archive contains no sessions.
    expect(files.has('data/window_sessions.json')).toBe(false)
  })

  it('is imported into an empty installation, which is equal then', async () => {
    const dataDirectory = await temporaryDirectory()
    const imported = await command(dataDirectory, 'import', archive)
    expect(imported).toMatchObject({ subscribers: 3 })
    expect(await digestOf(String(imported['file']))).toEqual(original)

    expect(await command(dataDirectory, 'restore', String(imported['file']))).toMatchObject({
      subscribers: 3
    })
    const second = await startApplication(dataDirectory)
    // The keys are those of the first one.
    expect(await allSubscribers(second.api, listId)).toEqual(await allSubscribers(started.api, listId))
    await second.app.close()
  })

  it('has the CSV of a list that an import reads without loss', async () => {
    const files = await filesIn(archive)
    const people = files.get(`subscribers/${listId} Readers_ all _ _new_.csv`) ?? ''
    const { api } = started
    const list = await makeList(api, { name: 'Again', has_format: true, has_confirmed: true })
    for (const field of ['City', 'Notes']) await makeField(api, list.id, field, 'text_multiline')
    await makeField(api, list.id, 'Age', 'number')
    await makeField(api, list.id, 'Colours', 'select_multiple_checkboxes', {
      options: [{ name: 'Red' }, { name: 'Blue, dark' }]
    })
    const columns = people.split('\n')[0]?.split(',') ?? []
    const { stats } = await importText(api, list.id, people, {
      column_mapping: columns,
      file_format: { escape_formulas: true }
    })
    expect(stats.subscribers).toMatchObject({ added: 3, failed: 0 })
    const valuesOf = async (id: number) =>
      (await allSubscribers(api, id)).map(({ email, custom_fields }) => [
        email,
        Object.fromEntries(Object.entries(custom_fields).map(([name, { value }]) => [name, value]))
      ])
    expect(await valuesOf(list.id)).toEqual(await valuesOf(listId))
  })

  it('does not overwrite another file', async () => {
    expect(await command(started.dataDirectory, 'export', archive)).toMatchObject({
      error: expect.stringContaining('already exists') as string
    })
  })

  describe('is refused with a sentence, and leaves nothing behind,', () => {
    async function refusal(change: (files: Map<string, string>) => void): Promise<string> {
      const files = await filesIn(archive)
      change(files)
      const directory = await temporaryDirectory()
      const path = join(directory, 'changed.zip')
      writeFileSync(path, zipOf(Object.fromEntries(files)))
      const target = join(directory, 'backups', 'imported.db')
      const error: unknown = await importFile(path, target, null).then(
        () => null,
        (reason: unknown) => reason
      )
      expect(existsSync(join(directory, 'backups')) ? readdirSync(join(directory, 'backups')) : []).toEqual(
        []
      )
      return error instanceof Error ? error.message : 'it was taken'
    }
    const edit = (name: string, edited: (content: string) => string) =>
      refusal((files) => files.set(name, edited(files.get(name) ?? '')))

    it('where a record was changed', async () => {
      const message = await edit('data/subscribers.json', (content) => content.replace('anna@', 'anne@'))
      expect(message).toBe('The archive was changed since it was written: data/subscribers.json.')
    })

    it('where a record was taken away', async () => {
      const message = await edit('data/subscribers.json', (content) => {
        const lines = content.split('\n')
        return [...lines.slice(0, 2), ...lines.slice(3)].join('\n')
      })
      expect(message).toContain('was changed since it was written')
    })

    it('where ids would be given out twice', async () => {
      const message = await edit('data/sqlite_sequence.json', (content) =>
        content.replace(/"seq":\d+/, '"seq":1')
      )
      expect(message).toBe('The archive was changed since it was written: data/sqlite_sequence.json.')
    })

    it('where the manifest leaves a table out', async () => {
      const message = await edit('manifest.json', (content) => {
        const { tables, ...rest } = JSON.parse(content) as { tables: Record<string, object> }
        delete tables['segments']
        return JSON.stringify({ ...rest, tables })
      })
      expect(message).toBe('The archive was changed since it was written: data/segments.json.')
    })

    it('where a record is there twice', async () => {
      const message = await edit('data/segments.json', (content) => {
        const [open, first = '', ...rest] = content.split('\n')
        return [open, `${first.replace(/,$/, '')},`, first, ...rest].join('\n')
      })
      expect(message).toMatch(/^Line 3 of data\/segments\.json cannot be stored: UNIQUE constraint failed/)
    })

    it('where a line is longer than any record', async () => {
      const line = `{"name":"${'x'.repeat(65 * 1024 ** 2)}"}`
      expect(await edit('data/segments.json', () => `[\n${line}\n]\n`)).toBe(
        'The archive contains a line that is too long to be a record.'
      )
    })

    it('where no version had such a schema', async () => {
      const message = await edit('manifest.json', (content) =>
        content.replace(`"schema": ${newestSchema}`, '"schema": 5')
      )
      expect(message).toBe('The manifest.json in the archive has an invalid schema version.')
    })

    it('where a file is missing', async () => {
      expect(await refusal((files) => files.delete('data/segments.json'))).toBe(
        'The archive does not contain data/segments.json.'
      )
    })

    it('where a line is not JSON', async () => {
      expect(await edit('data/segments.json', (content) => content.replace('{', '('))).toBe(
        'Line 2 of data/segments.json must be a JSON object.'
      )
    })

    it('where there is a column that is not known', async () => {
      expect(await edit('data/segments.json', (content) => content.replace('"name"', '"nom"'))).toBe(
        'Line 2 of data/segments.json has an unknown property "nom".'
      )
    })

    it('where a value is of another type', async () => {
      expect(await edit('data/segments.json', (content) => content.replace('"id":1', '"id":"one"'))).toBe(
        'Line 2 of data/segments.json has a value of "id" that is not a whole number.'
      )
    })

    it('where a newer version wrote it', async () => {
      const message = await edit('manifest.json', (content) =>
        content.replace(`"schema": ${newestSchema}`, `"schema": ${newestSchema + 1}`)
      )
      expect(message).toBe('The archive was written by a newer Listwright. Install that version to use it.')
    })

    it('where the manifest is another program’s', async () => {
      expect(await edit('manifest.json', () => '{"name": "an app"}')).toContain(
        'was not written by Listwright'
      )
      expect(await edit('manifest.json', () => 'nothing')).toContain('was not written by Listwright')
      expect(await refusal((files) => files.delete('manifest.json'))).toContain('it has no manifest.json')
    })

    it('where the file is not an archive', async () => {
      const path = join(await temporaryDirectory(), 'people.csv')
      writeFileSync(path, 'email\na@example.com\n')
      await expect(importFile(path, `${path}.db`, null)).rejects.toThrow(
        'it is not a ZIP file, or is damaged'
      )
    })

    it('where it was cut short', async () => {
      const path = join(await temporaryDirectory(), 'short.zip')
      writeFileSync(path, readFileSync(archive).subarray(0, -100))
      await expect(importFile(path, `${path}.db`, null)).rejects.toThrow(
        'it is not a ZIP file, or is damaged'
      )
    })

    it('where its bytes were changed', async () => {
      const path = join(await temporaryDirectory(), 'broken.zip')
      const bytes = readFileSync(archive)
      bytes.fill(0, 5000, 5100)
      writeFileSync(path, bytes)
      await expect(importFile(path, `${path}.db`, null)).rejects.toThrow()
      expect(existsSync(`${path}.db`)).toBe(false)
    })
  })

  it('refuses to export a modified backup: the archive would certify the modification', async () => {
    const copy = join(await temporaryDirectory(), 'rotten.db')
    await writeBackup(join(started.dataDirectory, 'listwright.db'), copy)
    const database = new SQLite(copy)
    database.exec("UPDATE mailing_lists SET name = 'Rotten'")
    database.close()
    await expect(writeArchive(copy, `${copy}.zip`)).rejects.toThrow('The table mailing_lists has changed')
    expect(existsSync(`${copy}.zip`)).toBe(false)
  })

  it('keeps its backup from being deleted while it is written', async () => {
    const { api } = started
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    const [exported, deleted] = await Promise.all([
      api.workbench('POST', `/backups/${data.name}/archive`),
      api.workbench('DELETE', `/backups/${data.name}`)
    ])
    expect(exported.success).toBe(true)
    expect(deleted.error_message).toBe('the backup is being exported; delete it when that is done')
    expect((await api.workbench('DELETE', `/backups/${data.name}`)).success).toBe(true)
    expect(readdirSync(join(started.dataDirectory, 'backups'))).toEqual([])
  })

  it('is removed at the next start if the process that wrote it was killed', async () => {
    const directory = await temporaryDirectory()
    const backups = join(directory, 'backups')
    mkdirSync(backups)
    const names = ['.listwright-imported-x.db.part', '.import-x.part', '.listwright-backup-y.db.part', '.own']
    for (const name of names) writeFileSync(join(backups, name), '')
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000)
    for (const name of [names[0] ?? '', names[1] ?? '', '.own']) utimesSync(join(backups, name), old, old)
    for (const [name, time] of [
      ['.listwright-passing-left', old],
      ['.listwright-passing-busy', new Date()]
    ] as const) {
      mkdirSync(join(backups, name))
      writeFileSync(join(backups, name, 'copy.db'), '')
      utimesSync(join(backups, name, 'copy.db'), time, time)
      utimesSync(join(backups, name), old, old)
    }
    await removeLeftParts(backups, Date.now())
    expect(readdirSync(backups).sort()).toEqual([
      '.listwright-backup-y.db.part',
      '.listwright-passing-busy',
      '.own'
    ])
  })

  it('is not written of a backup of another version', async () => {
    const copy = join(await temporaryDirectory(), 'old.db')
    await writeBackup(join(started.dataDirectory, 'listwright.db'), copy)
    const database = new SQLite(copy)
    database.pragma(`user_version = ${newestSchema - 1}`)
    database.close()
    await expect(writeArchive(copy, `${copy}.zip`)).rejects.toThrow(
      'was written by another version of Listwright'
    )
    expect(existsSync(`${copy}.zip`)).toBe(false)
  })
})

describe('a backup command that is interrupted', () => {
  let directory: string
  let original: string
  let archive: string

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'listwright-interrupted-'))
    const app = await createApp({ dataDirectory: directory, port: 0 })
    const api = await clientOf(app)
    const list = await makeList(api)
    const people = Array.from({ length: 30_000 }, (_, number) => `person${number}@example.com\n`)
    await importText(api, list.id, `email\n${people.join('')}`)
    original = join(directory, 'copy.db')
    archive = join(directory, 'all.zip')
    await writeBackup(join(directory, 'listwright.db'), original)
    await writeArchive(original, archive)
    await app.close()
  })

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  it.each([
    ['create', /^\.new\.part$/],
    ['create', /^\.?new\.json/],
    ['export', /^\.listwright-passing-/],
    ['export', /^\.new\.part$/],
    ['import', /^\.listwright-imported-.*\.part$/]
  ])('removes the partial files of %s after creating %s, and no other file', async (action, made) => {
    let interrupted = await interrupt(action, made)
    // On a busy machine the command may finish before the signal arrives; then try again.
    for (let tries = 1; interrupted.exit[0] === 0 && tries < 10; tries++) {
      interrupted = await interrupt(action, made)
    }
    const { exit, complaints, own, left } = interrupted
    expect(exit).toEqual([130, null])
    expect(complaints).toBe('')
    expect(left).toEqual(own)
  })

  /** Interrupts a command once it has created a file whose name matches. */
  async function interrupt(action: string, made: RegExp) {
    const [folder, dataDirectory] = [await temporaryDirectory(), await temporaryDirectory()]
    const backups = join(dataDirectory, 'backups')
    mkdirSync(backups)
    copyFileSync(original, join(dataDirectory, 'listwright.db'))
    const own = ['new.copy.db', 'new.zip', '.new.zip.part']
    for (const name of own) writeFileSync(join(folder, name), 'somebody’s own')
    const file = action === 'import' ? archive : join(folder, 'new')
    const child = spawn(process.execPath, [entryPoint, 'backup', action, file, '--data-dir', dataDirectory])
    const ended = once(child, 'exit')
    const complaints = text(child.stderr)
    while (child.exitCode === null && !namesIn(folder, backups).some((name) => made.test(name)))
      await pause(1)
    // npm and a terminal send one each.
    child.kill('SIGINT')
    await pause(5)
    child.kill('SIGINT')
    const exit = await ended
    return { exit, complaints: await complaints, own: own.sort(), left: namesIn(folder, backups).sort() }
  }

  function namesIn(...directories: string[]): string[] {
    return directories.flatMap((directory) => readdirSync(directory))
  }
})

it('a plain copy needs no room in the data directory', async () => {
  const [directory, dataDirectory] = [await temporaryDirectory(), await temporaryDirectory()]
  const app = await createApp({ dataDirectory, port: 0 })
  await app.close()
  rmSync(join(dataDirectory, 'backups'), { recursive: true, force: true })
  symlinkSync(join(directory, 'a drive that is gone'), join(dataDirectory, 'backups'))
  const file = join(directory, 'copy.db')
  expect(await command(dataDirectory, 'create', file)).toMatchObject({ file })
})

describe('values of an archive', () => {
  it('are restored as they were stored', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed()),
      fc.json(),
      fc.constantFrom('{"b":1,"a":2}', '{"2":1,"1":2}', '[1, 2]', '{', '[]', '{}', 'null', '"x"', '')
    )
    const stored: fc.Arbitrary<['INTEGER' | 'REAL' | 'TEXT' | 'BLOB', Stored]> = fc.oneof(
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value) => ['INTEGER' as const, value] as const),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((value) => ['REAL' as const, value || 0] as const),
      text.map((value) => ['TEXT' as const, value] as const),
      fc.uint8Array().map((bytes) => ['BLOB' as const, Buffer.from(bytes)] as const)
    ) as never
    fc.assert(
      fc.property(stored, ([type, value]) => {
        const written = JSON.parse(JSON.stringify(archived(value))) as unknown
        expect(restored(written, type)).toEqual(value)
      }),
      { numRuns: 2000 }
    )
  })
})
