import SQLite from 'better-sqlite3'
import { writeFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applicationId, migrate, migrations, writerOf } from '../../src-main/database/migrate.ts'
import type { Migration } from '../../src-main/database/migration.ts'
import { createApp } from '../support/built.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { printedFaults } from '../support/stderr.ts'

const steps: Migration[] = [
  { version: 1, name: 'first', sql: 'CREATE TABLE people (name TEXT) STRICT' },
  { version: 2, name: 'second', sql: 'ALTER TABLE people ADD COLUMN age INTEGER' }
]

async function freshDatabase() {
  const directory = await temporaryDirectory()
  return { database: new SQLite(join(directory, 'test.db')), backups: join(directory, 'backups') }
}

async function databaseOf(version: number) {
  const made = await freshDatabase()
  migrate(
    made.database,
    made.backups,
    migrations.filter((step) => step.version <= version)
  )
  return made
}

const versionOf = (database: SQLite.Database) => database.pragma('user_version', { simple: true })

describe('migrations', () => {
  it('bring a new database to the newest schema without a backup', async () => {
    const { database, backups } = await freshDatabase()
    migrate(database, backups, steps)
    expect(versionOf(database)).toBe(2)
    await expect(readdir(backups)).rejects.toThrow()
  })

  it('copy an existing database before they change it', async () => {
    const { database, backups } = await freshDatabase()
    migrate(database, backups, steps.slice(0, 1))
    database.exec("INSERT INTO people VALUES ('Anna')")
    migrate(database, backups, steps)
    const [name = ''] = await readdir(backups)
    const backup = new SQLite(join(backups, name), { readonly: true })
    expect(versionOf(backup)).toBe(1)
    expect(backup.prepare('SELECT * FROM people').all()).toEqual([{ name: 'Anna' }])
    expect(database.prepare('SELECT * FROM people').all()).toEqual([{ name: 'Anna', age: null }])
  })

  it('keep the three newest copies, and other files beside them', async () => {
    const { database, backups } = await freshDatabase()
    const five = Array.from({ length: 5 }, (_, index): Migration => ({
      version: index + 1,
      name: `step ${index + 1}`,
      sql: `CREATE TABLE t${index} (x TEXT) STRICT`
    }))
    for (let count = 1; count <= 5; count++) {
      migrate(database, backups, five.slice(0, count))
      if (count === 2) writeFileSync(join(backups, 'listwright-schema-1-keep.db'), 'somebody named it')
    }
    const names = (await readdir(backups)).sort()
    expect(names.map((name) => name.replace(/-\d{4}-.*/, ''))).toEqual([
      'listwright-schema-1-keep.db',
      'listwright-schema-2',
      'listwright-schema-3',
      'listwright-schema-4'
    ])
  })

  it('remove no copy when nothing is migrated, and none before the migration succeeds', async () => {
    const { database, backups } = await freshDatabase()
    await mkdir(backups)
    const copies = [1, 2, 3, 4].map((day) => `listwright-schema-1-2026-01-0${day}T12-00-00.000Z.db`)
    for (const name of copies) writeFileSync(join(backups, name), 'copy')
    migrate(database, backups, steps.slice(0, 1))
    migrate(database, backups, steps.slice(0, 1))
    const broken = { version: 3, name: 'broken', sql: 'SELECT nonsense' }
    expect(() => migrate(database, backups, [...steps.slice(0, 1), broken])).toThrow()
    expect(await readdir(backups)).toEqual(expect.arrayContaining(copies))
  })

  it('succeed and warn if an old copy cannot be removed', async () => {
    const { database, backups } = await freshDatabase()
    const printed = printedFaults()
    migrate(database, backups, steps.slice(0, 1))
    for (const day of [1, 2, 3]) {
      await mkdir(join(backups, `listwright-schema-1-2026-01-0${day}T12-00-00.000Z.db`), { recursive: true })
    }
    migrate(database, backups, steps)
    expect(versionOf(database)).toBe(2)
    expect(printed).toEqual([expect.stringContaining(`Old copies in ${backups} were not removed: `)])
  })

  it('roll back a failed step completely, and keep the steps before it', async () => {
    const { database, backups } = await freshDatabase()
    const broken = { version: 3, name: 'broken', sql: 'CREATE TABLE more (x TEXT) STRICT; SELECT nonsense' }
    expect(() => migrate(database, backups, [...steps, broken])).toThrow()
    expect(versionOf(database)).toBe(2)
    expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'more'").all()).toEqual([])
  })

  it('rebuild a table that others reference, and fail if a reference would dangle', async () => {
    const { database, backups } = await freshDatabase()
    database.pragma('foreign_keys = ON')
    const referring: Migration = {
      version: 2,
      name: 'pets',
      sql: `CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT;
        CREATE TABLE pets (owner_id INTEGER REFERENCES owners (id)) STRICT;
        INSERT INTO owners VALUES (1, 'Anna'), (2, 'Ben'); INSERT INTO pets VALUES (1), (2)`
    }
    const anew = (which: string): Migration => ({
      version: 3,
      name: 'owners anew',
      rebuildsTables: true,
      sql: `CREATE TABLE new_owners (id INTEGER PRIMARY KEY, name TEXT) STRICT;
        INSERT INTO new_owners SELECT * FROM owners WHERE ${which};
        DROP TABLE owners; ALTER TABLE new_owners RENAME TO owners`
    })
    migrate(database, backups, [...steps.slice(0, 1), referring])
    expect(() => migrate(database, backups, [...steps.slice(0, 1), referring, anew('id = 1')])).toThrow(
      '1 rows, such as one in pets, refer to missing owners'
    )
    expect(versionOf(database)).toBe(2)
    migrate(database, backups, [...steps.slice(0, 1), referring, anew('true')])
    expect(database.prepare('SELECT count(*) FROM owners').pluck().get()).toBe(2)
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(() => database.exec('INSERT INTO pets VALUES (3)')).toThrow(/FOREIGN KEY/)
  })

  it('refuse a database from before the first release, and leave it as it is', async () => {
    const { database, backups } = await freshDatabase()
    database.exec('CREATE TABLE people (name TEXT); PRAGMA user_version = 21')
    expect(() => migrate(database, backups)).toThrow(/before the first release .*schema 21; .*22\)/)
    expect(versionOf(database)).toBe(21)
    await expect(readdir(backups)).rejects.toThrow()
  })

  it("mark a database as Listwright's, and never copy one that has nothing to be changed", async () => {
    const { database, backups } = await freshDatabase()
    expect(writerOf(database, steps)).toBe('this')
    migrate(database, backups, steps)
    expect(database.pragma('application_id', { simple: true })).toBe(applicationId)
    // One that was made before they were marked.
    database.pragma('application_id = 0')
    expect(writerOf(database, steps)).toBe('this')
    migrate(database, backups, steps)
    expect(database.pragma('application_id', { simple: true })).toBe(applicationId)
    expect(writerOf(database, steps)).toBe('this')
    expect(writerOf(database, steps.slice(0, 1))).toBe('newer')
    expect(writerOf(database, [{ version: 3, name: 'third', sql: '' }])).toBe('unreleased')
    await expect(readdir(backups)).rejects.toThrow()
  })

  it("refuse another program's database in a sentence that tells what is in it, and leave it as it is", async () => {
    const { database, backups } = await freshDatabase()
    database.pragma('application_id = 7')
    expect(() => migrate(database, backups, steps)).toThrow(
      `${database.name} is another program's database. Choose another data directory.`
    )
    database.exec('CREATE TABLE songs (title TEXT)')
    const sentence = `${database.name} is another program's database (it holds "songs"). Choose another data directory.`
    expect(() => migrate(database, backups, steps)).toThrow(sentence)
    database.pragma('application_id = 0')
    expect(() => migrate(database, backups, steps)).toThrow(sentence)
    expect(versionOf(database)).toBe(0)
    expect(database.pragma('application_id', { simple: true })).toBe(0)
  })

  it('refuse a database of a newer version with a sentence that says what to do', async () => {
    const { app, dataDirectory } = await startApplication()
    await app.close()
    const database = new SQLite(join(dataDirectory, 'listwright.db'))
    database.pragma('user_version = 9999')
    database.close()
    await expect(createApp({ dataDirectory, port: 0 })).rejects.toThrow(/newer Listwright .*9999/)
  })
})

