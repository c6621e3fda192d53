import { changeLogCommands } from './database/change-log.ts'
import type { CommandRegistry } from './database/command.ts'
import { accountCommands } from './api/accounts/commands.ts'
import { attachmentCommands } from './api/attachments/commands.ts'
import { autoresponderCommands } from './api/autoresponders/commands.ts'
import { campaignCommands } from './api/campaigns/commands.ts'
import { imageCommands } from './api/images/commands.ts'
import { deliveryCommands } from './delivery/commands.ts'
import { autoresponderDeliveryCommands } from './delivery/autoresponders/commands.ts'
import { confirmationDeliveryCommands } from './delivery/confirmations/commands.ts'
import { customFieldCommands } from './api/custom-fields/commands.ts'
import { databaseConnectionCommands } from './api/database-connections/commands.ts'
import { dkimKeyCommands } from './api/dkim-keys/commands.ts'
import { eventCommands } from './api/events/commands.ts'
import { gateCommands } from './gates/commands.ts'
import { deliverySettingCommands } from './api/delivery-settings/commands.ts'
import { mailboxCommands } from './api/mailboxes/commands.ts'
import { mailingListCommands } from './api/mailing-lists/commands.ts'
import { rekeyCommands } from './api/mailing-lists/rekey-commands.ts'
import { organizationCommands } from './api/organizations/commands.ts'
import { seedListCommands } from './api/seed-lists/commands.ts'
import { smtpServerCommands } from './api/smtp-servers/commands.ts'
import { listPagesCommands } from './api/list-pages/commands.ts'
import { preferenceCommands } from './api/subscribers/preferences.ts'
import { segmentCommands } from './api/segments/commands.ts'
import { subscriberExportCommands } from './exports/commands.ts'
import { subscriberImportCommands } from './imports/commands.ts'
import { importScheduleCommands } from './imports/schedules/commands.ts'
import { uploadCopyCommands } from './imports/upload-copies/commands.ts'
import { importUndoCommands } from './imports/undo-commands.ts'
import { autoresponderTriggerCommands } from './api/subscribers/trigger-command.ts'
import { subscriberHistoryCommands } from './api/subscribers/history.ts'
import { subscriberCommands } from './api/subscribers/commands.ts'
import { suppressedAddressImportCommands } from './api/suppressed-address-imports/commands.ts'
import { suppressionListCommands } from './api/suppression-lists/commands.ts'
import { userCommands } from './api/users/commands.ts'
import { webFormCommands } from './api/web-forms/commands.ts'
import { mailboxReadingCommands } from './receiving/mailboxes/commands.ts'
import { judgementCommands } from './receiving/judging/commands.ts'
import { receivingCommands } from './receiving/commands.ts'
import { settingCommands } from './settings/commands.ts'
import { syncCommands } from './sync/commands.ts'
import { trackingCommands } from './tracking/commands.ts'
import { writeBackCommands } from './write-back/commands.ts'
import { webhookDeliveryCommands } from './webhooks/commands.ts'
import { webhookCommands } from './api/webhooks/commands.ts'
import { gateFetchCommands } from './tracking/gates/commands.ts'
import { backupCommands } from './backups/commands.ts'
import { bulkActionCommands } from './bulk-actions/commands.ts'
import { changeUndoCommands } from './bulk-actions/change-undo-commands.ts'
import { recordUndoCommands } from './undo/commands.ts'
import { draftCommands } from './workbench/drafts/commands.ts'
import { tableViewCommands } from './workbench/table-views/commands.ts'
import { importMappingCommands } from './workbench/import-mappings/commands.ts'

/** Every way to change the data. The writer thread runs them; everyone else asks it to. */
export const commands: CommandRegistry = {
  accounts: accountCommands,
  backups: backupCommands,
  changes: changeUndoCommands,
  organizations: organizationCommands,
  users: userCommands,
  settings: settingCommands,
  mailingLists: mailingListCommands,
  rekeys: rekeyCommands,
  deliverySettings: deliverySettingCommands,
  databaseConnections: databaseConnectionCommands,
  gates: gateCommands,
  smtpServers: smtpServerCommands,
  dkimKeys: dkimKeyCommands,
  seedLists: seedListCommands,
  suppressionLists: suppressionListCommands,
  suppressedAddressImports: suppressedAddressImportCommands,
  segments: segmentCommands,
  campaigns: campaignCommands,
  attachments: attachmentCommands,
  images: imageCommands,
  deliveries: deliveryCommands,
  autoresponderDeliveries: autoresponderDeliveryCommands,
  confirmationDeliveries: confirmationDeliveryCommands,
  receiving: receivingCommands,
  judgements: judgementCommands,
  mailboxes: mailboxCommands,
  mailboxReadings: mailboxReadingCommands,
  tracking: trackingCommands,
  gateFetches: gateFetchCommands,
  events: eventCommands,
  webhooks: webhookCommands,
  webhookDeliveries: webhookDeliveryCommands,
  writeBacks: writeBackCommands,
  syncs: syncCommands,
  autoresponders: autoresponderCommands,
  webForms: webFormCommands,
  listPages: listPagesCommands,
  preferences: preferenceCommands,
  customFields: customFieldCommands,
  subscribers: subscriberCommands,
  subscriberHistory: subscriberHistoryCommands,
  autoresponderTriggers: autoresponderTriggerCommands,
  subscriberImports: subscriberImportCommands,
  importUndos: importUndoCommands,
  importSchedules: importScheduleCommands,
  uploadCopies: uploadCopyCommands,
  importMappings: importMappingCommands,
  tableViews: tableViewCommands,
  drafts: draftCommands,
  subscriberExports: subscriberExportCommands,
  bulkActions: bulkActionCommands,
  recordUndos: recordUndoCommands,
  changeLog: changeLogCommands
}
