import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoredValues } from '../../src-main/api/custom-fields/rules.ts'
import { ValueMerger } from '../../src-main/imports/value-merger.ts'

const values: fc.Arbitrary<StoredValues> = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 12 }),
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b'), fc.nat({ max: 3 }), fc.boolean())
    )
  )
  .map((entries): StoredValues => Object.fromEntries(entries))

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }))

describe('ValueMerger', () => {
  it('keeps the values that a row does not overwrite, and writes those of the row', () => {
    fc.assert(
      fc.property(values, values, ids, ids, (before, row, fieldIds, overwrittenIds) => {
        const filled = Object.keys(row).map(Number)
        const merger = new ValueMerger([...fieldIds, ...overwrittenIds, ...filled], overwrittenIds)
        const kept = Object.entries(before).filter(([id]) => !overwrittenIds.includes(Number(id)))
        const expected = { ...Object.fromEntries(kept), ...row }

        const merged = merger.merge(JSON.stringify(before), JSON.stringify(row))

        expect(merged).toBe(JSON.stringify(expected))
      }),
      { numRuns: 3000 }
    )
  })

  it('returns the same text if no value differs, whatever the order of its keys', () => {
    const merger = new ValueMerger([1, 2], [1, 2])

    expect(merger.merge('{"2":"b","1":"a"}', '{"1":"a","2":"b"}')).toBe('{"2":"b","1":"a"}')
  })

  it('keeps the value of a deleted field', () => {
    const merger = new ValueMerger([1, 3], [1])

    expect(merger.merge('{"1":"a","2":"deleted","3":"x"}', '{"1":"b"}')).toBe(
      '{"1":"b","2":"deleted","3":"x"}'
    )
  })
})
