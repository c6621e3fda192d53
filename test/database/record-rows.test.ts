import SQLite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Change, CommandContext } from '../../src-main/database/command.ts'
import type { Schema } from '../../src-main/database/schema.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import {
  brokenReferences,
  isAsEdited,
  leaveOut,
  putBack,
  recordDeletion,
  recordEdit,
  type RecordEdit,
  type RecordRows,
  type RecordTables,
  rowsOf,
  revertEdit
} from '../../src-main/database/record-rows.ts'

// Any tables will do: these are a shop with its items, which have ids, and its tags, which have not.
const table = (name: string) => name as keyof Schema
const shops: RecordTables = {
  entity: 'segment',
  table: table('shops'),
  parts: [
    { table: table('items'), where: 'shop_id = :id' },
    { table: table('tags'), where: 'shop_id = :id' }
  ]
}

const now = 5000

function opened() {
  const sqlite = new SQLite(':memory:')
  onTestFinished(() => void sqlite.close())
  sqlite.exec(`
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO people VALUES (1, 'Anna'), (2, 'Ben'), (3, NULL);
    CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT, name_key TEXT, updated_at INTEGER,
      owner_id INTEGER REFERENCES people (id), seller_id INTEGER NOT NULL REFERENCES people (id), best_id INTEGER REFERENCES items (id));
    CREATE TABLE items (id INTEGER PRIMARY KEY, shop_id INTEGER, title TEXT, updated_at INTEGER, maker_id INTEGER NOT NULL REFERENCES people (id));
    CREATE TABLE tags (shop_id INTEGER, tag TEXT, PRIMARY KEY (shop_id, tag));
    INSERT INTO items VALUES (20, 7, 'Pear', 1, 2), (10, 7, 'Apple', 1, 1), (30, 8, 'Plum', 1, 1);
    INSERT INTO shops VALUES (7, 'Fruit', 'fruit', 1, 1, 2, 10), (8, 'Other', 'other', 1, NULL, 1, NULL);
    INSERT INTO tags VALUES (7, 'ripe'), (7, 'fresh'), (8, 'ripe');`)
  const told: Change[] = []
  const context: CommandContext = {
    sqlite,
    db: kyselyOver(sqlite),
    now,
    clock: now,
    origin: null,
    record: (change) => void told.push(change),
    shouldPause: () => Promise.resolve(false),
    isShared: () => false,
    onRollback: () => undefined
  }
  const owner = { organizationId: 1, mailingListId: 4 }
  return {
    sqlite,
    context,
    told,
    rows: () => rowsOf(sqlite, shops, 7),
    edit: (sql: string) => recordEdit(context, shops, owner, 7, async () => sqlite.exec(sql)),
    remove: () =>
      recordDeletion(context, shops, owner, { id: 7, name: 'Fruit' }, async () =>
        sqlite.exec(
          'UPDATE shops SET best_id = NULL; DELETE FROM items WHERE shop_id = 7; DELETE FROM tags WHERE shop_id = 7; DELETE FROM shops WHERE id = 7'
        )
      ),
    inTransaction: (act: () => void) => sqlite.transaction(act)(),
    all: (sql: string) => sqlite.prepare(sql).raw().all()
  }
}

const editOf = (told: Change[]) => (told.at(-1)?.details as { edited: RecordEdit }).edited

describe('the rows of a record', () => {
  it('are its own and those of its parts, by their keys', () => {
    const { sqlite, rows } = opened()
    expect(rows()).toMatchObject({
      row: { id: 7, name: 'Fruit', best_id: 10 },
      parts: { items: [{ id: 10 }, { id: 20 }], tags: [{ tag: 'fresh' }, { tag: 'ripe' }] }
    })
    expect(rowsOf(sqlite, shops, 9)).toBeUndefined()
  })
})

describe('an edit', () => {
  it('is recorded with its changes, without bookkeeping columns', async () => {
    const { edit, told } = opened()
    await edit(
      "UPDATE shops SET name = 'Vegetables', name_key = 'vegetables', updated_at = 9, owner_id = NULL WHERE id = 7; DELETE FROM tags WHERE tag = 'ripe'"
    )
    expect(told).toEqual([
      {
        entity: 'segment',
        action: 'update',
        organizationId: 1,
        mailingListId: 4,
        firstId: 7,
        lastId: 7,
        details: {
          edited: {
            columns: { name: ['Fruit', 'Vegetables'], owner_id: [1, null] },
            parts: {
              tags: [
                [
                  { shop_id: 7, tag: 'fresh' },
                  { shop_id: 7, tag: 'ripe' }
                ],
                [{ shop_id: 7, tag: 'fresh' }]
              ]
            }
          }
        }
      }
    ])
  })

  it('without changes is recorded without details', async () => {
    const { edit, told } = opened()
    await edit('UPDATE shops SET updated_at = 9 WHERE id = 7')
    expect(told).toHaveLength(1)
    expect(told[0]).not.toHaveProperty('details')
  })

  it('can be undone until one of its values is changed again', async () => {
    const { edit, told, rows, sqlite } = opened()
    await edit("UPDATE shops SET name = 'New' WHERE id = 7; UPDATE items SET title = 'Quince' WHERE id = 20")
    const stands = (sql: string) => {
      sqlite.exec(`SAVEPOINT here; ${sql}`)
      const result = isAsEdited(rows() as RecordRows, editOf(told))
      sqlite.exec('ROLLBACK TO here; RELEASE here')
      return result
    }
    expect(stands('SELECT 1')).toBe(true)
    expect(stands('UPDATE shops SET owner_id = 2 WHERE id = 7; DELETE FROM tags')).toBe(true)
    expect(stands('UPDATE items SET updated_at = 77')).toBe(true)
    expect(stands("UPDATE shops SET name = 'Newer' WHERE id = 7")).toBe(false)
    expect(stands("UPDATE items SET title = 'Pear' WHERE id = 20")).toBe(false)
    expect(stands('UPDATE shops SET best_id = NULL; DELETE FROM items WHERE id = 10')).toBe(false)
    expect(stands("INSERT INTO items VALUES (40, 7, 'Fig', 1, 1)")).toBe(false)
  })

  it('is undone with all added, changed and deleted parts; updated_at is the present time', async () => {
    const { edit, told, rows, context, inTransaction } = opened()
    const before = rows()
    await edit(`UPDATE shops SET name = 'New', best_id = 20 WHERE id = 7; UPDATE items SET title = 'Quince' WHERE id = 20;
      DELETE FROM items WHERE id = 10; INSERT INTO items VALUES (40, 7, 'Fig', 1, 1); INSERT INTO tags VALUES (7, 'new')`)
    inTransaction(() => revertEdit(context, shops, 7, editOf(told)))
    expect(rows()).toEqual({ ...before, row: { ...before?.row, updated_at: now } })
  })
})

