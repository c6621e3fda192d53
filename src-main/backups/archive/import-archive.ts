import type { Verification } from '../schema.ts'
import { placeBackup } from '../write-backup.ts'
import { readArchive } from './read-archive.ts'

/**
 * Makes a backup of an archive.
 * @param path of the backup; another file of that name is not replaced
 * @returns what it holds
 * @throws Error with a sentence where it is no archive, was changed, or there is no room
 */
export function importArchive(archive: string, path: string): Promise<Verification> {
  return placeBackup(archive, path, (partial) => readArchive(archive, partial))
}
