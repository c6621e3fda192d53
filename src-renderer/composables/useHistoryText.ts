import { windowPages } from '../../src-main/base/window-pages.ts'
import { useI18n } from 'vue-i18n'
import type { SubscriberEvent } from '../api/subscriber-page.ts'

const iconOf = {
  added: 'i-lucide-user-plus',
  changed: 'i-lucide-pencil',
  removed: 'i-lucide-user-minus',
  message: 'i-lucide-mail',
  open: 'i-lucide-mail-open',
  click: 'i-lucide-mouse-pointer-click',
  bounce: 'i-lucide-mail-x',
  scomp: 'i-lucide-flag',
  unsub: 'i-lucide-user-x'
} as const

/** Words the events of a subscriber. */
export function useHistoryText() {
  const { t } = useI18n()

  function addedBy({ via, kind }: SubscriberEvent): string {
    if (via === 'bulk_action_undo' || via === 'import_undo') return t('history.restored')
    if (kind === 'move') return t('history.moved')
    return t(kind === 'copy' ? 'history.copied' : 'history.added')
  }

  return {
    icon: ({ type }: SubscriberEvent): string => iconOf[type],

    /** Such as "Status changed from Active to Unsubscribed". */
    title(event: SubscriberEvent): string {
      const { type, status, message } = event
      if (type === 'added') return addedBy(event)
      if (type !== 'changed') return t(`history.${type}`, { name: message?.name ?? '' })
      if (event.kind === 'correct_domains') return t('history.corrected', { name: event.cause?.name ?? '' })
      if (!status?.before) return t('history.changed')
      return t('history.status', {
        before: t(`status.${status.before}`),
        now: t(`status.${status.now}`)
      })
    },

    /**
     * The origin, and its page.
     * @param listId of the subscriber's list at that time
     */
    source({ via, user, cause }: SubscriberEvent, listId: number): { text: string; to?: string } | null {
      const who = user?.name ?? t('history.nobody')
      switch (via) {
        case 'window':
          return { text: t('history.byWindow', { user: who }) }
        case 'api_key':
          return cause?.name
            ? { text: t('history.byKey', { user: who, name: cause.name }) }
            : { text: t('history.byGoneKey', { user: who }) }
        case 'link':
          return { text: t('history.byLink') }
        case 'subscriber_import':
        case 'import_undo': {
          const name = cause?.name ?? t('imports.number', { id: cause?.id ?? 0 })
          return { text: t(`history.${via}`, { name }), to: windowPages.import(cause?.id ?? 0) }
        }
        case 'bulk_action':
        case 'bulk_action_undo':
          return { text: t(`history.${via}`, { user: who }), to: windowPages.listTab(listId, 'bulk-actions') }
        case 'sync':
          return cause?.name
            ? { text: t('history.sync', { name: cause.name }), to: windowPages.sync }
            : { text: t('history.goneSync') }
        case 'command_line':
          return { text: t('history.byCommandLine') }
        case null:
          return null
      }
    }
  }
}
