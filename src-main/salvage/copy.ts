import SQLite, { type Database, type Statement } from 'better-sqlite3'
import { emailKey, isEmail } from '../api/subscribers/rules.ts'
import type { LossList, RecordId } from './losses.ts'
import type { DamagedPages } from './pages.ts'
import type { SourceTable } from './source.ts'
import { rowsOfPage, rowsOfTree, type StoredColumn, type TreeRow, type TreeVisit } from './trees.ts'

const namingColumns = [
  'email',
  'name',
  'full_name',
  'title',
  'subject',
  'url',
  'domain',
  'email_key',
  'name_key',
  'full_name_key',
  'key',
  'alternate_key'
]

type Row = Map<string, StoredColumn>

/** Brings the rows of a damaged table into a new database. */
export class TableCopy {
  readonly table: SourceTable
  readonly visit: TreeVisit = { pages: new Set(), isBroken: false }
  readonly #pages: DamagedPages
  readonly #database: Database
  readonly #losses: LossList
  readonly #inserts = new Map<number, Statement>()
  readonly #refused = new Set<RecordId>()
  readonly #unreadable = new Set<NonNullable<RecordId>>()

  constructor(pages: DamagedPages, table: SourceTable, database: Database, losses: LossList) {
    this.#pages = pages
    this.table = table
    this.#database = database
    this.#losses = losses
  }

