import type { SubscriberImportInput } from '../api/subscriber-imports.ts'
import type { FileAnalysis } from '../api/contact-files.ts'
import type { ImportMapping } from '../api/workbench.ts'
import { type SubscriberStatus, subscriberStatuses } from '../../src-main/api/subscribers/schema.ts'

const parts = ['custom_fields', 'status', 'confirmed', 'format'] as const

/** The choices of the wizard's last step. */
export interface ImportOptions {
  newStatus: SubscriberStatus
  overwrite: boolean
  /** Parts of a subscriber that a row may change. */
  what: (typeof parts)[number][]
  /** Statuses of subscribers that may be changed. */
  whenStatus: SubscriberStatus[]
}

export function newImportOptions(): ImportOptions {
  return { newStatus: 'active', overwrite: false, what: ['custom_fields'], whenStatus: ['active'] }
}

/** For a file of contacts who opted out, existing subscribers are unsubscribed too. */
export function optionsFor({ findings }: FileAnalysis): ImportOptions {
  const isOfOptedOut = findings.some(({ rule }) => rule === 'only_opted_out')
  return { ...newImportOptions(), ...(isOfOptedOut && { overwrite: true, what: ['status'] }) }
}

/** The options that a saved mapping holds. */
export function optionsOf(mapping: ImportMapping): ImportOptions {
  return {
    newStatus: mapping.subscriber_defaults.status,
    overwrite: mapping.overwrite,
    what: parts.filter((part) => mapping.overwrite_what[part]),
    whenStatus: subscriberStatuses.filter((status) => mapping.overwrite_when_status[status])
  }
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

/** The rows of a database that a file was made of. */
export interface RowsSource {
  database_connection_id: number
  query: string
}
