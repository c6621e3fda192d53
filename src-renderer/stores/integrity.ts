import { defineStore } from 'pinia'
import { computed, onScopeDispose } from 'vue'
import { fetchIntegrity } from '../api/integrity.ts'
import { useLoaded } from './useLoaded.ts'

/** The polling interval in milliseconds: damage is not reported as an event. */
const lookInterval = 15_000

/** The integrity of the data, as the server reports it. */
export const useIntegrity = defineStore('integrity', () => {
  const { value, reload } = useLoaded(fetchIntegrity)
  const timer = setInterval(() => void reload(), lookInterval)
  onScopeDispose(() => clearInterval(timer))
  return {
    reload,
    isDamaged: computed(() => value.value?.state === 'damaged'),
    /** Sentences. */
    faults: computed(() => value.value?.faults ?? [])
  }
})
