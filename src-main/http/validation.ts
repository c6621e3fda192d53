import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { ApiError, Faults, validationFailed } from '../base/errors.ts'
import { type Complaint, complaint, type Refusal, refusal, refusalAt } from '../base/refusal.ts'
import { choices, spellings, wrappingKey } from './schema.ts'

interface JsonSchema {
  type?: string
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  patternProperties?: Record<string, JsonSchema>
  minimum?: number
  maximum?: number
  [wrappingKey]?: string
  [spellings]?: Record<string, string>
}

const common = {
  verbose: true,
  strict: false,
  useDefaults: true,
  validateFormats: false,
  // Checks are compiled while a request waits, so unneeded work is turned off. The types ensure that the
  // schemas are valid.
  meta: false,
  validateSchema: false,
  code: { optimize: false }
}
/** Stop at the first fault: a large input that is wrong throughout takes no longer than one that is right. */
const first = { body: new Ajv(common), parameters: new Ajv({ ...common, coerceTypes: true }) }
/** Find all faults, of inputs that are not large. */
const all = {
  body: new Ajv({ ...common, allErrors: true }),
  parameters: new Ajv({ ...common, allErrors: true, coerceTypes: true })
}
const maxValues = 1000

/**
 * Compiles a route's schema into its check. Bodies are first read the way clients in use write them
 * (docs/api.md, "Requests and answers": missing wrapping key, null for an optional key, spellings of booleans); faults become one sentence each.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = httpPart === 'body' ? 'body' : 'parameters'
  const json = schema as JsonSchema
  // Ids in a path are not range-checked: an id that does not exist is "not found", however large it is.
  const compiled = (checks: typeof first): ValidateFunction =>
    checks[part].compile(httpPart === 'params' ? json : withinIntegers(json))
  // Compiled at the first use: most routes are not used on a given day.
  let check: ValidateFunction | undefined
  let checkAll: ValidateFunction | undefined
  return (input: unknown) => {
    if (typeof input === 'object' && input !== null && checkedBodies.has(input)) return { value: input }
    const value = part === 'body' ? readBody(json, input) : tolerant(json, withoutBlanks(input))
    if (value instanceof ApiError) return { error: value }
    check ??= compiled(first)
    if (check(value)) return { value }
    let { errors } = check
    if (countValues(value, maxValues) < maxValues) {
      checkAll ??= compiled(all)
      checkAll(value)
      errors = checkAll.errors ?? errors
    }
    const faults = new Faults()
    for (const each of refusalsOf(errors ?? [], json[wrappingKey])) faults.add(each)
    const error = faults.refusal ?? validationFailed(refusal('request_not_valid'))
    if (part === 'body') usableParts.set(error, withoutFaulty(value, errors ?? []))
    return { error }
  }
}

const usableParts = new WeakMap<Error, unknown>()

/** Returns the valid part of a body refused by {@link validatorCompiler}; undefined for any other error. */
export function usablePartOf(refusal: Error): unknown {
  return usableParts.get(refusal)
}

function withoutFaulty(body: unknown, errors: ErrorObject[]): unknown {
  const usable = structuredClone(body)
  for (const { instancePath, keyword } of errors) {
    // A missing property has no value to remove.
    if (keyword === 'required') continue
    const path = instancePath.split('/').slice(1).map(unescapedKey)
    const last = path.pop()
    let parent: unknown = usable
    for (const key of path) parent = isRecord(parent) ? parent[key] : undefined
    if (last !== undefined && isRecord(parent)) delete parent[last]
  }
  return usable
}

/** A key of a JSON Pointer as it is in the body (RFC 6901, section 4). */
function unescapedKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

const checkedBodies = new WeakSet<object>()

/** Marks a body that {@link checkBody} validated in a thread. */
export function markChecked(body: unknown): void {
  if (typeof body === 'object' && body !== null) checkedBodies.add(body)
}

/**
 * Checks a body against the schema of its route, and reads it as the route would, in any thread.
 * @returns the body, or why it is refused and whether the request as a whole is not what it must be
 */
export function checkBody(
  schema: unknown,
  body: unknown
): { value: unknown } | { refusals: readonly Refusal[]; isRequest: boolean } {
  const check = validatorCompiler({ schema: schema as TSchema, method: 'POST', url: '', httpPart: 'body' })
  const checked = check(body) as { value: unknown } | { error: ApiError }
  if ('value' in checked) return checked
  const { code, refusals } = checked.error
  return { refusals, isRequest: code === 'invalid_request' }
}

function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    if (count >= most) return most
    count += countValues(inner, most - count)
  }
  return count
}

function withinIntegers<Part>(schema: Part): Part {
  if (Array.isArray(schema)) return schema.map(withinIntegers) as Part
  if (!isRecord(schema)) return schema
  const bounded = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withinIntegers(value)])
  )
  if (bounded['type'] === 'integer') {
    bounded['minimum'] ??= Number.MIN_SAFE_INTEGER
    bounded['maximum'] ??= Number.MAX_SAFE_INTEGER
  }
  return bounded as Part
}

function readBody(schema: JsonSchema, input: unknown): unknown {
  if (!isRecord(input)) {
    return new ApiError('invalid_request', refusal('body_not_object'))
  }
  const key = schema[wrappingKey]
  const body = key && !(key in input) ? { ...input, [key]: input } : input
  return tolerant(schema, body)
}

