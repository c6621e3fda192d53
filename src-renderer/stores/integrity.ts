import { defineStore } from 'pinia'
import { computed, onScopeDispose } from 'vue'
import { fetchIntegrity } from '../api/integrity.ts'
import { useLoaded } from '../composables/useLoaded.ts'

/** How often it is asked for, in milliseconds: what breaks while nobody looks is no event. */
const lookInterval = 15_000

/** Whether the data is what Listwright wrote. */
export const useIntegrity = defineStore('integrity', () => {
  const { value, reload } = useLoaded(fetchIntegrity)
  const timer = setInterval(() => void reload(), lookInterval)
  onScopeDispose(() => clearInterval(timer))
  return {
    reload,
    isDamaged: computed(() => value.value?.state === 'damaged'),
    /** What is wrong, a sentence each. */
    faults: computed(() => value.value?.faults ?? [])
  }
})
