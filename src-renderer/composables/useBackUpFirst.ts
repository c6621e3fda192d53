import { storeToRefs } from 'pinia'
import { computed, type ComputedRef, type Ref, ref } from 'vue'
import { createBackup } from '../api/backups.ts'
import { useSession } from '../stores/session.ts'

/** From so many subscribers on, an act is one that a person wants to be able to go back behind. */
const manySubscribers = 10_000

/**
 * Offers a backup before something large is done: what a backup holds can be restored, also where nothing else could be undone.
 * @param count how many subscribers it meets
 * @param from how many make it large
 */
export function useBackUpFirst(
  count: () => number,
  from = manySubscribers
): {
  /** Whether it is large, and so asked about first. */
  isLarge: ComputedRef<boolean>
  /** Whether to ask; only who administers the system makes backups. */
  offersBackup: ComputedRef<boolean>
  /** What the person decided. */
  backsUp: Ref<boolean>
  /** Makes the backup, if one is wanted. @throws ApiFailure where it cannot be made: then nothing should be done */
  backUpFirst: () => Promise<void>
} {
  const { isSystemAdmin } = storeToRefs(useSession())
  const isLarge = computed(() => count() >= from)
  const offersBackup = computed(() => isSystemAdmin.value && isLarge.value)
  const backsUp = ref(true)
  const backUpFirst = async (): Promise<void> => {
    if (offersBackup.value && backsUp.value) await createBackup('before_change')
  }
  return { isLarge, offersBackup, backsUp, backUpFirst }
}
