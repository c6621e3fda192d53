import { join } from 'node:path'

export const databaseFile = 'listwright.db'

/** Returns the path of the database in a data directory. */
export function databasePathIn(dataDirectory: string): string {
  return join(dataDirectory, databaseFile)
}
