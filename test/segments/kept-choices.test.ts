import { expect, it } from 'vitest'
import type { Choice } from '../../src-main/segments/chosen.ts'
import { KeptChoices } from '../../src-main/segments/kept-choices.ts'

const choice = (search: string): Choice => ({
  mailingListId: 1,
  clause: [],
  search,
  textFieldIds: [],
  sorting: null
})
const nobodyStops = new AbortController().signal

/** Finds after so many turns, and tells who was looked for and who was given up. */
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

it('a choice is looked for once while nothing changes, and again after a change', async () => {
  const { kept, begun } = finder()
  await Promise.all([kept.idsOf(choice('a'), 1, nobodyStops), kept.idsOf(choice('a'), 1, nobodyStops)])
  expect(await kept.idsOf(choice('a'), 1, nobodyStops)).toEqual({ ids: Float64Array.of(1), isStale: false })
  expect(begun).toEqual(['a'])
  await kept.idsOf(choice('a'), 2, nobodyStops)
  expect(begun).toEqual(['a', 'a'])
})

it('a choice is given up when nobody waits for it any more, and looked for anew when somebody asks', async () => {
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

it('who asks with a signal that is aborted already is refused at once', async () => {
  const { kept, begun } = finder()
  await expect(kept.idsOf(choice('a'), 1, AbortSignal.abort())).rejects.toThrow('abort')
  expect(begun).toEqual([])
})

it('of many choices those that were used last are kept', async () => {
  const { kept, begun } = finder()
  for (let number = 0; number < 120; number++) await kept.idsOf(choice(`a${number}`), 1, nobodyStops)
  begun.length = 0
  await kept.idsOf(choice('a119'), 1, nobodyStops)
  expect(begun).toEqual([])
  await kept.idsOf(choice('a0'), 1, nobodyStops)
  expect(begun).toEqual(['a0'])
})
