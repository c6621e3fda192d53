import type { SubscriberImportInput } from '../../api/subscriber-imports.ts'
import type { SubscriberStatus } from '../../../src-main/api/subscribers/schema.ts'

/** What the last step of the wizard asks. */
export interface ImportOptions {
  newStatus: SubscriberStatus
  overwrite: boolean
  /** Parts of a subscriber that a row may change. */
  what: ('custom_fields' | 'status' | 'confirmed' | 'format')[]
  /** Statuses of subscribers that may be changed. */
  whenStatus: SubscriberStatus[]
}

export function newImportOptions(): ImportOptions {
  return { newStatus: 'active', overwrite: false, what: ['custom_fields'], whenStatus: ['active'] }
}

/** The settings of an import that say what becomes of subscribers who are on the list already. */
export function overwriteSettings(
  options: ImportOptions
): Pick<SubscriberImportInput, 'overwrite' | 'overwrite_what' | 'overwrite_when_status'> {
  const { what, whenStatus } = options
  return {
    overwrite: options.overwrite,
    overwrite_what: {
      custom_fields: what.includes('custom_fields'),
      status: what.includes('status'),
      confirmed: what.includes('confirmed'),
      format: what.includes('format'),
      autoresponder: false
    },
    overwrite_when_status: {
      active: whenStatus.includes('active'),
      unsubscribed: whenStatus.includes('unsubscribed'),
      bounced: whenStatus.includes('bounced'),
      deactivated: whenStatus.includes('deactivated'),
      scomp: whenStatus.includes('scomp')
    }
  }
}
