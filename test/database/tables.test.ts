import SQLite from 'better-sqlite3'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { migrate } from '../../src-main/database/migrate.ts'

const root = join(import.meta.dirname, '../..')

/** The columns of each table, and whether each may be null. */
type Tables = Record<string, Record<string, boolean>>

function declaredTables(): Tables {
  const path = join(root, 'src-main/declared-rows.ts')
  const source = `import type { Selectable } from 'kysely'
    ${globSync('src-main/**/tables.ts', { cwd: root })
      .map((file) => `import type {} from '${join(root, file)}'`)
      .join('\n')}
    import type { Schema } from './database/schema.ts'
    export declare const rows: { [Table in keyof Schema]: Selectable<Schema[Table]> }`
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: object
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const readSourceFile = host.getSourceFile.bind(host)
  host.getSourceFile = (name, languageVersion) =>
    name === path ? ts.createSourceFile(name, source, languageVersion) : readSourceFile(name, languageVersion)
  const program = ts.createProgram([path], options, host)
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(path)
  const statement = file?.statements.find(ts.isVariableStatement)
  const [declaration] = statement?.declarationList.declarations ?? []
  if (!declaration) throw new Error('the declared rows were not read')
  const propertiesOf = (type: ts.Type): [string, ts.Type][] =>
    checker
      .getPropertiesOfType(type)
      .map((property) => [property.name, checker.getTypeOfSymbolAtLocation(property, declaration)])
  const mayBeNull = (type: ts.Type): boolean =>
    (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0)
  return Object.fromEntries(
    propertiesOf(checker.getTypeAtLocation(declaration)).map(([table, row]) => [
      table,
      Object.fromEntries(propertiesOf(row).map(([column, type]) => [column, mayBeNull(type)]))
    ])
  )
}

/** What the migrations make. */
function realTables(): Tables {
  const database = new SQLite(':memory:')
  migrate(database, '')
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[]
  const columnsOf = (table: string) =>
    database.pragma(`table_info(${table})`) as { name: string; notnull: number; pk: number }[]
  return Object.fromEntries(
    names.map((table) => [
      table,
      Object.fromEntries(columnsOf(table).map(({ name, notnull, pk }) => [name, notnull === 0 && pk === 0]))
    ])
  )
}

describe('the tables that queries are written for', () => {
  it('are those that the migrations make, with the same columns, null where these may be null', () => {
    expect(declaredTables()).toEqual(realTables())
  })
})
