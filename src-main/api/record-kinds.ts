import { windowPages } from '../base/window-pages.ts'
import type { PermissionKey } from '../http/caller.ts'

interface PlacedRecord {
  id: number
  listId: number | null
}

interface RecordKind {
  /**
   * The permission or role that undoing an edit or deletion needs. Absent = a change of
   * this kind cannot be undone on its own.
   */
  undoAccess?: PermissionKey | 'organization_admin' | 'system_admin'
  /** The window's page that shows the record, or else all of its kind; null = none. */
  page: (record: PlacedRecord) => string | null
}

function ofList(page: (listId: number, id: number) => string): RecordKind['page'] {
  return ({ id, listId }) => (listId === null ? null : page(listId, id))
}

/** The kinds of records in the audit log, by their names in the change log. */
export const recordKinds = {
  sign_in: { page: () => windowPages.users },
  api_key: { page: () => windowPages.apiAccess },
  user: { page: () => windowPages.users },
  organization: { undoAccess: 'system_admin', page: () => windowPages.settings },
  settings: { undoAccess: 'system_admin', page: () => windowPages.settings },
  mailing_list: { undoAccess: 'mailing_list', page: ({ id }) => windowPages.list(id) },
  subscriber: { page: ofList(windowPages.subscriber) },
  custom_field: {
    undoAccess: 'custom_field',
    page: ofList((listId) => windowPages.listTab(listId, 'fields'))
  },
  segment: {
    undoAccess: 'segmentation_criteria',
    page: ofList((listId) => windowPages.listTab(listId, 'segments'))
  },
  subscriber_import: { page: ({ id }) => windowPages.import(id) },
  import_schedule: { page: ofList((listId) => windowPages.listTab(listId, 'imports')) },
  subscriber_export: { page: ofList((listId) => windowPages.listTab(listId, 'exports')) },
  bulk_action: { page: ofList((listId) => windowPages.listTab(listId, 'bulk-actions')) },
  campaign: { undoAccess: 'campaign', page: ofList(windowPages.campaign) },
  template: { undoAccess: 'campaign/template', page: ofList(windowPages.template) },
  autoresponder: { undoAccess: 'autoresponder', page: ofList(windowPages.autoresponder) },
  web_form: { undoAccess: 'web_form', page: ofList((listId) => windowPages.listTab(listId, 'forms')) },
  pending_subscription: { page: ofList((listId) => windowPages.listTab(listId, 'forms')) },
  suppression_list: { undoAccess: 'organization_admin', page: ({ id }) => windowPages.suppressionList(id) },
  suppressed_address_import: { page: () => windowPages.suppressionLists },
  seed_list: { undoAccess: 'seed_list', page: () => windowPages.delivery },
  virtual_mta: { undoAccess: 'organization_admin', page: () => windowPages.delivery },
  smtp_server: { page: () => windowPages.delivery },
  dkim_key: { page: () => windowPages.delivery },
  delivery_route: { page: () => windowPages.delivery },
  url_domain: { undoAccess: 'organization_admin', page: () => windowPages.delivery },
  bounce_email: { undoAccess: 'organization_admin', page: () => windowPages.delivery },
  database_connection: { page: () => windowPages.delivery },
  write_back: { page: ofList((listId) => windowPages.listTab(listId, 'query')) },
  mailbox: { page: () => windowPages.bounces },
  received_message: { page: () => windowPages.bounces },
  judgement: { page: () => windowPages.bounces },
  webhook: { page: ({ id }) => windowPages.webhook(id) },
  sync_remote: { page: ({ id }) => windowPages.remote(id) },
  backup: { page: () => windowPages.backups }
} as const satisfies Record<string, RecordKind>

export type AuditedEntity = keyof typeof recordKinds
export const auditedEntities = Object.keys(recordKinds) as AuditedEntity[]

/** The kinds whose changes can be undone from the change log; subscribers have rules of their own. */
export type UndoableChange = {
  [Kind in AuditedEntity]: (typeof recordKinds)[Kind] extends { undoAccess: string } ? Kind : never
}[AuditedEntity]
export const undoableChanges = auditedEntities.filter(
  (entity) => 'undoAccess' in recordKinds[entity]
) as UndoableChange[]

/** Settings are no records, and never deleted. */
export type UndoableEntity = Exclude<UndoableChange, 'settings'>
export const undoableEntities = undoableChanges.filter((entity) => entity !== 'settings')

export function isUndoable(entity: string): entity is UndoableEntity {
  return (undoableEntities as readonly string[]).includes(entity)
}

export function isUndoableChange(entity: string): entity is UndoableChange {
  return (undoableChanges as readonly string[]).includes(entity)
}

/** Returns the address of a record's page; null = it has no page. */
export function pageOfRecord(entity: AuditedEntity, record: PlacedRecord): string | null {
  return recordKinds[entity].page(record)
}
