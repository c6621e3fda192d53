import type { Database } from 'better-sqlite3'
import { type CommandContext, type Owner, recordOne } from './command.ts'
import type { ChangedEntity, Schema } from './schema.ts'

// What the change log keeps of the rows of a record, so that an edit can be told and undone, and a deletion undone.

/**
 * Where the records of a kind are stored: a row with its id, and rows of other tables that are part of it.
 */
export interface RecordTables {
  entity: ChangedEntity
  table: keyof Schema
  /** The rows of each table that belong to the record with the id :id. */
  parts: readonly { table: keyof Schema; where: string }[]
}

/** A row as SQLite has it: the tables of such records hold texts and numbers only. */
export type Row = Record<string, string | number | null>

export interface RecordRows {
  row: Row
  /** By table. */
  parts: Record<string, Row[]>
}

export interface RecordEdit {
  columns: Record<string, [before: Row[string], now: Row[string]]>
  /** All rows of the tables of which one changed. */
  parts: Record<string, [before: Row[], now: Row[]]>
}

const bookkeeping: readonly string[] = ['updated_at', 'name_key']

/** The rows of a record; undefined if no record has the id. */
export function rowsOf(sqlite: Database, tables: RecordTables, id: number): RecordRows | undefined {
  const row = sqlite.prepare<[number], Row>(`SELECT * FROM ${tables.table} WHERE id = ?`).get(id)
  if (!row) return undefined
  const parts = tables.parts.map(({ table, where }): [string, Row[]] => [
    table,
    sqlite
      .prepare<[{ id: number }], Row>(
        `SELECT * FROM ${table} WHERE ${where} ORDER BY ${keyOf(sqlite, table).join(', ')}`
      )
      .all({ id })
  ])
  return { row, parts: Object.fromEntries(parts) }
}

export async function recordEdit<Result>(
  context: CommandContext,
  tables: RecordTables,
  owner: Owner,
  id: number,
  edit: () => Promise<Result>
): Promise<Result> {
  const before = rowsOf(context.sqlite, tables, id)
  const result = await edit()
  const now = rowsOf(context.sqlite, tables, id)
  recordOne(context, tables.entity, 'update', owner, id, before && now && editBetween(before, now))
  return result
}

/** Deletes a record, and notes its rows. @param name what the record is called from then on */
export async function recordDeletion(
  context: CommandContext,
  tables: RecordTables,
  owner: Owner,
  { id, name }: { id: number; name: string },
  remove: () => Promise<unknown>
): Promise<void> {
  const rows = rowsOf(context.sqlite, tables, id)
  await remove()
  recordOne(context, tables.entity, 'delete', owner, id, { name, deleted: rows })
}

/** Returns the changes of an edit as details of its entry; undefined if nothing changed. */
function editBetween(before: RecordRows, now: RecordRows): { edited: RecordEdit } | undefined {
  const columns = Object.keys(now.row).filter(
    (name) => !bookkeeping.includes(name) && before.row[name] !== now.row[name]
  )
  const parts = Object.keys(now.parts).filter(
    (table) => JSON.stringify(before.parts[table]) !== JSON.stringify(now.parts[table])
  )
  if (columns.length + parts.length === 0) return undefined
  return {
    edited: {
      columns: Object.fromEntries(
        columns.map((name) => [name, [before.row[name] ?? null, now.row[name] ?? null]])
      ),
      parts: Object.fromEntries(
        parts.map((table) => [table, [before.parts[table] ?? [], now.parts[table] ?? []]])
      )
    }
  }
}

/** True if everything that an edit changed is unchanged since. */
export function isAsEdited(rows: RecordRows, { columns, parts }: RecordEdit): boolean {
  return (
    Object.entries(columns).every(([name, [, now]]) => rows.row[name] === now) &&
    Object.entries(parts).every(([table, [, now]]) => isSame(rows.parts[table] ?? [], now))
  )
}

function isSame(rows: readonly Row[], kept: readonly Row[]): boolean {
  return (
    rows.length === kept.length &&
    kept.every((row, index) =>
      Object.entries(row).every(([name, value]) => name === 'updated_at' || rows[index]?.[name] === value)
    )
  )
}

/**
 * Reverts rows. Foreign keys are checked only by {@link brokenReferences}, so tables may be written in any
 * order.
 */
export function revertEdit(
  { sqlite, now }: CommandContext,
  { table, parts: places }: RecordTables,
  id: number,
  { columns, parts }: RecordEdit
): void {
  sqlite.pragma('defer_foreign_keys = ON')
  const former = Object.entries(columns).map(([name, [before]]): [string, Row[string]] => [name, before])
  setColumns(sqlite, table, { id }, { ...Object.fromEntries(former), ...changedNow(sqlite, table, now) })
  for (const { table: part } of places) {
    const [before, after] = parts[part] ?? [[], []]
    const keyText = keyTexts(sqlite, part)
    const kept = new Set(before.map(keyText))
    for (const row of after) if (!kept.has(keyText(row))) drop(sqlite, part, row)
    for (const row of before) upsert(sqlite, part, row)
  }
}

