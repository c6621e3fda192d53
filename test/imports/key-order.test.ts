import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyOrder } from '../../src-main/imports/key-order.ts'
import { rowOrderFor } from '../../src-main/imports/plan.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

function ordered(keys: string[]): number[] {
  const bytes = keys.map((key) => Buffer.from(key))
  return [...keyOrder(keys.length, (row, index) => bytes[row]?.[index] ?? 0)]
}

it(`rows in the order of their keys are all there, and equal keys keep their order (SEED=${seed})`, () => {
  const key = fc.stringMatching(/^[ab]{0,12}[a-zé]{0,6}$/)
  fc.assert(
    fc.property(fc.array(key, { maxLength: 400 }), (keys) => {
      const order = ordered(keys)
      expect(order.toSorted((a, b) => a - b)).toEqual(keys.map((_, row) => row))
      const before = new Map<string, number>()
      for (const row of order) {
        const text = keys[row] ?? ''
        expect(row).toBeGreaterThan(before.get(text) ?? -1)
        before.set(text, row)
      }
    }),
    { seed }
  )
})

it('keys that begin alike are ordered as far as they differ', () => {
  const keys = Array.from({ length: 1000 }, (_, number) => `customer${(number * 7919) % 1000}@example.com`)
  const shown = ordered(keys).map((row) => keys[row] ?? '')
  const distance = shown.map((key, place) => Math.abs(place - keys.toSorted().indexOf(key)))
  expect(Math.max(...distance)).toBeLessThan(16)
})

it('keys that are alike in their first bytes are in order by those that follow, the first row too', () => {
  const keys = Array.from({ length: 400 }, (_, row) => `alike${String(399 - row).padStart(3, '0')}`)
  expect(ordered(keys)).toEqual(keys.map((_, row) => 399 - row))
})

it('more than 20,000 rows are written in key order, or in file order if there is a subscriber limit', () => {
  expect(rowOrderFor(20_000, Infinity)).toBe('file')
  expect(rowOrderFor(20_001, Infinity)).toBe('key')
  expect(rowOrderFor(20_001, 1_000_000)).toBe('file')
})
