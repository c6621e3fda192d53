import { defineStore } from 'pinia'
import { computed } from 'vue'
import { fetchSession, switchOrganization } from '../api/session.ts'
import { useLoaded } from '../composables/useLoaded.ts'

/** Who works in this window, and in which organization. */
export const useSession = defineStore('session', () => {
  const { value: session, reload } = useLoaded(fetchSession)
  const role = computed(() => session.value?.user.role ?? 'standard')
  const isSystemAdmin = computed(() => role.value === 'system_admin')
  const isAdmin = computed(() => role.value !== 'standard')

  /** Shows another organization: nothing of the one before may stay, so the window begins anew. */
  async function showOrganization(id: number): Promise<void> {
    await switchOrganization(id)
    window.location.assign('/lists')
  }

  return { session, isSystemAdmin, isAdmin, reload, showOrganization }
})