describe('a record that was deleted', () => {
  it('is recorded completely, and restored unchanged', async () => {
    const { remove, told, rows, context, inTransaction, sqlite } = opened()
    const before = rows()
    await remove()
    expect(told).toMatchObject([
      { action: 'delete', firstId: 7, details: { name: 'Fruit', deleted: before } }
    ])
    expect(rows()).toBeUndefined()
    inTransaction(() => putBack(context, shops, before as RecordRows))
    expect(rows()).toEqual({ ...before, row: { ...before?.row, updated_at: now } })
    expect(sqlite.pragma('foreign_key_check')).toEqual([])
  })

  it('does not take parts that belong to another record by now, and overwrites its own remains', async () => {
    const { remove, rows, context, inTransaction, sqlite, all } = opened()
    const before = rows()
    await remove()
    sqlite.exec(
      "INSERT INTO shops (id, seller_id) VALUES (7, 1); INSERT INTO items VALUES (20, 8, 'Melon', 1, 1), (10, 7, 'Left', 1, 1)"
    )
    inTransaction(() => putBack(context, shops, before as RecordRows))
    expect(all('SELECT id, shop_id, title FROM items ORDER BY id')).toEqual([
      [10, 7, 'Apple'],
      [20, 8, 'Melon'],
      [30, 8, 'Plum']
    ])
  })

  it('comes back without columns that no longer exist', async () => {
    const { remove, rows, context, inTransaction, sqlite } = opened()
    const before = rows() as RecordRows
    await remove()
    sqlite.exec('ALTER TABLE shops DROP COLUMN name_key')
    inTransaction(() => putBack(context, shops, before))
    expect(rows()?.row).toMatchObject({ id: 7, name: 'Fruit' })
    expect(rows()?.row).not.toHaveProperty('name_key')
  })
})

describe('references of a record', () => {
  it('are broken if their target is gone, or has no own name', () => {
    const { sqlite, context } = opened()
    expect(brokenReferences(context, shops, 7)).toEqual([])
    expect(brokenReferences(context, shops, 9)).toEqual([])
    sqlite.pragma('foreign_keys = OFF')
    sqlite.exec('DELETE FROM people WHERE id = 2; UPDATE shops SET owner_id = 3 WHERE id = 7')
    const broken = brokenReferences(context, shops, 7).map(({ table, column, isOptional, row }) => [
      table,
      column,
      isOptional,
      row['id']
    ])
    expect(broken.sort()).toEqual([
      ['items', 'maker_id', false, 20],
      ['shops', 'owner_id', true, 7],
      ['shops', 'seller_id', false, 7]
    ])
  })

  it('to a deleted part are broken, and those to a part of another record are not', () => {
    const { sqlite, context } = opened()
    sqlite.pragma('foreign_keys = OFF')
    sqlite.exec('UPDATE shops SET best_id = 99 WHERE id = 7')
    expect(brokenReferences(context, shops, 7)).toMatchObject([{ column: 'best_id', isOptional: true }])
    sqlite.exec('UPDATE shops SET best_id = 30 WHERE id = 7')
    expect(brokenReferences(context, shops, 7)).toEqual([])
  })

  it('that are broken become blank if they may, else their row is left out', () => {
    const { sqlite, context, all } = opened()
    sqlite.pragma('foreign_keys = OFF')
    sqlite.exec('DELETE FROM people WHERE id = 2; UPDATE shops SET owner_id = 2 WHERE id = 7')
    for (const broken of brokenReferences(context, shops, 7)) {
      if (broken.column !== 'seller_id') leaveOut(context, broken)
    }
    expect(all('SELECT id, owner_id FROM shops WHERE id = 7')).toEqual([[7, null]])
    expect(all('SELECT id FROM items WHERE shop_id = 7')).toEqual([[10]])
  })
})
