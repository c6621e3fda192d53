import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory, moveDurably } from '../base/durable.ts'
import type { OpenDatabase } from '../integrity/verify-pages.ts'
import type { LossCounts } from '../salvage/losses.ts'
import { salvage } from '../salvage/salvage.ts'
import { lossesPath } from './files.ts'
import type { Verification } from './schema.ts'
import { placeBackup } from './write-backup.ts'

/** What became of damaged data. */
export interface Recovery {
  found: Verification
  /** How many records did not come out as they were. */
  losses: LossCounts
  /** The list of them, as CSV. */
  lossesFile: string
}

/**
 * Makes a backup of what can be read of a damaged database, which is left as it is. Takes some 20 s for a million subscribers. To be
 * called while nothing is written.
 * @param path of the backup; another file of that name is not replaced
 * @throws Error with a sentence where there is no room, or nothing that can be worked with was found
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
