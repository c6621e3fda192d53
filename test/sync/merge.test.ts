import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MergeRules } from '../../src-main/sync/merge.ts'
import { mergeContents } from '../../src-main/sync/records/merge-contents.ts'
import {
  agreedOn,
  isAsAgreed,
  isSamePacked,
  packAgreed,
  packValues,
  unpackAgreed
} from '../../src-main/sync/subscribers/agreed.ts'
import { mergePeople } from '../../src-main/sync/subscribers/merge-people.ts'
import { type Person, slots, type Value } from '../../src-main/sync/subscribers/person.ts'

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { minLength: 1, maxLength: 3 })
)
const person: fc.Arbitrary<Person> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 2 ** 31 }), value), {
    selector: ([slot]) => slot,
    maxLength: 30
  })
  .map((entries) => new Map(entries))

test('an agreed state is packed and read back unchanged, and detects any change', () => {
  fc.assert(
    fc.property(person, (before) => {
      const agreed = unpackAgreed(packAgreed(agreedOn(before)))
      expect(agreed).toEqual(agreedOn(before))
      expect(isAsAgreed(before, agreed)).toBe(true)
      for (const [slot, old] of before) {
        const changed = new Map(before).set(slot, `${String(old)} changed`)
        expect(isAsAgreed(changed, agreed)).toBe(false)
        changed.delete(slot)
        expect(isAsAgreed(changed, agreed)).toBe(false)
      }
    })
  )
})

test('packed values and packed agreements give the same agreed state for the same subscriber', () => {
  fc.assert(
    fc.property(person, (somebody) => {
      const slotsInOrder = [...somebody.keys(), 2 ** 31 + 1].sort((a, b) => a - b)
      const values = slotsInOrder.map((slot) => somebody.get(slot))
      expect(isSamePacked(packValues(values, slotsInOrder), packAgreed(agreedOn(somebody)))).toBe(true)
    })
  )
})

test('a subscriber with ten values takes some 70 bytes', () => {
  const ten: Person = new Map(Array.from({ length: 10 }, (_, at) => [at + 1, `value ${at}`]))
  expect(packAgreed(agreedOn(ten)).length).toBe(70)
})

const both = (conflicts: MergeRules['conflicts']): MergeRules => ({ direction: 'both', conflicts })
const mirror: MergeRules = { direction: 'mirror', conflicts: 'remote' }
const field = 20
const somebody = (status: string, city?: string): Person =>
  new Map<number, Value>([
    [slots.email, 'a@example.com'],
    [slots.status, status],
    ...(city === undefined ? [] : [[field, city] as const])
  ])

describe('a value', () => {
  const merge = (
    mine: string | undefined,
    theirs: string | undefined,
    before: string | undefined,
    rules: MergeRules
  ) =>
    mergePeople(
      somebody('active', mine),
      somebody('active', theirs),
      agreedOn(somebody('active', before)),
      rules
    )
  test.each([
    ['changed here goes there', 'new', 'old', 'old', both('remote'), { there: 'new' }],
    ['changed there comes here', 'old', 'new', 'old', both('local'), { here: 'new' }],
    ['emptied there is emptied here', 'old', undefined, 'old', both('local'), { here: undefined }],
    [
      'changed on both sides is the local one',
      'mine',
      'theirs',
      'old',
      both('local'),
      { there: 'mine', conflict: 'local' }
    ],
    [
      'changed on both sides is the remote one',
      'mine',
      'theirs',
      'old',
      both('remote'),
      { here: 'theirs', conflict: 'remote' }
    ],
    ['changed on both sides waits for a decision', 'mine', 'theirs', 'old', both('ask'), { conflict: null }],
    [
      'changed there is set back by a mirror, and told',
      'old',
      'new',
      'old',
      mirror,
      { there: 'old', conflict: 'local' }
    ]
  ] as const)('%s', (_name, mine, theirs, before, rules, expected) => {
    const { local, remote, conflicts } = merge(mine, theirs, before, rules)
    expect(local?.get(field)).toBe('here' in expected ? expected.here : undefined)
    expect(local !== null).toBe('here' in expected)
    expect(remote?.get(field)).toBe('there' in expected ? expected.there : undefined)
    expect(remote !== null).toBe('there' in expected)
    expect(conflicts.map(({ keep }) => keep)).toEqual('conflict' in expected ? [expected.conflict] : [])
  })
})

describe('a merge never reactivates an unsubscribed subscriber', () => {
  const rules = [mirror, both('local'), both('remote'), both('ask')]
  const statuses = ['active', 'deactivated', 'unsubscribed', 'bounced', 'scomp']
  const removed = ['unsubscribed', 'bounced', 'scomp']
  test.each(rules)('by the rules %j', (each) => {
    for (const mine of statuses) {
      for (const theirs of statuses) {
        for (const before of [...statuses, null]) {
          const agreed = before === null ? null : agreedOn(somebody(before))
          const { local, remote } = mergePeople(somebody(mine), somebody(theirs), agreed, each)
          const [here, there] = [local?.get(slots.status) ?? mine, remote?.get(slots.status) ?? theirs]
          if (removed.includes(mine)) expect(removed, `${mine} ${theirs} ${before}`).toContain(here)
          if (removed.includes(theirs)) expect(removed, `${mine} ${theirs} ${before}`).toContain(there)
        }
      }
    }
  })

  test('unless a user decided so', () => {
    const { remote } = mergePeople(
      somebody('active'),
      somebody('unsubscribed'),
      agreedOn(somebody('unsubscribed')),
      mirror,
      new Map([[slots.status, 'local']])
    )
    expect(remote?.get(slots.status)).toBe('active')
  })
})

test('on the first sync, each side of a record gets the values that only the other side has', () => {
  const { local, remote, conflicts } = mergeContents(
    { name: 'News', d_from_name: 'Ada', d_reply_to: null, d_speed: 1 },
    { name: 'News', d_from_name: null, d_reply_to: 'to@example.com', d_speed: 2 },
    null,
    both('local')
  )
  expect(local).toMatchObject({ d_reply_to: 'to@example.com' })
  expect(remote).toMatchObject({ d_from_name: 'Ada', d_speed: 1 })
  expect(conflicts).toMatchObject([{ field: 'd_speed', local: 1, remote: 2, keep: 'local' }])
})
