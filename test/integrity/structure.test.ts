import SQLite, { type Database } from 'better-sqlite3'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isUnreadable, structuralFaults } from '../../src-main/integrity/structure.ts'
import { temporaryDirectory } from '../support/application.ts'

function faultsOf(prepare: (database: Database) => void, path = ':memory:'): string[] {
  const database = new SQLite(path)
  onTestFinished(() => void database.close())
  prepare(database)
  return [...structuralFaults(database)]
}

const tables = `CREATE TABLE lists (id INTEGER PRIMARY KEY);
  CREATE TABLE people (id INTEGER PRIMARY KEY, a, b, list REFERENCES lists (id));
  CREATE INDEX of_a ON people (a);
  INSERT INTO lists VALUES (1);
  INSERT INTO people (a, b, list) VALUES (1, 2, 1), (3, 4, 1)`

it('a database that is sound has no faults', () => {
  expect(faultsOf((database) => database.exec(tables))).toEqual([])
})

it('the faults that SQLite finds are reported one by one', () => {
  const faults = faultsOf((database) => {
    database.exec(tables)
    // The index says of a what it has of b.
    database.unsafeMode()
    database.pragma('writable_schema = ON')
    database.exec(`UPDATE sqlite_schema SET sql = 'CREATE INDEX of_a ON people (b)' WHERE name = 'of_a'`)
    database.pragma('writable_schema = RESET')
  })
  expect(faults).toContain('The file is damaged: row 1 missing from index of_a')
  expect(faults.every((fault) => fault.startsWith('The file is damaged: '))).toBe(true)
})

it('rows that refer to what is missing are counted', () => {
  const faults = faultsOf((database) => {
    database.pragma('foreign_keys = OFF')
    database.exec(`${tables}; DELETE FROM lists`)
  })
  expect(faults).toEqual(['2 rows, such as one in people, refer to missing lists'])
})

it('a file that is no longer a database is reported in a sentence', async () => {
  const path = join(await temporaryDirectory(), 'broken.db')
  await writeFile(path, 'this is no database, and long enough to be taken for one'.repeat(100))
  expect(faultsOf(() => undefined, path)).toEqual(['The file is damaged: file is not a database'])
})

it.each([
  ['SQLITE_ERROR', true],
  ['SQLITE_CORRUPT', true],
  ['SQLITE_NOTADB', true],
  ['SQLITE_FULL', false],
  ['SQLITE_BUSY', false],
  ['SQLITE_IOERR_READ', false],
  ['SQLITE_CONSTRAINT', false]
])('an unreadable database is distinguished from a disk or a lock that prevents reading: %s', (code, is) => {
  expect(isUnreadable(new SQLite.SqliteError('x', code))).toBe(is)
  expect(isUnreadable(new Error(code))).toBe(false)
})
