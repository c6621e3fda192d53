import type { Kysely } from 'kysely'
import { exportFileDays } from './api/subscriber-exports/rules.ts'
import { deleteOldBulkActionData, deleteOldSelections } from './bulk-actions/old-actions.ts'
import { logTime } from './api/subscriber-imports/rules.ts'
import { undoDays, undoTime } from './api/bulk-actions/rules.ts'
import type { Schema } from './database/schema.ts'
import type { Writer } from './database/writer.ts'
import {
  removeMessagesOfDeletedCampaigns,
  removeMessagesOfDeletedForms,
  removeOldPreviews
} from './delivery/old-messages.ts'
import { removeOldSpools } from './delivery/old-spools.ts'
import { removeOldExportFiles } from './exports/old-files.ts'
import { removeOldLogs } from './imports/old-logs.ts'
import { removeOldUploadCopies } from './imports/upload-copies/old-copies.ts'
import type { RetentionRule } from './jobs/housekeeper.ts'
import { deleteOldDetails } from './jobs/old-history.ts'
import { leavingTime } from './jobs/step-loop.ts'
import { trimChangeLog } from './jobs/change-log.ts'
import { currentSettings } from './settings/queries.ts'
import { draftDays } from './workbench/drafts/rules.ts'

const day = 24 * 60 * 60 * 1000

/**
 * Rules for deleting data by age. Everything else stays until it is deleted, alone or with its record.
 * @param purgeExpired starts deleting the data of deleted records that can no longer be restored
 */
export function retentionRules(
  reader: Kysely<Schema>,
  writer: Writer,
  dataDirectory: string,
  purgeExpired: () => void
): RetentionRule[] {
  return [
    {
      name: 'Logs of imports that ended 7 days ago',
      keptFor: logTime,
      removeBefore: (time) => removeOldLogs(reader, writer, dataDirectory, time)
    },
    {
      name: `What undoing bulk actions needs that ended ${undoDays} days ago`,
      keptFor: undoTime,
      removeBefore: (time) => deleteOldBulkActionData(reader, writer, time)
    },
    {
      name: `Lists and campaigns that were deleted ${undoDays} days ago`,
      keptFor: undoTime,
      removeBefore: async (time) => {
        await writer.run('recordUndos.expireDeleted', { before: time })
        purgeExpired()
      }
    },
    {
      name: 'Selections of subscribers that nothing came of for a day',
      keptFor: day,
      removeBefore: (time) => deleteOldSelections(reader, writer, time)
    },
    {
      name: 'Messages of campaigns that were deleted 7 days ago',
      keptFor: 7 * day,
      removeBefore: (time) => removeMessagesOfDeletedCampaigns(reader, dataDirectory, time)
    },
    {
      name: 'Recipients that were read for campaigns that are over',
      keptFor: 0,
      removeBefore: () => removeOldSpools(reader, dataDirectory)
    },
    {
      name: 'Confirmation messages of forms that were deleted 7 days ago',
      keptFor: 7 * day,
      removeBefore: (time) => removeMessagesOfDeletedForms(reader, writer, dataDirectory, time)
    },
    {
      name: `Files that no campaign or template has carried for ${undoDays} days`,
      // Until then an attachment that was removed can be restored.
      keptFor: undoTime,
      removeBefore: async (time) => {
        while (await leavingTime(() => writer.run('attachments.deleteUnusedFiles', { before: time })));
      }
    },
    {
      name: `Files of exports that were finished ${exportFileDays} days ago`,
      keptFor: exportFileDays * day,
      removeBefore: (time) => removeOldExportFiles(reader, writer, dataDirectory, time)
    },
    {
      name: 'Previews that were sent 30 days ago',
      keptFor: 30 * day,
      removeBefore: async (time) => {
        await removeOldPreviews(dataDirectory, time)
        await writer.run('deliveries.deleteOldPreviews', { before: time })
      }
    },
    {
      name: 'Texts of messages that were received 90 days ago',
      keptFor: 90 * day,
      removeBefore: async (time) => {
        while (await leavingTime(() => writer.run('receiving.deleteOldTexts', { before: time })));
      }
    },
    {
      name: 'Events that were recorded 30 days ago, and what webhooks made of them',
      keptFor: 30 * day,
      removeBefore: async (time) => {
        while (await leavingTime(() => writer.run('webhooks.deleteOldMessages', { before: time })));
        while (await leavingTime(() => writer.run('events.deleteOld', { before: time })));
      }
    },
    {
      name: 'Copies of uploaded files that were imported 30 days ago',
      keptFor: 30 * day,
      removeBefore: (time) => removeOldUploadCopies(reader, writer, dataDirectory, time)
    },
    {
      name: `Drafts that nobody changed for ${draftDays} days`,
      keptFor: draftDays * day,
      removeBefore: (time) => writer.run('drafts.deleteBefore', { time })
    },
    {
      name: 'Former values of subscribers who are gone for 7 days',
      // Until then a deletion can be undone, which restores the history as well.
      keptFor: undoTime,
      removeBefore: (time) => deleteOldDetails(writer, 'subscriberHistory.deleteDetails', time)
    },
    {
      name: `What undoing changes of other records needs that were made ${undoDays} days ago`,
      keptFor: undoTime,
      removeBefore: (time) => deleteOldDetails(writer, 'recordUndos.deleteStoredRows', time)
    },
    {
      name: 'Runs of sync, and conflicts that were decided, 90 days ago',
      keptFor: 90 * day,
      removeBefore: (time) => writer.run('syncs.forgetOld', { time })
    },
    {
      name: 'Entries of the change log that are as old as the settings say',
      keptFor: async () => (await currentSettings(reader)).service_history_days * day,
      removeBefore: (time) => trimChangeLog(writer, time)
    }
  ]
}
