import { describe, expect, it } from 'vitest'
import { changedMembers, mergeEdits, withValue } from '../../src-renderer/model/merge-edits.ts'
import { seededRandom } from '../support/random.ts'

describe('Joining two edits of a record', () => {
  const base = { name: 'Ann', city: 'Rome', sizes: [1, 2] }

  it('takes each value from the person who changed it', () => {
    const mine = { ...base, name: 'Anna' }
    const theirs = { ...base, city: 'Oslo' }

    expect(mergeEdits(base, mine, theirs)).toEqual({
      state: { name: 'Anna', city: 'Oslo', sizes: [1, 2] },
      conflicts: []
    })
  })

  it('finds no conflict where both made the same change', () => {
    const both = { ...base, city: 'Oslo' }

    expect(mergeEdits(base, both, { ...both })).toEqual({ state: both, conflicts: [] })
  })

  it('names each value that both changed, and shows the own one until it is decided', () => {
    const { state, conflicts } = mergeEdits(base, { ...base, city: 'Bern' }, { ...base, city: 'Oslo' })

    expect(state.city).toBe('Bern')
    expect(conflicts).toEqual([{ path: ['city'], base: 'Rome', mine: 'Bern', theirs: 'Oslo' }])
    expect(withValue(state, ['city'], 'Oslo')).toEqual({ ...base, city: 'Oslo' })
  })

  it('compares the members of objects by themselves', () => {
    const values = { values: { City: 'Rome', Zip: '1' } }

    const { state, conflicts } = mergeEdits(
      values,
      { values: { City: 'Oslo', Zip: '1' } },
      { values: { City: 'Rome', Zip: '2' } }
    )

    expect(state).toEqual({ values: { City: 'Oslo', Zip: '2' } })
    expect(conflicts).toEqual([])
  })

  it('compares arrays of the same records record by record, and other arrays as a whole', () => {
    const contents = [
      { id: 1, subject: 'a', text: 'x' },
      { id: 2, subject: 'b', text: 'y' }
    ]
    const mine = contents.with(0, { id: 1, subject: 'A', text: 'x' })
    const theirs = contents.with(1, { id: 2, subject: 'B', text: 'y' })

    expect(mergeEdits(contents, mine, theirs)).toEqual({ state: [mine[0], theirs[1]], conflicts: [] })
    expect(mergeEdits([1, 2], [1, 3], [1, 2, 4]).conflicts).toEqual([
      { path: [], base: [1, 2], mine: [1, 3], theirs: [1, 2, 4] }
    ])
    expect(withValue(mine, [1, 'subject'], 'C')[1]).toEqual({ id: 2, subject: 'C', text: 'y' })
  })

  it('keeps the records that each person added, and drops those that either removed', () => {
    const options = [
      { id: 1, name: 'red' },
      { id: 2, name: 'green' },
      { id: 3, name: 'blue' }
    ]
    const mine = [{ id: 1, name: 'crimson' }, { id: 2, name: 'green' }, { name: 'black' }]
    const theirs = [...options, { id: 4, name: 'pink' }]

    expect(mergeEdits(options, mine, theirs)).toEqual({
      state: [
        { id: 1, name: 'crimson' },
        { id: 2, name: 'green' },
        { id: 4, name: 'pink' },
        { name: 'black' }
      ],
      conflicts: []
    })
    expect(
      mergeEdits(options, options.slice(1), [{ id: 1, name: 'rose' }, ...options.slice(1)]).conflicts
    ).toHaveLength(1)
    expect(mergeEdits(options, options.toReversed(), theirs).conflicts).toHaveLength(1)
  })

  it('takes a condition as a whole', () => {
    const clause = { type: 'group', match: 'all', conditions: [1] }
    const [mine, theirs] = [
      { ...clause, match: 'any' },
      { ...clause, conditions: [1, 2] }
    ]

    expect(mergeEdits({ clause }, { clause: mine }, { clause: theirs }).conflicts).toEqual([
      { path: ['clause'], base: clause, mine, theirs }
    ])
  })

  it('drops what one user deleted, and keeps what the other added', () => {
    const options = { rights: { read: true, write: true } as Record<string, boolean> }

    const { state, conflicts } = mergeEdits(
      options,
      { rights: { read: true } },
      { rights: { ...options.rights, send: true } }
    )

    expect(state).toEqual({ rights: { read: true, send: true } })
    expect(conflicts).toEqual([])
  })

  it('loses no change of either side (property)', () => {
    const seed = Number(process.env['SEED'] ?? Math.trunc(Math.random() * 1e6))
    const random = seededRandom(seed)
    const value = (): number => Math.trunc(random() * 3)
    const record = () => Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, value()]))
    for (let round = 0; round < 2000; round++) {
      const [from, mine, theirs] = [record(), record(), record()]

      const { state, conflicts } = mergeEdits(from, mine, theirs)

      for (const name of Object.keys(from)) {
        const isOfBoth =
          mine[name] !== from[name] && theirs[name] !== from[name] && mine[name] !== theirs[name]
        const isAsked = conflicts.some(({ path }) => path[0] === name)
        const wanted = mine[name] === from[name] ? theirs[name] : mine[name]
        expect([isAsked, state[name]], `SEED=${seed}`).toEqual([isOfBoth, wanted])
      }
    }
  })
})

it('What is sent is what differs, at any depth', () => {
  const before = { name: 'a', dispatch: { speed: 1, from: 'x' }, sizes: [1] }

  expect(changedMembers(before, { ...before, dispatch: { speed: 2, from: 'x' } })).toEqual({
    dispatch: { speed: 2 }
  })
  expect(changedMembers(before, { ...before, sizes: [1, 2] })).toEqual({ sizes: [1, 2] })
  expect(changedMembers(before, structuredClone(before))).toEqual({})
})
