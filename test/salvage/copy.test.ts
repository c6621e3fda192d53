import SQLite from 'better-sqlite3'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { replaceSums } from '../../src-main/database/page-sums.ts'
import { openForGood, sumsOf } from '../../src-main/integrity/verify-pages.ts'
import { TableCopy } from '../../src-main/salvage/copy.ts'
import { LossList } from '../../src-main/salvage/losses.ts'
import { DamagedPages } from '../../src-main/salvage/pages.ts'
import { temporaryDirectory } from '../support/application.ts'

const pageSize = 512

const lost = 'Lost'
const doubtful = 'Kept, but its part of the file was changed: please check it'

/**
 * Recovers a table `t` with an index by email, of which a page was changed after it was noted.
 * @param fill fills the table (id, email, mailing_list_id, note)
 * @param change what becomes of the bytes of the database
 */
async function copied(
  fill: string,
  {
    change = () => undefined,
    name = 't',
    root
  }: { change?: (bytes: Buffer, rootPage: number) => void; name?: string; root?: null } = {}
) {
  const directory = await temporaryDirectory()
  const path = join(directory, 'listwright.db')
  const database = new SQLite(path)
  database.pragma(`page_size = ${pageSize}`)
  database.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, email, mailing_list_id, note);
    CREATE INDEX i ON ${name} (email); ${fill}`)
  const rootOf = database
    .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
  const [tableRoot = 0, indexRoot = 0] = [rootOf.get(name), rootOf.get('i')]
  database.close()
  const file = openForGood(path)
  await replaceSums(path, sumsOf(file))
  const bytes = await readFile(path)
  change(bytes, tableRoot)
  await writeFile(path, bytes)
  const pages = new DamagedPages({ databasePath: path, file })
  onTestFinished(() => pages.close())
  const target = new SQLite(':memory:')
  onTestFinished(() => void target.close())
  target.exec(`CREATE TABLE mailing_lists (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO mailing_lists VALUES (1, 'Readers');
    CREATE TABLE ${name} (id INTEGER PRIMARY KEY, email TEXT UNIQUE, mailing_list_id INTEGER, note TEXT,
      email_key TEXT, custom_fields TEXT) STRICT`)
  const columns = ['id', 'email', 'mailing_list_id', 'note'].map((each) => ({
    name: each,
    type: each === 'id' || each === 'mailing_list_id' ? 'INTEGER' : 'TEXT',
    isRowId: each === 'id'
  }))
  const lossPath = join(directory, 'lost.csv')
  const losses = new LossList(lossPath)
  const copy = new TableCopy(
    pages,
    {
      name,
      root: root === null ? null : tableRoot,
      columns,
      isKeyed: false,
      indexes: [{ root: indexRoot, columns: [{ name: 'email', type: 'TEXT' }] }]
    },
    target,
    losses
  )
  copy.copyTree()
  return {
    copy,
    pages,
    tableRoot,
    rows: (columnsTold = 'id') =>
      target.prepare(`SELECT ${columnsTold} FROM ${name} ORDER BY id`).raw().all(),
    told: async () => {
      copy.tellMissing()
      await losses.close()
      const [, ...told] = (await readFile(lossPath, 'utf8')).trimEnd().split('\n')
      return told.map((line) => line.replace(/^[^,]*,/, '').replaceAll('"', ''))
    }
  }
}

const people =
  "INSERT INTO t VALUES (1, 'a@example.com', 1, 'A'), (2, 'b@example.com', 1, 'B'), (3, 'c@example.com', 9, NULL)"

it('rows of a table that is whole are kept, and nothing is reported', async () => {
  const { rows, told, copy } = await copied(people)
  expect(rows('id, email, mailing_list_id, note')).toEqual([
    [1, 'a@example.com', 1, 'A'],
    [2, 'b@example.com', 1, 'B'],
    [3, 'c@example.com', 9, null]
  ])
  expect(copy.visit).toMatchObject({ isBroken: false })
  expect(await told()).toEqual([])
})

it('a row that cannot belong to the table is reported as lost, with what an index knows of it', async () => {
  const { rows, told } = await copied(
    `${people}; UPDATE t SET note = 7 WHERE id = 2; UPDATE t SET email = 8 WHERE id = 3`
  )
  expect(rows()).toEqual([[1]])
  // Of the third, the index knows nothing that could be an address.
  expect(await told()).toEqual([`2,b@example.com,,${lost}`, `3,,,${lost}`])
})

it('a row that a rule of the table refuses is reported once, with its name and its list', async () => {
  const twice = "INSERT INTO t VALUES (4, 'a@example.com', 1, 'again'), (5, 'c@example.com', 9, NULL)"
  const { rows, told } = await copied(`${people}; ${twice}`)
  expect(rows()).toEqual([[1], [2], [3]])
  expect(await told()).toEqual([`4,a@example.com,Readers,${lost}`, `5,c@example.com,9,${lost}`])
})

it('a row that an index has and the table no longer has is reported as lost', async () => {
  const { rows, told } = await copied(people, {
    // The page of the table has one row fewer: its last one is gone.
    change: (bytes, root) => void bytes.writeUInt16BE(2, (root - 1) * pageSize + 3)
  })
  expect(rows()).toEqual([[1], [2]])
  expect(await told()).toEqual([
    `1,a@example.com,Readers,${doubtful}`,
    `2,b@example.com,Readers,${doubtful}`,
    `3,c@example.com,,${lost}`
  ])
})

const letter = (text: string, to: string) => (bytes: Buffer, root: number) => {
  const at = bytes.indexOf(text, (root - 1) * pageSize)
  expect(at).toBeGreaterThan(0)
  expect(at).toBeLessThan(root * pageSize)
  bytes.write(to, at)
}

it('on a page that was changed, what looks like JSON but is not is lost; elsewhere it is kept', async () => {
  const json = `INSERT INTO t VALUES (1, 'a@example.com', 1, '{"a":1}'), (2, 'b@example.com', 1, '[1,]'), (3, NULL, 1, 'a]'), (4, NULL, 1, 'x')`
  const whole = await copied(json)
  expect(whole.rows()).toEqual([[1], [2], [3], [4]])
  expect(await whole.told()).toEqual([])
  const changed = await copied(json, { change: letter('a@example', 'A@example') })
  expect(changed.rows()).toEqual([[1], [4]])
  expect(await changed.told()).toEqual([
    `1,A@example.com,Readers,${doubtful}`,
    `4,,Readers,${doubtful}`,
    `3,,,${lost}`,
    `2,b@example.com,,${lost}`
  ])
})

it('subscribers on a changed page are kept if their address is valid, and their key is rebuilt from it', async () => {
  const subscribers = people.replace('INTO t', 'INTO subscribers')
  const changed = await copied(subscribers, { name: 'subscribers', change: letter('a@example', 'A@eXample') })
  expect(changed.rows('id, email, email_key')).toEqual([
    [1, 'A@eXample.com', 'a@example.com'],
    [2, 'b@example.com', 'b@example.com'],
    [3, 'c@example.com', 'c@example.com']
  ])
  const broken = await copied(subscribers, { name: 'subscribers', change: letter('a@example', 'a e ample') })
  expect(broken.rows()).toEqual([[2], [3]])
  expect(await broken.told()).toEqual([
    `2,b@example.com,Readers,${doubtful}`,
    `3,c@example.com,9,${doubtful}`,
    `1,a@example.com,,${lost}`
  ])
})

it('pages of a table whose root is not known are taken where all of their rows fit', async () => {
  const { copy, tableRoot, rows, told } = await copied(people, { root: null })
  expect(copy.visit.isBroken).toBe(true)
  expect(rows()).toEqual([])
  // A page of the schema, and one of an index.
  expect(copy.takePage(1, false)).toBe(false)
  expect(copy.takePage(tableRoot + 1, false)).toBe(false)
  expect(copy.takePage(tableRoot, false)).toBe(true)
  expect(rows()).toEqual([[1], [2], [3]])
  // What is there already does not come again, and nothing of the page is taken back.
  expect(copy.takePage(tableRoot, false)).toBe(false)
  expect(rows()).toEqual([[1], [2], [3]])
  expect(await told()).toEqual([])
})

it('rows of a page that nothing leads to are reported as doubtful where they may have been deleted on purpose', async () => {
  const { copy, tableRoot, told } = await copied(people, { root: null })
  expect(copy.takePage(tableRoot, true)).toBe(true)
  expect(await told()).toEqual([
    `1,a@example.com,Readers,${doubtful}`,
    `2,b@example.com,Readers,${doubtful}`,
    `3,c@example.com,9,${doubtful}`
  ])
})

it('a page of which one row does not fit is not taken at all', async () => {
  const { copy, tableRoot, rows } = await copied(`${people}; UPDATE t SET note = 7 WHERE id = 3`, {
    root: null
  })
  expect(copy.takePage(tableRoot, false)).toBe(false)
  expect(rows()).toEqual([])
})
