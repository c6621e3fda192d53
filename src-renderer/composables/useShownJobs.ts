import { windowPages } from '../../src-main/base/window-pages.ts'
import { storeToRefs } from 'pinia'
import { computed, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Access } from '../../src-main/http/access.ts'
import { isUnnamed, jobPages } from '../../src-main/api/jobs/pages.ts'
import { endedJobStates } from '../../src-main/api/jobs/schema.ts'
import type { AnyJob } from '../api/jobs.ts'
import { useSession } from '../stores/session.ts'
import { useBulkText } from './useBulkText.ts'

/** A job with what the window shows of it. */
export type ShownJob = AnyJob & {
  title: string
  /** The page of the job; null for another organization's. */
  to: string | null
  percent: number | null
  hasEnded: boolean
  canPause: boolean
  canCancel: boolean
  /** Its state as a person would say it: one that is held is paused, whatever it is held in. */
  shownState: AnyJob['state']
}

const pages: Record<AnyJob['job_type'], (job: AnyJob) => string> = {
  ...jobPages,
  BulkAction: ({ mailing_list_id: listId }) => windowPages.listTab(listId ?? 0, 'bulk-actions')
}

const accessTo: Record<Exclude<AnyJob['job_type'], 'BulkAction'>, Access> = {
  SubscriberImport: 'subscriber.import',
  SubscriberExport: 'subscriber.export',
  SuppressedAddressImport: 'organization_admin',
  Campaign: 'campaign.update_state'
}

/** Jobs as the window shows them, in the order in which they are given. Drafts of campaigns are no jobs to a person. */
export function useShownJobs(jobs: Ref<AnyJob[] | undefined>): ComputedRef<ShownJob[]> {
  const bulkText = useBulkText()
  const { t } = useI18n()
  const { session } = storeToRefs(useSession())
  const { may } = useSession()
  const titleOf = (job: AnyJob): string => {
    if (job.job_type === 'BulkAction') return bulkText.title(job.action)
    return isUnnamed({ type: job.job_type, name: job.name }) ? t('imports.number', { id: job.id }) : job.name
  }
  return computed(() =>
    (jobs.value ?? []).flatMap((job): ShownJob[] => {
      const { job_type: type, state, progress_value: done, progress_total: total } = job
      if (type === 'Campaign' && state === 'idle') return []
      const hasEnded = state === 'undone' || endedJobStates.some((each) => each === state)
      return [
        {
          ...job,
          to: job.organization_id === session.value?.organization.id ? pages[type](job) : null,
          percent: total === null ? null : total === 0 ? 100 : (done / total) * 100,
          title: titleOf(job),
          hasEnded,
          canPause: type !== 'BulkAction' && may(accessTo[type]),
          canCancel: type === 'BulkAction' || may(accessTo[type]),
          shownState: job.paused && !hasEnded ? 'paused' : state
        }
      ]
    })
  )
}
