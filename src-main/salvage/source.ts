import type { Database } from 'better-sqlite3'
import type { DamagedPages } from './pages.ts'
import { rowsOfTree, type StoredColumn } from './trees.ts'

/** A table as it stands in a damaged database. */
export interface SourceTable {
  name: string
  /** The first page of its tree; null if unknown. */
  root: number | null
  /** In storage order. */
  columns: Column[]
  /** True if rows are stored by a key instead of a rowid. */
  isKeyed: boolean
  indexes: SourceIndex[]
}

export interface Column {
  name: string
  type: string
  /** True if the column is the rowid, which is not stored with the others. */
  isRowId: boolean
}

/** An index of a table: its columns, with which the id of the row stands. */
export interface SourceIndex {
  root: number
  columns: Pick<Column, 'name' | 'type'>[]
}

interface SchemaRow {
  type: StoredColumn
  name: StoredColumn
  table: StoredColumn
  root: StoredColumn
}

/**
 * Returns the tables of a damaged database.
 * @param empty a database with the same schema
 */
export function tablesOf(pages: DamagedPages, empty: Database): SourceTable[] {
  const rows = [...rowsOfTree(pages, 1)].map(({ values: [type, name, table, root] }): SchemaRow => ({
    type: type ?? null,
    name: name ?? null,
    table: table ?? null,
    root: root ?? null
  }))
  const rootOf = (type: string, name: string): number | null => {
    const root = rows.find((row) => row.type === type && row.name === name)?.root
    return typeof root === 'number' && root > 0 ? root : null
  }
  return empty
    .prepare<[], { name: string; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    .all()
    .map(({ name, wr }) => {
      const columns = columnsOf(empty, name, wr === 1)
      // A table ordered by its primary key has no row ids to look up.
      const indexes = wr === 1 ? [] : indexesOf(empty, name, columns, rootOf)
      return { name, root: rootOf('table', name), columns, isKeyed: wr === 1, indexes }
    })
}

/** Returns the last used ids that are never reused, by table. */
export function handedOut(pages: DamagedPages): Map<string, number> {
  const schema = [...rowsOfTree(pages, 1)]
  const root = schema.find(({ values }) => values[1] === 'sqlite_sequence')?.values[3]
  if (typeof root !== 'number') return new Map()
  return new Map(
    [...rowsOfTree(pages, root)].flatMap(({ values: [name, last] }) =>
      typeof name === 'string' && typeof last === 'number' ? [[name, last]] : []
    )
  )
}

interface TableColumn {
  cid: number
  name: string
  type: string
  pk: number
}

function columnsOf(empty: Database, table: string, isKeyed: boolean): Column[] {
  const columns = empty.pragma(`table_xinfo("${table}")`) as TableColumn[]
  const ids = columns.filter(({ pk }) => pk > 0)
  const stored = isKeyed ? inOrderOfKey(empty, table, columns) : columns
  return stored.map(({ name, type, pk }) => ({
    name,
    type,
    isRowId: !isKeyed && pk === 1 && ids.length === 1 && type === 'INTEGER'
  }))
}

function inOrderOfKey(empty: Database, table: string, columns: TableColumn[]): TableColumn[] {
  const key = (empty.pragma(`index_list("${table}")`) as { name: string; origin: string }[]).find(
    ({ origin }) => origin === 'pk'
  )
  const order = empty.pragma(`index_xinfo("${key?.name ?? ''}")`) as { cid: number }[]
  return order.flatMap(({ cid }) => columns.filter((column) => column.cid === cid))
}

function indexesOf(
  empty: Database,
  table: string,
  tableColumns: Column[],
  rootOf: (type: string, name: string) => number | null
): SourceIndex[] {
  return (empty.pragma(`index_list("${table}")`) as { name: string }[]).flatMap(({ name }) => {
    const root = rootOf('index', name)
    const columns = (empty.pragma(`index_info("${name}")`) as { name: string | null }[]).map((indexed) => {
      const column = tableColumns.find((each) => each.name === indexed.name)
      // The type of an expression in an index is unknown.
      return { name: indexed.name ?? '', type: column?.type ?? 'ANY' }
    })
    return root === null ? [] : [{ root, columns }]
  })
}
