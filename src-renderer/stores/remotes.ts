import { defineStore, storeToRefs } from 'pinia'
import { computed, watch } from 'vue'
import { fetchRemotes, type Remote } from '../api/sync.ts'
import { useLoaded } from './useLoaded.ts'
import { useLiveEvents } from './live-events.ts'
import { useSession } from './session.ts'

/** The polling interval of a running sync in milliseconds: its progress is not an event. */
const lookInterval = 1000

/** The servers that the organization is mirrored to, and what they are at. */
export const useRemotes = defineStore('remotes', () => {
  const { isAdmin } = storeToRefs(useSession())
  const loaded = useLoaded<Remote[]>(async () => (isAdmin.value ? fetchRemotes() : []), [isAdmin])
  const remotes = computed(() => loaded.value.value ?? [])
  const { reloadOn } = useLiveEvents()
  reloadOn(['sync_remote'], () => null, loaded.reload)
  // Changed subscribers count as pending until they are sent.
  reloadOn(
    ['subscriber'],
    () => null,
    async () => {
      if (remotes.value.length > 0 || loaded.failure.value !== null) await loaded.reload()
    }
  )
  const isRunning = computed(() => remotes.value.some(({ state }) => state === 'running'))
  let timer: ReturnType<typeof setInterval> | undefined
  watch(isRunning, (running) => {
    clearInterval(timer)
    if (running) timer = setInterval(() => void loaded.reload(), lookInterval)
  })

  return {
    value: loaded.value,
    failure: loaded.failure,
    reload: loaded.reload,
    remotes,
    isRunning,
    /** True if the user has to answer a question or decide. */
    needsSomebody: computed(() =>
      remotes.value.some(({ state, open_conflicts: open }) => state === 'asking' || open > 0)
    )
  }
})
