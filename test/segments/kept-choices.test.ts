import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Choice } from '../../src-main/segments/chosen.ts'
import { KeptChoices } from '../../src-main/segments/kept-choices.ts'
import { mayBeReused } from '../../src-main/segments/reuse.ts'

const choice = (search: string): Choice => ({
  mailingListId: 1,
  clause: [],
  search,
  textFieldIds: [],
  sorting: null
})
const nobodyStops = new AbortController().signal

function finder() {
  const begun: string[] = []
  const givenUp: string[] = []
  const kept = new KeptChoices(async ({ search }, signal) => {
    begun.push(search)
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate)
      if (!signal.aborted) continue
      givenUp.push(search)
      signal.throwIfAborted()
    }
    return Float64Array.of(search.length)
  })
  return { kept, begun, givenUp }
}

it('a selection is searched only once until the data changes', async () => {
  const { kept, begun } = finder()
  await Promise.all([kept.idsOf(choice('a'), 1, nobodyStops), kept.idsOf(choice('a'), 1, nobodyStops)])
  expect(await kept.idsOf(choice('a'), 1, nobodyStops)).toEqual({ ids: Float64Array.of(1), isStale: false })
  expect(begun).toEqual(['a'])
  await kept.idsOf(choice('a'), 2, nobodyStops)
  expect(begun).toEqual(['a', 'a'])
})

it('a search is cancelled when no caller waits for it, and started again on request', async () => {
  const { kept, begun, givenUp } = finder()
  const [one, other] = [new AbortController(), new AbortController()]
  const first = kept.idsOf(choice('a'), 1, one.signal)
  const second = kept.idsOf(choice('a'), 1, other.signal)
  one.abort()
  await expect(second).resolves.toMatchObject({ isStale: false })
  await first
  expect(givenUp).toEqual([])
  const third = kept.idsOf(choice('b'), 1, other.signal)
  other.abort()
  await expect(third).rejects.toThrow('abort')
  expect(givenUp).toEqual(['b'])
  await kept.idsOf(choice('b'), 1, nobodyStops)
  expect(begun).toEqual(['a', 'b', 'b'])
})

it('a search with an aborted signal is refused at once', async () => {
  const { kept, begun } = finder()
  await expect(kept.idsOf(choice('a'), 1, AbortSignal.abort())).rejects.toThrow('abort')
  expect(begun).toEqual([])
})

it('the most recently used results are kept', async () => {
  const { kept, begun } = finder()
  for (let number = 0; number < 120; number++) await kept.idsOf(choice(`a${number}`), 1, nobodyStops)
  begun.length = 0
  await kept.idsOf(choice('a119'), 1, nobodyStops)
  expect(begun).toEqual([])
  await kept.idsOf(choice('a0'), 1, nobodyStops)
  expect(begun).toEqual(['a0'])
})

it('the cache holds 100 selections and evicts the least recently used one', async () => {
  const { kept, begun } = finder()
  for (let number = 0; number < 100; number++) await kept.idsOf(choice(`a${number}`), 1, nobodyStops)
  await kept.idsOf(choice('a0'), 1, nobodyStops)
  expect(begun).toHaveLength(100)
  await kept.idsOf(choice('a100'), 1, nobodyStops)
  await kept.idsOf(choice('a0'), 1, nobodyStops)
  expect(begun).toHaveLength(101)
  await kept.idsOf(choice('a1'), 1, nobodyStops)
  expect(begun.at(-1)).toBe('a1')
})

it('four million ids are kept at most, of the choices that were used last', async () => {
  const begun: string[] = []
  const kept = new KeptChoices(({ search }) => {
    begun.push(search)
    return Promise.resolve(new Float64Array(Number(search)))
  })
  const ask = (size: number) => kept.idsOf(choice(String(size)), 1, nobodyStops)
  await ask(3_000_000)
  await ask(1_000_000)
  await ask(3_000_000)
  expect(begun).toEqual(['3000000', '1000000'])
  await ask(1)
  await ask(3_000_000)
  expect(begun).toEqual(['3000000', '1000000', '1'])
  await ask(1_000_000)
  expect(begun.at(-1)).toBe('1000000')
  // One that is larger than everything that may be kept is kept alone.
  await ask(4_000_001)
  await ask(4_000_001)
  expect(begun.slice(-2)).toEqual(['1000000', '4000001'])
  await ask(1)
  expect(begun.at(-1)).toBe('1')
})

it('a search that failed is made again', async () => {
  let isBroken = true
  const kept = new KeptChoices(() =>
    isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(Float64Array.of(1))
  )
  await expect(kept.idsOf(choice('a'), 1, nobodyStops)).rejects.toThrow('broken')
  isBroken = false
  await expect(kept.idsOf(choice('a'), 1, nobodyStops)).resolves.toMatchObject({ ids: Float64Array.of(1) })
})

it('while the data changes, a slow search returns its previous result and marks it as stale', async () => {
  let begun = 0
  const kept = new KeptChoices(async () => {
    begun++
    await pause(80)
    return Float64Array.of(1)
  })
  await kept.idsOf(choice('a'), 1, nobodyStops)
  expect(await kept.idsOf(choice('a'), 2, nobodyStops)).toEqual({ ids: Float64Array.of(1), isStale: true })
  expect(begun).toBe(1)
})

it('a result from before a change is reused only if the search was slow, and only for a short time', () => {
  const now = performance.now()
  // `took: null` means that the search still runs. Later requests share it only after it has run for more than 50 ms.
  expect(mayBeReused({ beganAt: now, took: null })).toBe(false)
  expect(mayBeReused({ beganAt: now - 60, took: null })).toBe(true)
  expect(mayBeReused({ beganAt: now - 100, took: 50 })).toBe(false)
  expect(mayBeReused({ beganAt: now - 100, took: 60 })).toBe(true)
  expect(mayBeReused({ beganAt: now - 601, took: 60 })).toBe(false)
})
