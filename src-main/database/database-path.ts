import { join } from 'node:path'

export const databaseFile = 'listwright.db'

export function databasePathIn(dataDirectory: string): string {
  return join(dataDirectory, databaseFile)
}
