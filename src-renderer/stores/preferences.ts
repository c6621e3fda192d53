import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

const storageKey = 'listwright.compact'

/** The user's preferences for the window. The theme is stored by the color mode itself. */
export const usePreferences = defineStore('preferences', () => {
  const compact = ref(localStorage.getItem(storageKey) === 'true')
  watch(
    compact,
    (value) => {
      localStorage.setItem(storageKey, String(value))
      document.documentElement.classList.toggle('compact', value)
    },
    { immediate: true }
  )
  return { compact }
})
