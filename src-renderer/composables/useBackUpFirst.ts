import { storeToRefs } from 'pinia'
import { computed, type ComputedRef, type Ref, ref } from 'vue'
import { createBackup } from '../api/backups.ts'
import { useSession } from '../stores/session.ts'

const manySubscribers = 10_000

/**
 * Offers a backup before a large action: a backup can be restored even if the action cannot be undone.
 * @param count affected subscribers
 * @param from the number that counts as large
 */
export function useBackUpFirst(
  count: () => number,
  from = manySubscribers
): {
  /** True if the action is large. */
  isLarge: ComputedRef<boolean>
  /** True for system administrators, who may make backups. */
  offersBackup: ComputedRef<boolean>
  /** The user's choice. */
  backsUp: Ref<boolean>
  /**
   * Makes the backup if it was chosen.
   * @throws ApiFailure if it fails: the action should not be done then
   */
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
