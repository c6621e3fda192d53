import { join } from 'node:path'

/** Returns the path of the file that marks a directory whose database was opened. */
export function markerPath(dataDirectory: string): string {
  return join(dataDirectory, '.listwright')
}
