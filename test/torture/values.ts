export type Random = () => number

export function someOf<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const hostile: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 63,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u0007',
  'a'.repeat(5000),
  '😀'.repeat(300),
  "' OR 1=1 --",
  '%00../../etc/passwd',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}%s%n',
  '__proto__',
  'constructor',
  '9999-99-99T99:99:99Z',
  '0000-01-01',
  '-1',
  'NaN',
  '1e5',
  [],
  [[]],
  [null],
  {},
  { __proto__: null, constructor: { prototype: 1 } },
  { length: 1e9 }
]

const texts = [
  'One',
  'City',
  'active',
  'unsubscribed',
  'p1@example.com',
  'new@example.org',
  '2026-01-02T03:04:05Z',
  '2026-01-02',
  '12-31',
  'Europe/Oslo',
  'http://127.0.0.1:1/file.csv',
  'email\na@example.com\n',
  'Oslo',
  'utf-8',
  'now',
  '1',
  '1,2,3'
]

interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
}

/** A value of a schema, mostly; somewhere in it may be something else. */
export function valueOf(of: unknown, random: Random, depth = 0): unknown {
  const schema = (of ?? {}) as Schema
  if (random() < 0.06) return someOf(hostile, random)
  if ('const' in schema) return schema.const
  if (schema.enum) return someOf(schema.enum, random)
  const choices = schema.anyOf ?? schema.allOf
  if (choices && choices.length > 0) return valueOf(someOf(choices, random), random, depth)
  const type = Array.isArray(schema.type) ? someOf(schema.type, random) : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, random, depth)
    case 'array':
      return Array.from({ length: Math.floor(random() * (depth > 4 ? 1 : 4)) }, () =>
        valueOf(schema.items, random, depth + 1)
      )
    case 'integer':
    case 'number':
      return random() < 0.8 ? 1 + Math.floor(random() * 5) : Math.floor((random() - 0.5) * 1e12)
    case 'boolean':
      return random() < 0.5
    case 'null':
      return null
    case 'string':
      return someOf(texts, random)
    default:
      return someOf([...texts, 1, true, null, { City: 'Oslo' }, ['a']], random)
  }
}

function objectOf(schema: Schema, random: Random, depth: number): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const isLikely = schema.required?.includes(name) ?? false
    if (random() < (isLikely ? 0.96 : depth > 5 ? 0.1 : 0.5)) value[name] = valueOf(each, random, depth + 1)
  }
  const others = schema.patternProperties
    ? Object.values(schema.patternProperties)[0]
    : typeof schema.additionalProperties === 'object'
      ? schema.additionalProperties
      : undefined
  if (others)
    for (const name of ['City', 'Born', '1'])
      if (random() < 0.5) value[name] = valueOf(others, random, depth + 1)
  if (random() < 0.05) value[textOfKey(random)] = someOf(hostile, random)
  return value
}

function textOfKey(random: Random): string {
  const key = someOf(hostile, random)
  return typeof key === 'string' ? key.slice(0, 100) : JSON.stringify(key)
}
