import { defineStore, storeToRefs } from 'pinia'
import { computed, ref, watch } from 'vue'
import { useSession } from './session.ts'

type Dismissed = Record<string, string>

const maxRemembered = 500

export const useDismissed = defineStore('dismissed', () => {
  const { session } = storeToRefs(useSession())
  const storageKey = computed(
    () => `listwright.dismissed.${session.value?.organization.id ?? 0}.${session.value?.user.id ?? 0}`
  )
  const dismissed = ref<Dismissed>({})
  watch(storageKey, (key) => (dismissed.value = readDismissed(localStorage.getItem(key))), {
    immediate: true
  })

  /** True while a line says what it said when it was dismissed. */
  function isDismissed(key: string, says: string | undefined): boolean {
    return says !== undefined && dismissed.value[key] === says
  }

  function dismiss(key: string, says: string): void {
    const { [key]: _before, ...others } = dismissed.value
    const kept = [...Object.entries(others), [key, says] as const].slice(-maxRemembered)
    dismissed.value = Object.fromEntries(kept)
    localStorage.setItem(storageKey.value, JSON.stringify(dismissed.value))
  }

  return { isDismissed, dismiss }
})

function readDismissed(stored: string | null): Dismissed {
  try {
    const value: unknown = JSON.parse(stored ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Dismissed) : {}
  } catch (error) {
    // The stored text was written by something else: nothing is dismissed.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
