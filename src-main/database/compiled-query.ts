import type { CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Stands for a value in a query that is compiled before the value is known. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Builds a query on its first use, and then only fills in its values: to build and compile one takes Kysely several times as long as SQLite
 * needs to run it. For queries of nearly every call and command; its form must not depend on the values.
 * @param build takes each value from `value(name)`, where a comparison or a column expects it
 * @returns runs the query on a connection
 */
export function compiledQuery<Values extends object, Row>(
  build: (
    db: Kysely<Schema>,
    value: <Name extends keyof Values & string>(name: Name) => Values[Name]
  ) => { compile(): CompiledQuery; execute(): Promise<Row[]> }
): (db: Kysely<Schema>, values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery | undefined
  return async (db, values) => {
    // Kysely only passes a value on to the compiled parameters, so its type does not matter until then.
    compiled ??= build(db, (name) => new Placeholder(name) as never).compile()
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Values] : parameter
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}
