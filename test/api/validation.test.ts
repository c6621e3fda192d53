import { type TSchema, Type } from 'typebox'
import { expect, it } from 'vitest'
import { ApiError } from '../../src-main/base/errors.ts'
import { choices, Filled, Nullable, spellings, wrapped } from '../../src-main/http/schema.ts'
import { validatorCompiler } from '../../src-main/http/validation.ts'

function read(schema: TSchema, input: unknown, httpPart = 'body'): unknown {
  const check = validatorCompiler({ schema, httpPart, method: 'POST', url: '/' })
  const { value, error } = check(input) as { value?: unknown; error?: Error }
  return error instanceof ApiError ? error.message : value
}

const body = Type.Object({
  name: Filled({ maxLength: 3 }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  large: Type.Optional(Type.Integer()),
  on: Type.Optional(Type.Boolean()),
  note: Type.Optional(Nullable(Type.String())),
  zone: Type.Optional(Type.String({ [spellings]: { comma: ',' } })),
  kind: Type.Optional(Type.Enum(['a', 'b'])),
  choice: Type.Optional(Nullable(Type.Enum(['a', 'b']))),
  either: Type.Optional(Type.Union([Type.Integer({ minimum: 5 }), Type.String({ minLength: 2 })])),
  level: Type.Optional(Type.String({ pattern: '^[12]$', [choices]: ['1', '2'] })),
  digits: Type.Optional(Type.String({ pattern: '^\\d+$' })),
  tags: Type.Optional(Type.Array(Type.Boolean(), { minItems: 1, maxItems: 2 })),
  keys: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { maxProperties: 1 })),
  any: Type.Optional(Type.Unknown()),
  inner: Type.Optional(Type.Object({ x: Type.Integer() }))
})

it.each<[string, unknown, unknown]>([
  ['keys that it does not know', { name: 'a', other: 1 }, { name: 'a' }],
  ['nulls of keys that have no null', { name: 'a', count: null }, { name: 'a' }],
  ['a null that is a value', { name: 'a', note: null }, { name: 'a', note: null }],
  ['a null where anything may stand', { name: 'a', any: null }, { name: 'a', any: null }],
  ['true in other spellings', { name: 'a', tags: [1, 'true'] }, { name: 'a', tags: [true, true] }],
  ['one as a text', { name: 'a', on: '1' }, { name: 'a', on: true }],
  ['false in other spellings', { name: 'a', tags: [0, 'false'] }, { name: 'a', tags: [false, false] }],
  ['zero as a text', { name: 'a', on: '0' }, { name: 'a', on: false }],
  ['digits of a number', { name: 'a', large: '-12' }, { name: 'a', large: -12 }],
  ['a word for a value', { name: 'a', zone: 'Comma' }, { name: 'a', zone: ',' }],
  ['a value that has a word', { name: 'a', zone: 'x' }, { name: 'a', zone: 'x' }],
  ['an empty array for an object', { name: 'a', keys: [] }, { name: 'a', keys: {} }],
  ['a key such as __proto__', JSON.parse('{"name":"a","keys":{"__proto__":1}}'), undefined],
  ['numbers that are their bounds', { name: 'abc', count: 9 }, { name: 'abc', count: 9 }],
  ['the largest integer', { name: 'a', large: 2 ** 53 - 1 }, { name: 'a', large: 2 ** 53 - 1 }]
])('a body may hold %s', (_, input, value) => {
  expect(read(body, input)).toEqual(value ?? input)
})

