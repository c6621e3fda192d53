import { defineStore } from 'pinia'
import { onScopeDispose } from 'vue'
import { readEvents } from '../api/event-stream.ts'
import type { LiveEvent } from '../../src-main/workbench/events/schema.ts'

/** Delay in milliseconds before a broken or refused connection is opened again. */
const reconnectTime = 2000
/** If the first connection takes longer to open, a change may have been missed. In milliseconds. */
const maxOpeningTime = 5000

/** Shortest pause between two loads of constantly changing data, in milliseconds. */
const minRest = 500
/**
 * The pause in multiples of the last load's duration: expensive loads, such as a filter over a million, leave
 * the processor to the changes.
 */
const restPerLoad = 3
/** Limit of the pause: a load during which the computer slept is not expensive. */
const maxRest = 15_000

/** Called with null when anything may have changed, such as after a time without a connection. */
type Listener = (changes: LiveEvent[] | null) => void

/** Changes of the data by anyone, through one connection per window. */
export const useLiveEvents = defineStore('live-events', () => {
  const listeners = new Set<Listener>()
  const tell = (changes: LiveEvent[] | null): void => {
    for (const listener of listeners) listener(changes)
  }
  let mayHaveMissed = false
  let isOver = false
  onScopeDispose(() => (isOver = true))
  function connect(): void {
    // The time since the page was requested, in milliseconds: all data that it shows is newer.
    const now = performance.now()
    const since = mayHaveMissed ? '' : `?changed_within=${Math.ceil(now) + maxOpeningTime}`
    void readEvents(`/app/v1/events${since}`, {
      onOpen: () => {
        if (mayHaveMissed || performance.now() - now > maxOpeningTime) tell(null)
      },
      onData: (data) => tell(JSON.parse(data) as LiveEvent[] | null),
      onEnd: () => {
        mayHaveMissed = true
        if (!isOver) setTimeout(connect, reconnectTime)
      }
    })
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
    listen((changes) => {
      if (changes && !changes.some(concerns)) return
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
