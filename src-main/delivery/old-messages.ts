import type { Kysely } from 'kysely'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../base/directories.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { campaignOfOutbox, confirmationOutboxPath, isPreviewOutbox, outboxDirectory } from './outbox.ts'
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

/** Removes the messages and the journal of forms that are gone, alone or with their list. */
export async function removeMessagesOfDeletedForms(
  db: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  dataDirectory: string,
  before: number
): Promise<void> {
  const directory = outboxDirectory(dataDirectory)
  const forms = await db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select('web_forms.id')
    .where('purged_at', 'is', null)
    .execute()
  const kept = new Set(forms.map(({ id }) => confirmationOutboxPath(dataDirectory, id)))
  for (const name of await namesIn(directory)) {
    const path = join(directory, name)
    if (!name.startsWith('confirmations-') || kept.has(path)) continue
    // A form can be restored for a while, with its messages.
    if ((await stat(path)).mtimeMs < before) await rm(path, { force: true })
  }
  while (await writer.run('webForms.purgeJournals', {}));
}