it('the step to schema 23 keeps the messages that autoresponders still have to send', async () => {
  const { database, backups } = await databaseOf(22)
  database.exec(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO autoresponder_reactions VALUES (5, 7, 9, 1000, '{"code":"x"}', 500)`)
  migrate(database, backups)
  expect(database.prepare('SELECT * FROM autoresponder_reactions').all()).toEqual([
    {
      id: 5,
      autoresponder_id: 7,
      subscriber_id: 9,
      due_at: 1000,
      content_replacement_fields: '{"code":"x"}',
      created_at: 500,
      is_held: 1
    }
  ])
  // Ids are never reused, even after a step that rebuilds the table.
  expect(
    database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'autoresponder_reactions'").pluck().get()
  ).toBe(5)
})

it('the step to schema 24 counts the existing clicks', async () => {
  const { database, backups } = await databaseOf(23)
  database.exec(`
    PRAGMA foreign_keys = OFF;
    INSERT INTO stat_links (id, stat_slice_id, url) VALUES (1, 1, 'https://example.com/a'), (2, 1, 'https://example.com/b');
    INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, link_id, is_unique_of_link, occurred_at)
    VALUES (1, 'click', 1, 'a@example.com', 1, 1, 1, 0), (1, 'click', 1, 'a@example.com', 0, 1, 0, 0),
      (1, 'click', 2, 'b@example.com', 0, 1, 1, 0), (1, 'open', 2, 'b@example.com', 1, NULL, NULL, 0)`)
  migrate(database, backups)
  const counters = 'SELECT id, clicks_total, clicks_unique, clicks_unique_by_link FROM stat_links'
  expect(database.prepare(counters).raw().all()).toEqual([
    [1, 3, 1, 2],
    [2, 0, 0, 0]
  ])
})

it('the step to schema 36 finds the subscribers that imports added in the change log', async () => {
  const { database, backups } = await databaseOf(35)
  database.exec('PRAGMA foreign_keys = OFF')
  const insertImport = database.prepare(
    `INSERT INTO subscriber_imports (id, organization_id, mailing_list_id, state, begins_at, settings, source_type,
       source_filename, source_path, records_imported, counts, created_at, updated_at)
     VALUES (?, 1, 1, 'finished', 0, '{}', 'json', 'data', '', 0, json_object('added', ?), 0, 0)`
  )
  const note = database.prepare(
    `INSERT INTO change_log (at, entity, action, organization_id, mailing_list_id, first_id, last_id, via, cause_id)
     VALUES (0, 'subscriber', ?, 1, 1, ?, ?, 'subscriber_import', ?)`
  )
  insertImport.run(1, 20)
  note.run('create', 1, 15, 1)
  note.run('create', 17, 21, 1)
  note.run('update', 30, 31, 1)
  // The oldest entries of this one are gone.
  insertImport.run(2, 20)
  note.run('create', 40, 50, 2)
  migrate(database, backups)
  expect(database.prepare('SELECT * FROM import_additions').raw().all()).toEqual([
    [1, 1, 15],
    [1, 17, 21]
  ])
})

describe('the database', () => {
  it('has STRICT tables, WAL and no violated foreign key', async () => {
    const { app, dataDirectory } = await startApplication()
    await app.close()
    const database = new SQLite(join(dataDirectory, 'listwright.db'), { readonly: true })
    const loose = database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'"
      )
      .all()
    expect(loose).toEqual([])
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.pragma('foreign_key_check')).toEqual([])
  })
})

describe('a data directory', () => {
  it('is used by one application at a time', async () => {
    const { dataDirectory } = await startApplication()
    await expect(createApp({ dataDirectory, port: 0 })).rejects.toThrow(/Another Listwright already uses/)
  })

  it('is free again once its application has ended', async () => {
    const { app, dataDirectory } = await startApplication()
    await app.close()
    await (await createApp({ dataDirectory, port: 0 })).close()
  })
})

it('the step to schema 45 keeps drafts from before their members had names', async () => {
  const { database, backups } = await databaseOf(44)
  database.exec('PRAGMA foreign_keys = OFF')
  const insert = database.prepare(
    `INSERT INTO drafts (user_id, organization_id, name, title, path, base, state, updated_at)
     VALUES (1, 1, ?, '', '', ?, ?, 0)`
  )
  insert.run('settings of list 5', '[{"name":"A"},{}]', '[{"name":"B"},{"City":"Rome"}]')
  insert.run('template 7 (earlier)', '', '["Plain",[{"id":1}]]')
  insert.run('campaign 9', '{"name":"A"}', '{"name":"B"}')

  migrate(database, backups)

  expect(database.prepare('SELECT base, state FROM drafts ORDER BY name').raw().all()).toEqual([
    ['{"name":"A"}', '{"name":"B"}'],
    ['{"settings":{"name":"A"},"preview":{}}', '{"settings":{"name":"B"},"preview":{"City":"Rome"}}'],
    ['', '{"name":"Plain","contents":[{"id":1}]}']
  ])
})
