import { computed, onScopeDispose, ref, type Ref, watch } from 'vue'
import type { ImportState, SubscriberImport } from '../api/subscriber-imports.ts'

/** Milliseconds over which the speed is taken: long enough to be calm, short enough to follow. */
const speedWindow = 5000

const endStates: readonly ImportState[] = ['finished', 'failed', 'cancelled']

export function hasEnded(state: ImportState): boolean {
  return endStates.includes(state)
}

export interface ImportProgress {
  /** 0 to 100; null while the number of rows is not known. */
  percent: Ref<number | null>
  /** In the last seconds; null while nothing moves. */
  rowsPerSecond: Ref<number | null>
  /** In seconds; null = unknown. */
  timeLeft: Ref<number | null>
}

/** Derives speed and remaining time of an import or dry run from its progress. */
export function useImportProgress(
  current: Ref<Pick<SubscriberImport, 'state' | 'stats'> | undefined>
): ImportProgress {
  let samples: { at: number; rows: number }[] = []
  const rowsPerSecond = ref<number | null>(null)

  function sample(): void {
    const running = current.value
    if (running?.state !== 'importing') {
      samples = []
      rowsPerSecond.value = null
      return
    }
    const now = performance.now()
    samples.push({ at: now, rows: running.stats.records_imported })
    samples = samples.filter(({ at }) => now - at <= speedWindow)
    const [first] = samples
    const last = samples.at(-1)
    if (!first || !last || last.at - first.at < 500) return
    rowsPerSecond.value = ((last.rows - first.rows) / (last.at - first.at)) * 1000
  }

  watch(current, sample, { immediate: true })
  const timer = setInterval(sample, 1000)
  onScopeDispose(() => clearInterval(timer))

  const percent = computed(() => {
    const stats = current.value?.stats
    if (!stats || stats.number_of_records === null) return null
    return stats.number_of_records === 0 ? 100 : (stats.records_imported / stats.number_of_records) * 100
  })
  const timeLeft = computed(() => {
    const stats = current.value?.stats
    if (!stats || stats.number_of_records === null || !rowsPerSecond.value) return null
    return (stats.number_of_records - stats.records_imported) / rowsPerSecond.value
  })
  return { percent, rowsPerSecond, timeLeft }
}
