import { defineStore } from 'pinia'
import { onScopeDispose } from 'vue'
import type { LiveEvent } from '../../src-main/workbench/events.ts'

/** After how many milliseconds a refused connection is tried again. */
const reconnectTime = 2000

/** At least so many milliseconds pass between two loads of what changes all the time. */
const minRest = 500
/** And so many times what a load took: what is heavy, such as a filter over a million, leaves the computer to what changes them. */
const restPerLoad = 3
/** No longer than this: a load during which the computer slept is no heavy one. */
const maxRest = 15_000

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

  /** Calls `reload` after changes of these kinds, of one list when `listId` names it: at once, and again after a rest. */
  function reloadOn(
    entities: LiveEvent['entity'][],
    listId: () => number | null,
    reload: () => unknown
  ): void {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isBusy = false
    let isOver = false
    let changedMeanwhile = false
    const run = async (): Promise<void> => {
      isBusy = true
      changedMeanwhile = false
      const began = performance.now()
      try {
        await reload()
      } finally {
        const took = performance.now() - began
        if (!isOver) timer = setTimeout(rest, Math.min(Math.max(minRest, took * restPerLoad), maxRest))
      }
    }
    const rest = (): void => {
      isBusy = false
      if (changedMeanwhile) void run()
    }
    const concerns = ({ entity, mailing_list_id: changedList }: LiveEvent): boolean => {
      const wanted = listId()
      return entities.includes(entity) && (wanted === null || changedList === wanted)
    }
    listen((event) => {
      if (event && !concerns(event)) return
      if (isBusy) changedMeanwhile = true
      else void run()
    })
    onScopeDispose(() => {
      isOver = true
      clearTimeout(timer)
    })
  }

  return { reloadOn }
})
