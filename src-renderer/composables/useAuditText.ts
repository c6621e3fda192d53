import { storeToRefs } from 'pinia'
import { useI18n } from 'vue-i18n'
import type { AuditedEntity, AuditEvent } from '../api/audit.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { useMailingLists } from '../stores/mailing-lists.ts'

type Change = AuditEvent['changes'][number]

const iconOf: Record<AuditEvent['action'], string> = {
  create: 'i-lucide-plus',
  update: 'i-lucide-pencil',
  delete: 'i-lucide-trash-2'
}

/** Pages of lists on which kinds of records stand. */
const tabOf: Partial<Record<AuditedEntity, string>> = {
  custom_field: 'fields',
  segment: 'segments',
  subscriber_export: 'exports',
  bulk_action: 'bulk-actions',
  web_form: 'forms',
  pending_subscription: 'forms'
}

/** Pages of lists that show one record. */
const pageOf: Partial<Record<AuditedEntity, string>> = {
  subscriber: 'subscribers',
  campaign: 'campaigns',
  template: 'templates',
  autoresponder: 'autoresponders'
}

/** Pages that show all records of a kind. */
const placeOf: Partial<Record<AuditedEntity, string>> = {
  sign_in: '/users',
  user: '/users',
  api_key: '/api-access',
  organization: '/settings',
  settings: '/settings',
  suppressed_address_import: '/suppression',
  seed_list: '/delivery',
  virtual_mta: '/delivery',
  url_domain: '/delivery',
  bounce_email: '/delivery',
  database_connection: '/delivery',
  backup: '/backups'
}

/** Attributes whose values are translated, with the key of the translations. */
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
    if (!record && via === 'subscriber_import' && cause) return `/imports/${cause.id}`
    if (entity === 'settings') return '/settings'
    if (list && !byId.value.has(list.id)) return null
    if (!record) return list ? `/lists/${list.id}` : null
    if (!record.exists) return null
    if (entity === 'mailing_list') return `/lists/${record.id}`
    if (entity === 'subscriber_import') return `/imports/${record.id}`
    if (entity === 'suppression_list') return `/suppression/${record.id}`
    if (entity === 'sync_remote') return `/sync/${record.id}`
    if (list && pageOf[entity]) return `/lists/${list.id}/${pageOf[entity]}/${record.id}`
    if (list && tabOf[entity]) return `/lists/${list.id}/${tabOf[entity]}`
    return placeOf[entity] ?? null
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

    /** The name of the record, or how many. */
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

    /** The origin: the window, a key, an import. */
    way({ via, cause }: AuditEvent): string {
      const name = cause?.name
      return name ? t(`auditWay.${via}Named`, { name }) : t(`auditVia.${via}`)
    }
  }
}
