import type { DatabaseEngine } from './schema.ts'

/** Returns the name of a table or column as an engine takes it. */
export function quotedName(engine: DatabaseEngine, name: string): string {
  return engine === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

/** Returns the name of a table, which may have a schema before it. */
export function quotedTable(engine: DatabaseEngine, name: string): string {
  return name
    .split('.')
    .map((part) => quotedName(engine, part))
    .join('.')
}
