import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { type Access, hasAccess } from '../../src-main/http/access.ts'
import { fetchSession, signOut, switchOrganization } from '../api/session.ts'
import { useLoaded } from './useLoaded.ts'
import { mayLeaveWindow } from './leaving.ts'
import { showTimesIn } from '../format.ts'
import { announceSession, beginAnew } from '../session-changes.ts'

/** The user of this window, and the organization. */
export const useSession = defineStore('session', () => {
  const { value: session, failure, reload } = useLoaded(fetchSession)
  watch(session, (now) => {
    if (!now) return
    announceSession(`${now.user.id} ${now.organization.id}`)
    showTimesIn(now.time_zone)
  })
  const role = computed(() => session.value?.user.role ?? 'standard')
  const isSystemAdmin = computed(() => role.value === 'system_admin')
  const isAdmin = computed(() => role.value !== 'standard')
  const maySwitchOrganization = computed(() => session.value?.may_switch_organization ?? false)

  /**
   * True if the user has this access; actions without it are not offered. False before the session is loaded.
   */
  function may(access: Access): boolean {
    return session.value !== undefined && hasAccess(session.value.user, access)
  }

  /** Shows another organization: nothing of the one before may stay, so the window begins anew. */
  async function showOrganization(id: number): Promise<void> {
    if (!(await mayLeaveWindow())) return
    await switchOrganization(id)
    beginAnew()
  }

  async function leave(): Promise<void> {
    if (!(await mayLeaveWindow())) return
    await signOut()
    announceSession(null)
    beginAnew()
  }

  return {
    session,
    failure,
    isSystemAdmin,
    isAdmin,
    may,
    maySwitchOrganization,
    reload,
    showOrganization,
    leave
  }
})
