import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, moveDurably } from '../base/durable.ts'
import type { OpenDatabase } from '../integrity/verify-pages.ts'
import type { LossCounts } from '../salvage/losses.ts'
import { salvage } from '../salvage/salvage.ts'
import { lossesPath } from './files.ts'
import type { Verification } from './schema.ts'
import { placeBackup } from './write-backup.ts'

export interface Recovery {
  found: Verification
  /** The number of records that were lost or changed. */
  losses: LossCounts
  /** The list of them, as CSV. */
  lossesFile: string
}

/**
 * Makes a backup of what is readable in a damaged database, which stays unchanged. Takes about 20 s for a
 * million subscribers. Nothing may write meanwhile.
 * @param path of the backup, which must not exist
 * @throws Error with a sentence if there is no space, or nothing usable was found
 */
export async function recoverBackup(damaged: OpenDatabase, path: string): Promise<Recovery> {
  const lossesFile = lossesPath(path)
  const partialLosses = `${lossesFile}.part`
  await makeDirectory(dirname(path))
  try {
    let losses: LossCounts | null = null
    const found = await placeBackup(damaged.databasePath, path, async (partial) => {
      losses = await salvage(damaged, partial, partialLosses)
      await moveDurably(partialLosses, () => lossesFile)
    })
    if (!losses) throw new Error(`${damaged.databasePath} was not read.`)
    return { found, losses, lossesFile }
  } finally {
    await rm(partialLosses, { force: true })
  }
}