  copyTree(): void {
    if (this.table.root === null) {
      this.visit.isBroken = true
      return
    }
    for (const read of rowsOfTree(this.#pages, this.table.root, this.visit)) {
      const row = this.#rowOf(read)
      if (row && this.#insert(row)) {
        if (read.isDoubtful) this.#tell('doubtful', read.rowid, row)
        continue
      }
      if (!row && read.rowid !== null) {
        this.#unreadable.add(read.rowid)
        continue
      }
      this.#refused.add(read.rowid)
      this.#tell('lost', read.rowid, row ?? new Map<string, StoredColumn>())
    }
  }

  /**
   * Copies the rows of a page that no tree references, if all of them fit the table.
   * @param isDoubtful true if it may contain deleted rows
   */
  takePage(page: number, isDoubtful: boolean): boolean {
    const read = rowsOfPage(this.#pages, page)
    const rows = read.map((row) => this.#rowOf(row))
    if (rows.length === 0 || rows.includes(null)) return false
    this.#database.exec('SAVEPOINT page')
    const fits = rows.every((row) => row !== null && this.#insert(row))
    this.#database.exec(fits ? 'RELEASE page' : 'ROLLBACK TO page; RELEASE page')
    for (const [index, row] of fits ? rows.entries() : []) {
      if (row && (isDoubtful || read[index]?.isDoubtful))
        this.#tell('doubtful', read[index]?.rowid ?? null, row)
    }
    return fits
  }

  /** Lists rows that could not be read, and rows that only an index has. */
  tellMissing(): void {
    if (this.table.isKeyed) return
    const isThere = this.#database
      .prepare<[unknown], number>(`SELECT 1 FROM "${this.table.name}" WHERE rowid = ?`)
      .pluck()
    const missing = this.#missingByIndexes(isThere)
    for (const id of this.#unreadable) {
      // A damaged page may seem to hold a row that is intact elsewhere.
      if (!missing.has(id) && !this.#refused.has(id) && isThere.get(id) === undefined)
        missing.set(id, new Map())
    }
    for (const [id, row] of missing) this.#tell('lost', id, row)
  }

  #missingByIndexes(isThere: Statement<[unknown], number>): Map<NonNullable<RecordId>, Row> {
    const missing = new Map<NonNullable<RecordId>, Row>()
    for (const { root, columns } of this.table.indexes) {
      const visit: TreeVisit = { pages: new Set(), isBroken: false, followsUnlike: true }
      for (const { values } of rowsOfTree(this.#pages, root, visit)) {
        const id = values[columns.length] ?? null
        if (values.length !== columns.length + 1 || typeof id === 'string' || Buffer.isBuffer(id)) continue
        if (id === null || this.#refused.has(id) || isThere.get(id) !== undefined) continue
        if (!columns.every(({ type }, index) => fits(values[index] ?? null, type))) continue
        const known = missing.get(id) ?? new Map<string, StoredColumn>()
        for (const [index, { name }] of columns.entries()) known.set(name, values[index] ?? null)
        missing.set(id, known)
      }
    }
    return missing
  }

  #tell(loss: 'lost' | 'doubtful', id: RecordId, row: Row): void {
    const naming = namingColumns.find((column) => typeof row.get(column) === 'string')
    const name = naming === undefined ? '' : String(row.get(naming))
    this.#losses.add(loss, this.table.name, id, name, this.#listOf(row))
  }

  #listOf(row: Row): string {
    const id = row.get('mailing_list_id')
    if (typeof id !== 'number') return ''
    const name = this.#database
      .prepare<[number], string>('SELECT name FROM mailing_lists WHERE id = ?')
      .pluck()
      .get(id)
    return name ?? String(id)
  }

  /** @returns null where it is no row of the table, or holds what cannot be worked with */
  #rowOf({ rowid, values, isDoubtful }: TreeRow): Row | null {
    const { columns, name, isKeyed } = this.table
    if (values.length > columns.length || typeof rowid === 'bigint') return null
    const row: Row = new Map()
    // Rows keep their row ids, which indexes refer to.
    if (!isKeyed && !columns.some(({ isRowId }) => isRowId)) row.set('rowid', rowid)
    for (const [index, value] of values.entries()) {
      const column = columns[index]
      if (!column) return null
      if (column.isRowId) {
        if (value !== null) return null
        row.set(column.name, rowid)
      } else {
        if (!fits(value, column.type)) return null
        row.set(column.name, value)
      }
    }
    // A record without columns tells nothing, and cannot be inserted.
    if (row.size === 0) return null
    if (!isDoubtful) return row
    if (name === 'subscribers') return repaired(row)
    return [...row.values()].every(isReadable) ? row : null
  }

  #insert(row: Row): boolean {
    let insert = this.#inserts.get(row.size)
    if (!insert) {
      const columns = [...row.keys()].map((column) => `"${column}"`).join(', ')
      const values = Array.from(row, () => '?').join(', ')
      insert = this.#database.prepare(`INSERT INTO "${this.table.name}" (${columns}) VALUES (${values})`)
      this.#inserts.set(row.size, insert)
    }
    try {
      insert.run([...row.values()])
      return true
    } catch (error) {
      if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) return false
      throw error
    }
  }
}

function fits(value: StoredColumn, type: string): boolean {
  if (value === null || type === 'ANY') return true
  if (type === 'TEXT') return typeof value === 'string'
  if (type === 'BLOB') return Buffer.isBuffer(value)
  // Listwright writes no integers that JavaScript does not keep exactly.
  return typeof value === 'number'
}

/** True unless the text looks like JSON and cannot be parsed. */
function isReadable(value: StoredColumn): boolean {
  if (typeof value !== 'string' || !/^[[{]|[\]}]$/.test(value)) return true
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

/**
 * Repairs a possibly damaged subscriber: rebuilds its email key and clears unreadable values.
 * @returns null if it has no valid address
 */
function repaired(row: Row): Row | null {
  const [email, values] = [row.get('email'), row.get('custom_fields')]
  if (typeof email !== 'string' || !isEmail(email)) return null
  row.set('email_key', emailKey(email))
  // The values are a JSON object. Damage may have left something else, such as an empty text.
  const isObject = typeof values === 'string' && values.startsWith('{') && isReadable(values)
  if (values !== undefined && !isObject) row.set('custom_fields', '{}')
  return row
}
