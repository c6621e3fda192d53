import type { Kysely } from 'kysely'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../base/directories.ts'
import type { Schema } from '../database/schema.ts'
import { campaignOfOutbox, isPreviewOutbox, outboxDirectory } from './outbox.ts'
import { campaignsDeletedBefore } from './queries.ts'

/** Removes the messages of campaigns that were deleted before a time (UNIX milliseconds), alone or with their list. */
export async function removeMessagesOfDeletedCampaigns(
  reader: Kysely<Schema>,
  dataDirectory: string,
  before: number
): Promise<void> {
  const directory = outboxDirectory(dataDirectory)
  const files = (await namesIn(directory)).flatMap((name) => {
    const id = campaignOfOutbox(name)
    return id === null ? [] : [{ id, path: join(directory, name) }]
  })
  const deleted = new Set(
    await campaignsDeletedBefore(
      reader,
      files.map(({ id }) => id),
      before
    )
  )
  for (const { id, path } of files) if (deleted.has(id)) await rm(path, { force: true })
}

/** Removes the previews of organizations that have made none since a time (UNIX milliseconds). */
export async function removeOldPreviews(dataDirectory: string, before: number): Promise<void> {
  const directory = outboxDirectory(dataDirectory)
  for (const name of (await namesIn(directory)).filter(isPreviewOutbox)) {
    const path = join(directory, name)
    if ((await stat(path)).mtimeMs < before) await rm(path, { force: true })
  }
}
