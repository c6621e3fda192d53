import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

const storageKey = 'listwright.compact'

/** How this user likes the window. The theme is kept by the colour mode itself. */
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
