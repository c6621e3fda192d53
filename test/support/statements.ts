import type SQLite from 'better-sqlite3'

/** Records the text of each statement that is prepared and run on a connection from now on. */
export function statementsOn(sqlite: SQLite.Database): string[] {
  const statements: string[] = []
  const prepare = sqlite.prepare.bind(sqlite)
  sqlite.prepare = ((text: string) => {
    const statement = prepare(text)
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      const execute = statement[method].bind(statement) as (...values: unknown[]) => never
      statement[method] = (...values: unknown[]) => {
        statements.push(text)
        return execute(...values)
      }
    }
    return statement
  }) as typeof sqlite.prepare
  return statements
}