/**
 * Restores the rows of a deleted record, except parts that belong to another record by now. Foreign keys as
 * in {@link revertEdit}.
 */
export function putBack(
  { sqlite, now }: CommandContext,
  tables: RecordTables,
  { row, parts }: RecordRows
): void {
  sqlite.pragma('defer_foreign_keys = ON')
  const left = rowsOf(sqlite, tables, Number(row['id']))?.parts ?? {}
  upsert(sqlite, tables.table, { ...row, ...changedNow(sqlite, tables.table, now) })
  for (const { table } of tables.parts) {
    const keyText = keyTexts(sqlite, table)
    const own = new Set(left[table]?.map(keyText))
    for (const part of parts[table] ?? []) upsert(sqlite, table, part, own.has(keyText(part)))
  }
}

function keyTexts(sqlite: Database, table: string): (row: Row) => string {
  const key = keyOf(sqlite, table)
  return (row) => JSON.stringify(key.map((name) => row[name]))
}

function changedNow(sqlite: Database, table: string, now: number): Row {
  return columnsOf(sqlite, table).some(({ name }) => name === 'updated_at') ? { updated_at: now } : {}
}

interface Column {
  name: string
  notnull: 0 | 1
  /** Place in the primary key; 0 = not in it. */
  pk: number
}

function columnsOf(sqlite: Database, table: string): Column[] {
  return sqlite.pragma(`table_info(${table})`) as Column[]
}

function keyOf(sqlite: Database, table: string): string[] {
  return columnsOf(sqlite, table)
    .filter(({ pk }) => pk > 0)
    .map(({ name }) => name)
}

/** Adds a row, or where it may writes it over the one with its primary key; columns that the table has no more are left out. */
function upsert(sqlite: Database, table: string, row: Row, mayReplace = true): void {
  const columns = columnsOf(sqlite, table).filter(({ name }) => row[name] !== undefined)
  const names = columns.map(({ name }) => name)
  const others = columns.filter(({ pk }) => pk === 0).map(({ name }) => `${name} = excluded.${name}`)
  const onConflict = mayReplace && others.length > 0 ? `UPDATE SET ${others.join(', ')}` : 'NOTHING'
  sqlite
    .prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})
       ON CONFLICT (${keyOf(sqlite, table).join(', ')}) DO ${onConflict}`
    )
    .run(row)
}

function setColumns(sqlite: Database, table: string, row: Row, columns: Row): void {
  const names = Object.keys(columns)
  if (names.length === 0) return
  sqlite
    .prepare(
      `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${whereKey(sqlite, table)}`
    )
    .run(Object.values(columns), row)
}

function drop(sqlite: Database, table: string, row: Row): void {
  sqlite.prepare(`DELETE FROM ${table} WHERE ${whereKey(sqlite, table)}`).run(row)
}

function whereKey(sqlite: Database, table: string): string {
  return keyOf(sqlite, table)
    .map((name) => `${name} = @${name}`)
    .join(' AND ')
}

export interface BrokenReference {
  table: string
  column: string
  /** True if the column may be null. */
  isOptional: boolean
  /** The row, by its primary key. */
  row: Row
}

/**
 * Returns the references from a record's rows to records that no longer exist. A record without a name counts as missing: it exists
 * only as a part of another record.
 */
export function brokenReferences(
  { sqlite }: CommandContext,
  tables: RecordTables,
  id: number
): BrokenReference[] {
  const rows = rowsOf(sqlite, tables, id)
  if (!rows) return []
  const all = [
    { table: tables.table as string, row: rows.row },
    ...Object.entries(rows.parts).flatMap(([table, some]) => some.map((row) => ({ table, row })))
  ]
  return all.flatMap(({ table, row }) =>
    referencesOf(sqlite, table).flatMap(({ from, table: target, to }) => {
      const value = row[from] ?? null
      if (value === null) return []
      const isOwn = rows.parts[target]?.some((part) => part[to] === value) ?? false
      if (isOwn || isThere(sqlite, target, to, value)) return []
      const isOptional = columnsOf(sqlite, table).some(({ name, notnull }) => name === from && notnull === 0)
      return [{ table, column: from, isOptional, row }]
    })
  )
}

function referencesOf(sqlite: Database, table: string): { from: string; table: string; to: string }[] {
  return sqlite.pragma(`foreign_key_list(${table})`) as { from: string; table: string; to: string }[]
}

function isThere(sqlite: Database, table: string, column: string, value: string | number): boolean {
  const row = sqlite.prepare<[typeof value], Row>(`SELECT * FROM ${table} WHERE ${column} = ?`).get(value)
  return row !== undefined && row['name'] !== null
}

/** Sets the broken reference to null if the column allows it; otherwise deletes the row. */
export function leaveOut(
  { sqlite }: CommandContext,
  { table, column, isOptional, row }: BrokenReference
): void {
  if (isOptional) setColumns(sqlite, table, row, { [column]: null })
  else drop(sqlite, table, row)
}
