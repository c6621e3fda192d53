import { windowPages } from '../../src-main/base/window-pages.ts'
import { storeToRefs } from 'pinia'
import { useI18n } from 'vue-i18n'
import { i18n } from '../i18n.ts'
import type { LinkedKind, SyncRun } from '../api/sync.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { useMailingLists } from '../stores/mailing-lists.ts'

const attributes = ['email', 'status', 'confirmed', 'email_format', 'subscribe_time', 'subscribe_ip']

/** Words the state of sync. */
export function useSyncText() {
  const { t } = useI18n()
  const has = (key: string): boolean => i18n.global.te(key)
  const { byId } = storeToRefs(useMailingLists())

  /** Such as "3 lists, 1,200 subscribers"; nothing at all has a word too. */
  function counted(counts: Record<string, number>): string {
    const parts = Object.entries(counts).map(([kind, records]) =>
      t(`syncCount.${kind}`, { count: formatNumber(records) }, records)
    )
    return parts.length === 0 ? t('sync.nothing') : parts.join(', ')
  }

  return {
    counted,

    pageOf(kind: LinkedKind, listId: number | null, recordId: number): string | null {
      switch (kind) {
        case 'mailing_list':
          return windowPages.listTab(recordId, 'settings')
        case 'custom_field':
          return listId === null ? null : windowPages.listTab(listId, 'fields')
        case 'subscriber':
          return listId === null ? null : windowPages.subscriber(listId, recordId)
        case 'segment':
          return listId === null ? null : windowPages.listTab(listId, 'segments')
        case 'template':
          return listId === null ? null : windowPages.template(listId, recordId)
        case 'campaign':
          return listId === null ? null : windowPages.campaign(listId, recordId)
        case 'suppression_list':
        case 'suppressed_address':
          return windowPages.suppressionList(recordId)
      }
    },

    kind: (kind: LinkedKind): string => t(`syncKind.${kind}`),
    listName: (listId: number | null): string =>
      listId === null ? '' : (byId.value.get(listId)?.name ?? ''),

    /** The label of an attribute, or the name of a custom field. */
    field: (field: string): string =>
      attributes.includes(field) || has(`syncField.${field}`) ? t(`syncField.${field}`) : field,

    /** Formats a value for the user; a value without a short text, such as a whole message, becomes "…". */
    value(field: string, value: unknown): string {
      if (value === null || value === undefined || value === '') return t('history.blank')
      if (Array.isArray(value)) return value.map((each) => (typeof each === 'string' ? each : '…')).join(', ')
      if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no')
      if (typeof value === 'number' && field === 'subscribe_time') {
        return formatDateTime(new Date(value * 1000).toISOString())
      }
      if (typeof value === 'number') return formatNumber(value)
      if (typeof value !== 'string') return '…'
      return field === 'status' && has(`status.${value}`) ? t(`status.${value}`) : value
    },

    progress({ progress }: SyncRun): string {
      if (!progress) return t('sync.begins')
      const list =
        progress.mailing_list_id === null ? '' : (byId.value.get(progress.mailing_list_id)?.name ?? '')
      const step = t(`syncStep.${progress.kind}`)
      const what = list === '' ? step : `${step} · ${list}`
      if (progress.total === null || progress.total === 0) return what
      const share = { imported: formatNumber(progress.done), total: formatNumber(progress.total) }
      return `${what}: ${t('imports.of', share)}`
    }
  }
}