/**
 * Drops keys that the schema does not know and nulls that stand for absent keys, and reads what clients in use write in
 * place of booleans, of numbers and of an object without keys (docs/api.md, "Requests and answers").
 */
function tolerant(schema: JsonSchema, value: unknown): unknown {
  if (schema.type === 'boolean') return readBoolean(value)
  if (schema.type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
    return Number(value)
  const spelled = schema[spellings]
  if (spelled && typeof value === 'string') {
    const spelling = value.toLowerCase()
    return Object.hasOwn(spelled, spelling) ? spelled[spelling] : value
  }
  if (schema.anyOf) {
    const [only, ...others] = schema.anyOf.filter((option) => option.type !== 'null')
    return only && others.length === 0 && value !== null ? tolerant(only, value) : value
  }
  if (Array.isArray(value) && schema.items) {
    const { items } = schema
    return value.map((item) => tolerant(items, item))
  }
  return schema.type === 'object' ? tolerantObject(schema, value) : value
}

function tolerantObject(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return {}
  if (!isRecord(value)) return value
  const [free] = Object.values(schema.patternProperties ?? {})
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const property =
      schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : free
    if (!property || (inner === null && !allowsNull(property))) return []
    return [[key, tolerant(property, inner)]]
  })
  // Unlike an assignment, this keeps a key such as __proto__ a key.
  return Object.fromEntries(entries)
}

function readBoolean(value: unknown): unknown {
  if (value === 1 || value === '1' || value === 'true') return true
  if (value === 0 || value === '0' || value === 'false') return false
  return value
}

function allowsNull(schema: JsonSchema): boolean {
  if (schema.type === 'null') return true
  if (schema.anyOf) return schema.anyOf.some(allowsNull)
  // A schema without a type accepts every value, also null.
  return schema.type === undefined && schema.enum === undefined
}

/** A blank query parameter is one left out (docs/api.md, "Requests and answers"). */
function withoutBlanks(input: unknown): unknown {
  if (!isRecord(input)) return input
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refusalsOf(errors: ErrorObject[], key: string | undefined): Refusal[] {
  const byField = new Map<string, Refusal>()
  const hidden = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .flatMap((union) => lessTelling(union, errors))
  for (const error of errors) {
    if (hidden.includes(error)) continue
    const field = fieldName(error, key)
    if (!byField.has(field)) byField.set(field, refusalAt(field, complaintOf(error)))
  }
  return [...byField.values()]
}

/**
 * Returns the errors of a union to leave out. If an alternative matches the value's type, its error is more
 * precise and stays; otherwise only the union's error stays.
 */
function lessTelling(union: ErrorObject, errors: ErrorObject[]): ErrorObject[] {
  const ofAlternatives = errors.filter(
    ({ schemaPath }) => schemaPath !== union.schemaPath && schemaPath.startsWith(union.schemaPath)
  )
  const isOfOtherType = ({ keyword, instancePath }: ErrorObject): boolean =>
    ['type', 'enum'].includes(keyword) && instancePath === union.instancePath
  const others = ofAlternatives.filter(isOfOtherType)
  return others.length === ofAlternatives.length ? others : [union, ...others]
}

function fieldName(error: ErrorObject, key: string | undefined): string {
  const path = error.instancePath.split('/').slice(1)
  if (error.keyword === 'required') path.push(String(error.params['missingProperty']))
  if (path.length > 1 && path[0] === key) path.shift()
  return path.join('.') || 'the request'
}

function complaintOf(error: ErrorObject): Complaint {
  const params = error.params as Record<string, unknown>
  const limit = String(params['limit'])
  switch (error.keyword) {
    case 'required':
    case 'minLength':
      return complaint('blank')
    case 'pattern': {
      const { [choices]: values } = error.parentSchema as { [choices]?: readonly string[] }
      if (values) return complaint('one_of', { values })
      return error.data === '' || /^\s*$/.test(String(error.data)) ? complaint('blank') : complaint('form')
    }
    case 'enum':
      return complaint('one_of', { values: (params['allowedValues'] as unknown[]).map(String) })
    case 'type':
      return complaint('type', { type: withArticle(String(params['type'])) })
    case 'anyOf':
      return alternatives(error.schema as JsonSchema[])
    case 'minimum':
      return complaint('minimum', { least: limit })
    case 'maximum':
      return complaint('maximum', { most: limit })
    case 'maxLength':
      return complaint('maximum_length', { most: limit })
    case 'minItems':
      return complaint('minimum_entries', { least: limit })
    case 'maxItems':
    case 'maxProperties':
      return complaint('maximum_entries', { most: limit })
    default:
      return complaint('schema', { fault: error.message ?? 'is not valid' })
  }
}

function alternatives(options: JsonSchema[]): Complaint {
  const choice = options.find((option) => option.enum)
  if (choice) return complaint('one_of', { values: (choice.enum ?? []).map(String) })
  const names = options.flatMap((option) => (option.type ? [withArticle(option.type)] : []))
  return complaint('type', { type: names.length > 0 ? names.join(' or ') : 'of another form' })
}

function withArticle(type: string): string {
  if (type === 'null') return 'null'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
