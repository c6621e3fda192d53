import type { ChangeAction } from '../../database/schema.ts'
import type { PermissionKey } from '../../http/caller.ts'
import type { Access } from '../../http/access.ts'
import type { UndoableChange } from '../../undo/rules.ts'

const keys: Record<UndoableChange, PermissionKey | 'organization_admin' | 'system_admin'> = {
  settings: 'system_admin',
  organization: 'system_admin',
  mailing_list: 'mailing_list',
  custom_field: 'custom_field',
  segment: 'segmentation_criteria',
  campaign: 'campaign',
  template: 'campaign/template',
  autoresponder: 'autoresponder',
  web_form: 'web_form',
  suppression_list: 'organization_admin',
  seed_list: 'seed_list',
  virtual_mta: 'organization_admin',
  url_domain: 'organization_admin',
  bounce_email: 'organization_admin'
}

/** Undoing an edit needs the permission to update, undoing a deletion the permission to create. */
export function accessToUndo(entity: UndoableChange, action: ChangeAction): Access {
  const key = keys[entity]
  return key === 'organization_admin' || key === 'system_admin'
    ? key
    : `${key}.${action === 'delete' ? 'create' : 'update'}`
}
