import { storeToRefs } from 'pinia'
import { useI18n } from 'vue-i18n'
import { pageOfRecord } from '../../src-main/api/record-kinds.ts'
import { windowPages } from '../../src-main/base/window-pages.ts'
import type { AuditEvent } from '../api/audit.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { useMailingLists } from '../stores/mailing-lists.ts'

type Change = AuditEvent['changes'][number]

const iconOf: Record<AuditEvent['action'], string> = {
  create: 'i-lucide-plus',
  update: 'i-lucide-pencil',
  delete: 'i-lucide-trash-2'
}

const wordsOf: Record<string, string> = {
  status: 'status',
  role: 'userRole',
  service_backups: 'backupSchedule'
}

/** Words the entries of the audit log. */
export function useAuditText() {
  const { t } = useI18n()
  const { byId } = storeToRefs(useMailingLists())

  /** The page of the record; null if there is none or it was deleted. */
  function linkOf({ entity, record, mailing_list: list, cause, via }: AuditEvent): string | null {
    if (!record && via === 'subscriber_import' && cause) return windowPages.import(cause.id)
    if (entity === 'settings') return windowPages.settings
    if (list && !byId.value.has(list.id)) return null
    if (!record) return list ? windowPages.list(list.id) : null
    return record.exists ? pageOfRecord(entity, { id: record.id, listId: list?.id ?? null }) : null
  }

  function valueOf(attribute: string, value: unknown): string {
    if (value === null || value === '') return t('history.blank')
    if (attribute === 'active' || attribute === 'confirmed' || typeof value === 'boolean') {
      return t(value === 1 || value === true ? 'common.yes' : 'common.no')
    }
    if (attribute === 'subscribe_time') return formatDateTime(new Date(Number(value)).toISOString())
    if (typeof value === 'number') return formatNumber(value)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const words = wordsOf[attribute]
    return words ? t(`${words}.${text}`) : text
  }

  /** Such as "Granted: Subscribers: Export"; what stayed is left out. */
  function permissionsIn({ before, now }: Change): string {
    const labelsOf = (value: unknown): string[] => {
      const permissions = JSON.parse(typeof value === 'string' ? value : '{}') as Record<string, string[]>
      return Object.entries(permissions).flatMap(([key, actions]) =>
        actions.map((action) => {
          const kind = t(`permissionKey.${key.replace('/', '_')}`)
          return `${kind}: ${t(`permissionAction.${action}`)}`
        })
      )
    }
    const [old, granted] = [labelsOf(before), labelsOf(now)]
    const added = granted.filter((label) => !old.includes(label))
    const removed = old.filter((label) => !granted.includes(label))
    return [
      ...(added.length > 0 ? [t('audit.granted', { permissions: added.join(', ') })] : []),
      ...(removed.length > 0 ? [t('audit.revoked', { permissions: removed.join(', ') })] : [])
    ].join(' · ')
  }

  return {
    linkOf,
    icon({ entity, action, sign_in }: AuditEvent): string {
      if (entity !== 'sign_in') return iconOf[action]
      if (action === 'delete') return 'i-lucide-log-out'
      return sign_in === 'password' || sign_in === 'link' ? 'i-lucide-log-in' : 'i-lucide-shield-alert'
    },

    title({ entity, record, records }: AuditEvent): string {
      if (record) return record.name ?? t('audit.numbered', { kind: t(`auditKind.${entity}`), id: record.id })
      if (entity !== 'subscriber') return t(`auditKind.${entity}`)
      return records === null
        ? t('audit.someSubscribers')
        : t('subscribers.total', { count: formatNumber(records) }, records)
    },

    /** Such as "Campaign · changed". */
    kind({ entity, action, sign_in, key_of: user }: AuditEvent): string {
      if (entity === 'sign_in') return t(sign_in ? `auditSignIn.${sign_in}` : 'audit.signedOut')
      const done = `${t(`auditKind.${entity}`)} · ${t(`auditAction.${action}`)}`
      return user ? `${done} · ${t('audit.keyOf', { user: user.name })}` : done
    },

    /** Such as "Status: Active → Bounced". */
    change(change: Change): string {
      const { attribute, field, before, now } = change
      const name = field ?? t(`auditAttribute.${attribute ?? ''}`)
      if (attribute === 'permissions') return permissionsIn(change)
      if (before === null && now === null) return name
      const value = valueOf(attribute ?? '', now)
      if (before === null) return `${name}: ${value}`
      return `${name}: ${t('history.fromTo', { before: valueOf(attribute ?? '', before), now: value })}`
    },

    way({ via, cause }: AuditEvent): string {
      const name = cause?.name
      return name ? t(`auditWay.${via}Named`, { name }) : t(`auditVia.${via}`)
    }
  }
}
