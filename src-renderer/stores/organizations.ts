import { defineStore, storeToRefs } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { fetchOrganizations, type Organization } from '../api/organizations.ts'
import { useSession } from './session.ts'

/** All organizations, for system administrators; for others there are none. */
export const useOrganizations = defineStore('organizations', () => {
  const { isSystemAdmin } = storeToRefs(useSession())
  const organizations = shallowRef<Organization[]>([])
  const byId = computed(() => new Map(organizations.value.map((each) => [each.id, each])))

  async function reload(): Promise<void> {
    organizations.value = isSystemAdmin.value ? await fetchOrganizations() : []
  }
  watch(isSystemAdmin, () => void reload(), { immediate: true })

  return { organizations, byId, reload }
})
