import * as accounts from './api/accounts/commands.ts'
import * as autoresponders from './api/autoresponders/commands.ts'
import * as campaigns from './api/campaigns/commands.ts'
import * as deliveries from './api/campaigns/delivery-commands.ts'
import * as customFields from './api/custom-fields/commands.ts'
import * as deliverySettings from './api/delivery-settings/commands.ts'
import * as mailingLists from './api/mailing-lists/commands.ts'
import * as organizations from './api/organizations/commands.ts'
import * as seedLists from './api/seed-lists/commands.ts'
import * as segments from './api/segments/commands.ts'
import * as subscriberImports from './api/subscriber-imports/commands.ts'
import * as importUndos from './api/subscriber-imports/undo-commands.ts'
import * as subscriberExports from './api/subscriber-exports/commands.ts'
import * as suppressedAddressImports from './api/suppressed-address-imports/commands.ts'
import * as suppressionLists from './api/suppression-lists/commands.ts'
import * as subscribers from './api/subscribers/commands.ts'
import { triggerAutoresponders } from './api/subscribers/trigger-command.ts'
import * as rekeys from './api/mailing-lists/rekey-commands.ts'
import * as users from './api/users/commands.ts'
import * as webForms from './api/web-forms/commands.ts'
import * as settings from './settings/commands.ts'
import * as tracking from './tracking/commands.ts'
import * as importMappings from './workbench/import-mappings/commands.ts'
import type { BackgroundCommand, Command } from './database/command.ts'

