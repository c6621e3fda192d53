import { useI18n } from 'vue-i18n'
import type { BulkAction } from '../api/bulk-actions.ts'
import { formatNumber } from '../format.ts'

/** Returns functions that describe bulk actions in words. */
export function useBulkText() {
  const { t } = useI18n()
  return {
    /** For example "Set the status to Bounced". */
    title({ kind, status, name, mode, value }: BulkAction): string {
      switch (kind) {
        case 'set_status':
          return t('bulkDid.status', { status: t(`status.${status ?? 'active'}`) })
        case 'set_field':
          if (value === null) return t('bulkDid.blank', { name: name ?? '' })
          return t(`bulkDid.${mode ?? 'set'}`, { name: name ?? '', value })
        default:
          return t(`bulkDid.${kind}`, { name: name ?? '' })
      }
    },

    outcome(action: BulkAction): string {
      return action.undo_done > 0 ? undone(action) : result(action)
    }
  }

  function result({ kind, changed, same, kept, gone }: BulkAction): string {
    const parts = [t(`bulkDone.${kind}`, { count: formatNumber(changed) }, changed)]
    if (same > 0) parts.push(t('bulk.same', { count: formatNumber(same) }, same))
    if (kept > 0) parts.push(t('bulk.kept', { count: formatNumber(kept) }, kept))
    if (gone > 0) parts.push(t('bulk.gone', { count: formatNumber(gone) }, gone))
    return parts.join(' · ')
  }

  function undone({ undo_done: looked, restored, not_restored: kept }: BulkAction): string {
    const parts = [t('bulk.restored', { count: formatNumber(restored) }, restored)]
    if (kept > 0) parts.push(t('bulk.kept', { count: formatNumber(kept) }, kept))
    const gone = looked - restored - kept
    if (gone > 0) parts.push(t('bulk.goneSince', { count: formatNumber(gone) }, gone))
    return parts.join(' · ')
  }
}
