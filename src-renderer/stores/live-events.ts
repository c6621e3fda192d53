import { defineStore } from 'pinia'
import { onScopeDispose } from 'vue'
import type { LiveEvent } from '../../src-main/workbench/events.ts'

/** After how many milliseconds a refused connection is tried again. */
const reconnectTime = 2000

/** Told of null when there was no connection before: anything may have changed meanwhile. */
type Listener = (event: LiveEvent | null) => void

/** What changes in the data, whoever changed it: one connection for the whole window. */
export const useLiveEvents = defineStore('live-events', () => {
  const listeners = new Set<Listener>()
  const tell = (event: LiveEvent | null): void => {
    for (const listener of listeners) listener(event)
  }
  function connect(): void {
    const source = new EventSource('/app/v1/events')
    // What changed before the connection was there, nobody was told of.
    source.onopen = () => tell(null)
    source.onmessage = ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as LiveEvent)
    source.onerror = () => {
      // A connection that broke is made again by the browser, but not one that was refused.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, reconnectTime)
    }
  }
  connect()

  /** Calls `listener` for each change until the calling component goes away. */
  function listen(listener: Listener): void {
    listeners.add(listener)
    onScopeDispose(() => listeners.delete(listener))
  }

  /** Calls `reload` after changes of these kinds, of one list when `listId` names it: at once, then every 500 ms. */
  function reloadOn(
    entities: LiveEvent['entity'][],
    listId: () => number | null,
    reload: () => unknown
  ): void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let changedMeanwhile = false
    const run = (): void => {
      changedMeanwhile = false
      timer = setTimeout(() => {
        timer = undefined
        if (changedMeanwhile) run()
      }, 500)
      void reload()
    }
    const concerns = ({ entity, mailing_list_id: changedList }: LiveEvent): boolean => {
      const wanted = listId()
      return entities.includes(entity) && (wanted === null || changedList === wanted)
    }
    listen((event) => {
      if (event && !concerns(event)) return
      if (timer === undefined) run()
      else changedMeanwhile = true
    })
    onScopeDispose(() => clearTimeout(timer))
  }

  return { reloadOn }
})
