import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { serializerCompiler } from '../../src-main/http/serialization.ts'
import { Nullable, Timestamp } from '../../src-main/http/schema.ts'

const Answer = Type.Object({
  text: Nullable(Type.String()),
  count: Nullable(Type.Integer()),
  at: Nullable(Timestamp),
  kind: Nullable(Type.Enum(['a', 'b'])),
  reference: Nullable(Type.Object({ id: Type.Integer() })),
  items: Nullable(Type.Array(Nullable(Type.String()))),
  hash: Nullable(Type.Record(Type.String(), Type.Integer()))
})
const write = serializerCompiler({ schema: Answer, method: 'GET', url: '/' })

const full = {
  text: 'null',
  count: 0,
  at: '2026-01-31T10:00:00Z',
  kind: 'a',
  reference: { id: 7 },
  items: ['', null],
  hash: { '5.1.1': 3 }
}
const empty = Object.fromEntries(Object.keys(full).map((key) => [key, null]))

test('a value that may be null is written correctly', () => {
  expect(JSON.parse(write(full))).toEqual(full)
  expect(JSON.parse(write(empty))).toEqual(empty)
})

test('a key that the schema does not have is not written', () => {
  const reference = { id: 7, secret: 'x' }
  expect(JSON.parse(write({ ...empty, reference }))).toEqual({ ...empty, reference: { id: 7 } })
})