it.each<[unknown, string]>([
  [[], 'the request body must be a JSON object'],
  [null, 'the request body must be a JSON object'],
  ['text', 'the request body must be a JSON object'],
  [{}, 'name cannot be blank'],
  [{ name: '' }, 'name cannot be blank'],
  [{ name: ' ' }, 'name cannot be blank'],
  [{ name: 'abcd' }, 'name must be at most 3 characters'],
  [{ name: 1 }, 'name must be a string'],
  [{ name: 'a', count: 0 }, 'count must be at least 1'],
  [{ name: 'a', count: 10 }, 'count must be at most 9'],
  [{ name: 'a', count: 'x' }, 'count must be an integer'],
  [{ name: 'a', large: '1234567890123456' }, 'large must be an integer'],
  [{ name: 'a', large: 2 ** 53 }, 'large must be at most 9007199254740991'],
  [{ name: 'a', large: -(2 ** 53) }, 'large must be at least -9007199254740991'],
  [{ name: 'a', on: 2 }, 'on must be a boolean'],
  [{ name: 'a', note: 1 }, 'note must be a string or null'],
  [{ name: 'a', kind: 'c' }, 'kind must be one of a, b'],
  [{ name: 'a', choice: 'c' }, 'choice must be one of a, b'],
  [{ name: 'a', either: 4 }, 'either must be at least 5'],
  [{ name: 'a', either: 'x' }, 'either cannot be blank'],
  [{ name: 'a', either: true }, 'either must be an integer or a string'],
  [{ name: 'a', level: '3' }, 'level must be one of 1, 2'],
  [{ name: 'a', digits: 'x' }, 'digits is not in the right form'],
  [{ name: 'a', digits: '' }, 'digits cannot be blank'],
  [{ name: 'a', digits: ' ' }, 'digits cannot be blank'],
  [{ name: 'a', tags: [] }, 'tags must have at least 1 entries'],
  [{ name: 'a', tags: [true, true, true] }, 'tags must have at most 2 entries'],
  [{ name: 'a', tags: [true, 2] }, 'tags.1 must be a boolean'],
  [{ name: 'a', keys: { a: 1, b: 2 } }, 'keys must have at most 1 entries'],
  [{ name: 'a', inner: {} }, 'inner.x cannot be blank'],
  [{ name: 'a', inner: 1 }, 'inner must be an object'],
  [{ count: 0, on: 2 }, 'name cannot be blank, count must be at least 1, on must be a boolean']
])('the body %j is refused: %s', (input, sentence) => {
  expect(read(body, input)).toBe(sentence)
})

it('a large body is refused for its first fault alone', () => {
  const large = Type.Object({ list: Type.Array(Type.Integer()) })
  // With the array and the object that holds it: a thousand values, and one fewer.
  expect(read(large, { list: Array.from({ length: 998 }, () => 'x') })).toBe('list.0 must be an integer')
  expect(read(large, { list: Array.from({ length: 997 }, () => 'x') })).toContain('and 972 more')
  const nested = { list: Array.from({ length: 500 }, () => ['x', 'y', 'z']) }
  expect(read(large, nested)).toBe('list.0 must be an integer')
})

it('a body may omit its wrapping key, which faults do not name', () => {
  const schema = wrapped('thing', Type.Object({ name: Filled() }))
  expect(read(schema, { name: 'a' })).toEqual({ thing: { name: 'a' } })
  expect(read(schema, { thing: { name: 'a' } })).toEqual({ thing: { name: 'a' } })
  expect(read(schema, { thing: { name: '' } })).toBe('name cannot be blank')
  expect(read(schema, { thing: 7 })).toBe('thing must be an object')
})

it('parameters are read from their texts, and a blank one is left out', () => {
  const query = Type.Object({
    page: Type.Integer({ minimum: 1, default: 1 }),
    all: Type.Optional(Type.Boolean())
  })
  expect(read(query, { page: '2', all: 'true' }, 'querystring')).toEqual({ page: 2, all: true })
  expect(read(query, { page: '' }, 'querystring')).toEqual({ page: 1 })
  expect(read(query, { page: '0', all: 'x' }, 'querystring')).toBe(
    'page must be at least 1, all must be a boolean'
  )
  expect(read(query, { page: '9007199254740993' }, 'querystring')).toBe(
    'page must be at most 9007199254740991'
  )
})

it('a path may contain any number, which is then not found', () => {
  const path = Type.Object({ id: Type.Integer({ minimum: 1 }) })
  expect(read(path, { id: '90071992547409930' }, 'params')).toEqual({ id: 90071992547409930 })
  expect(read(path, { id: '0' }, 'params')).toBe('id must be at least 1')
})