/** Every way to change the data, by name. The writer thread runs them; everyone else asks it to. */
export const commands = {
  ensureSystemOrganization: accounts.ensureSystemOrganization,
  createApiKey: accounts.createApiKey,
  noteKeyUse: accounts.noteKeyUse,
  removeEndedKeys: accounts.removeEndedKeys,
  revokeApiKey: accounts.revokeApiKey,
  createWindowSession: accounts.createWindowSession,
  endWindowSession: accounts.endWindowSession,
  switchOrganization: accounts.switchOrganization,
  createOrganization: organizations.createOrganization,
  updateOrganization: organizations.updateOrganization,
  limitSubscribers: organizations.limitSubscribers,
  createUser: users.createUser,
  updateUser: users.updateUser,
  deleteUser: users.deleteUser,
  resetPasswordFailureLockout: users.resetPasswordFailureLockout,
  beginPasswordAttempt: users.beginPasswordAttempt,
  noteRightPassword: users.noteRightPassword,
  agreeToTerms: users.agreeToTerms,
  updateSettings: settings.updateSettings,
  ensureSigningSecret: settings.ensureSigningSecret,
  noteClock: settings.noteClock,
  createMailingList: mailingLists.createMailingList,
  updateMailingList: mailingLists.updateMailingList,
  issueDeleteConfirmation: mailingLists.issueDeleteConfirmation,
  deleteMailingList: mailingLists.deleteMailingList,
  purgeDeletedList: mailingLists.purgeDeletedList,
  beginRekey: rekeys.beginRekey,
  continueRekey: rekeys.continueRekey,
  abandonRekey: rekeys.abandonRekey,
  createVirtualMta: deliverySettings.createVirtualMta,
  deleteVirtualMta: deliverySettings.deleteVirtualMta,
  createUrlDomain: deliverySettings.createUrlDomain,
  deleteUrlDomain: deliverySettings.deleteUrlDomain,
  createBounceEmail: deliverySettings.createBounceEmail,
  deleteBounceEmail: deliverySettings.deleteBounceEmail,
  createDatabaseConnection: deliverySettings.createDatabaseConnection,
  deleteDatabaseConnection: deliverySettings.deleteDatabaseConnection,
  createSeedList: seedLists.createSeedList,
  updateSeedList: seedLists.updateSeedList,
  deleteSeedList: seedLists.deleteSeedList,
  createSuppressionList: suppressionLists.createSuppressionList,
  updateSuppressionList: suppressionLists.updateSuppressionList,
  beginSuppression: suppressionLists.beginSuppression,
  continueSuppression: suppressionLists.continueSuppression,
  deleteSuppressedAddress: suppressionLists.deleteSuppressedAddress,
  createSuppressedAddressImport: suppressedAddressImports.createSuppressedAddressImport,
  pauseSuppressedAddressImport: suppressedAddressImports.suppressedAddressImportStates.pause,
  unpauseSuppressedAddressImport: suppressedAddressImports.suppressedAddressImportStates.unpause,
  cancelSuppressedAddressImport: suppressedAddressImports.suppressedAddressImportStates.cancel,
  endSuppressedAddressImport: suppressedAddressImports.suppressedAddressImportStates.end,
  beginSuppressedAddressImport: suppressedAddressImports.beginSuppressedAddressImport,
  noteSuppressedAddressRecords: suppressedAddressImports.noteSuppressedAddressRecords,
  writeSuppressedAddresses: suppressedAddressImports.writeSuppressedAddresses,
  createSegment: segments.createSegment,
  updateSegment: segments.updateSegment,
  deleteSegment: segments.deleteSegment,
  createCampaign: campaigns.createCampaign,
  updateCampaign: campaigns.updateCampaign,
  deleteCampaign: campaigns.deleteCampaign,
  pauseCampaign: campaigns.pauseCampaign,
  resumeCampaign: campaigns.resumeCampaign,
  cancelCampaign: campaigns.cancelCampaign,
  beginDelivery: deliveries.beginDelivery,
  noteLinks: deliveries.noteLinks,
  noteAllLinks: deliveries.noteAllLinks,
  noteShares: deliveries.noteShares,
  noteRecipients: deliveries.noteRecipients,
  noteSent: deliveries.noteSent,
  endDelivery: deliveries.endDelivery,
  trackOpen: tracking.trackOpen,
  trackClick: tracking.trackClick,
  createAutoresponder: autoresponders.createAutoresponder,
  updateAutoresponder: autoresponders.updateAutoresponder,
  deleteAutoresponder: autoresponders.deleteAutoresponder,
  createWebForm: webForms.createWebForm,
  updateWebForm: webForms.updateWebForm,
  deleteWebForm: webForms.deleteWebForm,
  confirmSubscription: webForms.confirmSubscription,
  discardSubscription: webForms.discardSubscription,
  createCustomField: customFields.createCustomField,
  updateCustomField: customFields.updateCustomField,
  deleteCustomField: customFields.deleteCustomField,
  promoteCustomField: customFields.promoteCustomField,
  createSubscriber: subscribers.createSubscriber,
  updateSubscriber: subscribers.updateSubscriber,
  triggerAutoresponders,
  unsubscribeByToken: subscribers.unsubscribeByToken,
  deleteSubscribers: subscribers.deleteSubscribers,
  createSubscriberImport: subscriberImports.createSubscriberImport,
  pauseSubscriberImport: subscriberImports.importStates.pause,
  unpauseSubscriberImport: subscriberImports.importStates.unpause,
  cancelSubscriberImport: subscriberImports.importStates.cancel,
  beginImport: subscriberImports.beginImport,
  noteDownload: subscriberImports.noteDownload,
  noteDownloadRetry: subscriberImports.noteDownloadRetry,
  startSplitting: subscriberImports.startSplitting,
  startImporting: subscriberImports.startImporting,
  writeImportBatch: subscriberImports.writeImportBatch,
  recallImportBatch: subscriberImports.recallImportBatch,
  endImport: subscriberImports.importStates.end,
  notePurgedLogs: subscriberImports.notePurgedLogs,
  beginImportUndo: importUndos.beginImportUndo,
  continueImportUndo: importUndos.continueImportUndo,
  saveImportMapping: importMappings.saveImportMapping,
  deleteImportMapping: importMappings.deleteImportMapping,
  rememberColumns: importMappings.rememberColumns,
  createSubscriberExport: subscriberExports.createSubscriberExport,
  pauseSubscriberExport: subscriberExports.exportStates.pause,
  unpauseSubscriberExport: subscriberExports.exportStates.unpause,
  cancelSubscriberExport: subscriberExports.exportStates.cancel,
  beginExport: subscriberExports.beginExport,
  noteExportEstimate: subscriberExports.noteExportEstimate,
  noteExportProgress: subscriberExports.noteExportProgress,
  endExport: subscriberExports.exportStates.end
}

type Commands = typeof commands
export type CommandName = keyof Commands

type Signature<Entry> =
  Entry extends BackgroundCommand<infer Input, infer Result>
    ? { input: Input; result: Result }
    : Entry extends Command<infer Input, infer Result>
      ? { input: Input; result: Result }
      : never

export type CommandInput<Name extends CommandName> = Signature<Commands[Name]>['input']
export type CommandResult<Name extends CommandName> = Signature<Commands[Name]>['result']
