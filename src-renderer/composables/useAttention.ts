import { windowPages } from '../../src-main/base/window-pages.ts'
import { computed, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { BackupsAnswer } from '../api/backups.ts'
import type { DraftSummary } from '../api/drafts.ts'
import type { Webhook } from '../api/events.ts'
import type { DatabaseFault, DiskSpace } from '../api/home.ts'
import type { ListedImport } from '../api/imports.ts'
import type { Refusal } from '../../src-main/base/refusal.ts'
import { refusalSentence } from '../api/refusal-text.ts'
import type { HomeLine } from '../model/home-line.ts'
import { formatBytes, formatDateTime, formatNumber } from '../format.ts'
import { useDismissed } from '../stores/dismissed.ts'
import { isEarlierDraft } from './useDraft.ts'
import type { ShownJob } from './useShownJobs.ts'
import { useImportTitle } from './useImportTitle.ts'

/** Data that may need attention; undefined while loading. */
interface Known {
  disk: Ref<DiskSpace | undefined>
  imports: Ref<ListedImport[] | undefined>
  jobs: Ref<ShownJob[]>
  drafts: Ref<DraftSummary[] | undefined>
  /** null for who does not manage backups. */
  backups: Ref<BackupsAnswer | null | undefined>
  /** None for who does not manage them. */
  webhooks: Ref<Webhook[] | undefined>
  databaseFaults: Ref<DatabaseFault[] | undefined>
  /** False for deleted lists, for which nothing can be done. */
  isThere: (listId: number) => boolean
}

export interface AttentionLine extends HomeLine {
  /** The name of the draft that it is about. */
  draft?: string
  /** The current state of a dismissible line: it reappears when the state changes. */
  dismissible?: string
}

/** Milliseconds for which failed rows are kept; afterwards there is nothing to correct. */
const correctable = 7 * 24 * 60 * 60 * 1000

/** A webhook that fails is retried by itself; after so many milliseconds someone should look. */
const failsFor = 60 * 60 * 1000

/** Returns what needs the user's attention, most urgent first. */
export function useAttention({
  disk,
  imports,
  jobs,
  drafts,
  backups,
  webhooks,
  databaseFaults,
  isThere
}: Known): ComputedRef<AttentionLine[]> {
  const { t } = useI18n()
  const titleOf = useImportTitle()

  function lowDisk(): HomeLine[] {
    if (!disk.value?.is_low) return []
    const text = t('attention.disk', { size: formatBytes(disk.value.free) })
    return [
      {
        key: 'disk',
        icon: 'i-lucide-hard-drive',
        color: 'text-error',
        text,
        detail: t('attention.diskHelp'),
        to: null
      }
    ]
  }

  function unsafeData(): HomeLine[] {
    const { fault = null, copies = null, warnings = [] } = backups.value ?? {}
    const line = (key: string, text: string, detail: Refusal): HomeLine => ({
      key: `backups ${key}`,
      icon: 'i-lucide-archive-x',
      color: 'text-warning',
      text,
      detail: refusalSentence(detail),
      to: windowPages.backups
    })
    return [
      ...(fault === null ? [] : [line('fault', t('attention.backup'), fault)]),
      ...(copies?.fault ? [line('copies', t('attention.copies'), copies.fault)] : []),
      ...warnings.map((warning) => line(warning.rule, t('backups.unsafePlace'), warning))
    ]
  }

  function failingWebhooks(): AttentionLine[] {
    return (webhooks.value ?? []).flatMap(
      ({ id, name, disabled_at, failing_since, fault, error_message }) => {
        const since = disabled_at ?? failing_since
        const isLong = disabled_at !== null || Date.now() - Date.parse(failing_since ?? '') > failsFor
        if (since === null || !isLong) return []
        const time = formatDateTime(since)
        return [
          {
            key: `webhook ${id}`,
            icon: 'i-lucide-webhook',
            color: disabled_at === null ? 'text-warning' : 'text-error',
            text:
              disabled_at === null
                ? t('attention.webhookFailing', { name, time })
                : t('attention.webhook', { name }),
            detail: fault ? refusalSentence(fault) : (error_message ?? ''),
            dismissible: since,
            to: windowPages.webhook(id)
          }
        ]
      }
    )
  }

  function failingDatabases(): HomeLine[] {
    const shown = (databaseFaults.value ?? []).filter(({ mailing_list: { id } }) => isThere(id))
    return shown.map(({ work, id, mailing_list: list, fault }) => ({
      key: `${work} ${id}`,
      icon: 'i-lucide-database',
      color: 'text-warning',
      text: t(`attention.${work}`, { list: list.name }),
      detail: refusalSentence(fault),
      to: windowPages.listTab(list.id, work === 'write_back' ? 'query' : 'imports')
    }))
  }

  function heldJobs(): AttentionLine[] {
    return jobs.value.flatMap((job) => {
      const state = job.shownState
      if (job.to === null || (state !== 'paused' && state !== 'failed')) return []
      return [
        {
          key: `job ${job.job_type} ${job.id}`,
          icon: state === 'paused' ? 'i-lucide-circle-pause' : 'i-lucide-circle-alert',
          color: state === 'paused' ? 'text-warning' : 'text-error',
          text: t(`attention.${state}`, { name: job.title }),
          detail: `${t(`jobType.${job.job_type}`)} · ${formatDateTime(job.finished_at ?? job.updated_at)}`,
          dismissible: `${state} ${job.finished_at ?? job.updated_at}`,
          to: job.to
        }
      ]
    })
  }

  function failedRows(): AttentionLine[] {
    return (imports.value ?? []).flatMap((each) => {
      const { id, failed, corrected, is_undone: isUndone, begins_at: at } = each
      const left = failed - corrected
      if (isUndone || !isThere(each.mailing_list_id)) return []
      if (left <= 0 || Date.now() - Date.parse(each.finished_at ?? at) > correctable) return []
      const file = titleOf(each)
      return [
        {
          key: `import ${id}`,
          icon: 'i-lucide-file-warning',
          color: 'text-warning',
          text: t('attention.failedRows', { count: formatNumber(left), file }, left),
          dismissible: String(left),
          detail: `${each.mailing_list_name} · ${formatDateTime(at)}`,
          to: windowPages.import(id)
        }
      ]
    })
  }

  function unsaved(): AttentionLine[] {
    const isOfList = ({ path }: DraftSummary): boolean => {
      const listId = /^\/lists\/(\d+)/.exec(path)?.[1]
      return listId === undefined || isThere(Number(listId))
    }
    return (drafts.value ?? []).filter(isOfList).map(({ name, title, path, updated_at: at }) => ({
      key: `draft ${name}`,
      draft: name,
      icon: 'i-lucide-pencil-line',
      color: 'text-info',
      text: isEarlierDraft(name) ? t('drafts.earlier', { title }) : title,
      detail: t('attention.draft', { time: formatDateTime(at) }),
      to: path
    }))
  }

  const { isDismissed } = useDismissed()
  return computed(() =>
    [
      ...lowDisk(),
      ...unsafeData(),
      ...failingWebhooks(),
      ...failingDatabases(),
      ...heldJobs(),
      ...failedRows(),
      ...unsaved()
    ].filter((line: AttentionLine) => !isDismissed(line.key, line.dismissible))
  )
}
