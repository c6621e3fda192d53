import { expect, it } from 'vitest'
import { freeBlocks, PackedRows } from '../../src-main/imports/packed-rows.ts'

const block = 1024 * 1024

function keyOf(rows: PackedRows, row: number): number[] {
  return Array.from({ length: 5 }, (_, index) => rows.byteOfKey(row, index))
}

it('rows are kept as they were, one by one and together', () => {
  const rows = new PackedRows(freeBlocks(block), 4)
  for (const text of ['a@b\nfirst', 'é\n😀', '', 'c']) rows.add(text)
  expect([0, 1, 2, 3].map((row) => rows.text(row))).toEqual(['a@b\nfirst', 'é\n😀', '', 'c'])
  expect([0, 1, 2, 3].map((row) => rows.bytesOf(row))).toEqual([9, 7, 0, 1])
  expect(rows.count).toBe(4)
  expect(rows.bytes).toBe(17)
  expect(Buffer.from(rows.join(Uint32Array.of(3, 1, 0))).toString()).toBe('cé\n😀a@b\nfirst')
  expect(keyOf(rows, 0)).toEqual([...Buffer.from('a@b'), 0, ...Buffer.from('f')])
  expect(keyOf(rows, 1).slice(0, 3)).toEqual([...Buffer.from('é'), 0])
})

it('blocks are taken from the pool while it has some, and go back to it', () => {
  const pool = freeBlocks(3 * block)
  expect(pool.map((each) => each.length)).toEqual([block, block, block])
  const rows = new PackedRows(pool, 100)
  // A character may take three bytes: for a third of a block's characters, a whole block must be free.
  const third = 'x'.repeat(Math.floor(block / 3))
  rows.add(third)
  expect(pool).toHaveLength(2)
  rows.add('y')
  rows.add(third)
  expect(pool).toHaveLength(1)
  // This one may need more than a block, and gets one of its own.
  rows.add(`${third}xx`)
  expect(pool).toHaveLength(1)
  expect([0, 1, 2, 3].map((row) => rows.bytesOf(row))).toEqual([
    third.length,
    1,
    third.length,
    third.length + 2
  ])
  expect(rows.text(3)).toBe(`${third}xx`)
  rows.clear()
  expect(rows.count).toBe(0)
  expect(pool).toHaveLength(3)
  rows.add('again')
  expect(rows.text(0)).toBe('again')
})

it('rows find room when the pool is empty', () => {
  const pool: Buffer[] = []
  const rows = new PackedRows(pool, 2)
  rows.add('a')
  rows.add('b')
  expect(rows.text(1)).toBe('b')
  rows.clear()
  expect(pool).toHaveLength(1)
})
