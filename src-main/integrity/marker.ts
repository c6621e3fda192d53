import { join } from 'node:path'

/** What lies beside a database that was opened once. */
export function markerPath(dataDirectory: string): string {
  return join(dataDirectory, '.listwright')
}
