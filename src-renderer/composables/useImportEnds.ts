import { windowPages } from '../../src-main/base/window-pages.ts'
import { useToast } from '@nuxt/ui/composables'
import { useIntervalFn } from '@vueuse/core'
import { computed, type ComputedRef, shallowRef, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import { fetchImports, type ListedImport } from '../api/imports.ts'
import { formatNumber } from '../format.ts'
import { useLiveEvents } from '../stores/live-events.ts'
import { useSession } from '../stores/session.ts'
import { hasEnded } from './useImportProgress.ts'
import { useLoaded } from '../stores/useLoaded.ts'
import { useImportTitle } from './useImportTitle.ts'

/** Interval for reading progress while an import runs, in milliseconds. */
const progressTime = 1000

/**
 * Announces ended imports while another page is shown, and returns their progress.
 * @returns the share of rows done by all running imports, 0 to 100; null = none runs
 */
export function useImportEnds(): ComputedRef<number | null> {
  const { t } = useI18n()
  const titleOf = useImportTitle()
  const toast = useToast()
  const route = useRoute()
  const router = useRouter()
  const { may } = useSession()
  const running = shallowRef<ReadonlyMap<number, ListedImport>>(new Map())

  const imports = useLoaded(async () => (may('subscriber.import') ? (await fetchImports(null)).data : []))
  useLiveEvents().reloadOn(['subscriber_import'], () => null, imports.reload)
  watch(imports.value, (data = []) => {
    for (const each of data) if (running.value.has(each.id) && hasEnded(each.state)) report(each)
    running.value = new Map(data.filter(({ state }) => !hasEnded(state)).map((each) => [each.id, each]))
  })
  let isLooking = false
  // The rows of an import change subscribers, which happens all the time for other reasons.
  useIntervalFn(() => void followProgress(), progressTime)

  async function followProgress(): Promise<void> {
    if (isLooking || running.value.size === 0) return
    isLooking = true
    await imports.reload()
    isLooking = false
  }

  function report(ended: ListedImport): void {
    const { failed, state, mailing_list_name: list } = ended
    const path = windowPages.import(ended.id)
    if (route.path === path) return
    const file = titleOf(ended)
    toast.add({
      title: t(`importEnded.${state}`, { file, list }),
      description: failed > 0 ? t('imports.endedFailed', { count: formatNumber(failed) }, failed) : '',
      color: state === 'finished' && failed === 0 ? 'success' : 'warning',
      icon: 'i-lucide-file-input',
      actions: [{ label: t('imports.show'), onClick: () => void router.push(path) }]
    })
  }

  return computed(() => {
    if (running.value.size === 0) return null
    let [done, total] = [0, 0]
    for (const { stats } of running.value.values()) {
      done += stats.records_imported
      total += stats.number_of_records ?? stats.records_imported
    }
    return total === 0 ? 0 : Math.round((done / total) * 100)
  })
}
