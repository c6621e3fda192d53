import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { windowOnly } from './schema.ts'

/**
 * Compiles the schema of a route's answer, when it is first needed, into its writer, which writes the keys of the schema
 * and no other. Hashes with free keys, such as custom_fields, have no such keys: they are left to JSON.stringify, which
 * takes a third of the time.
 */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) =>
  serializerOf(() => withoutWindowOnly(schema))

/** Returns the writer of an answer to the window, or null if the window gets the same one as programs. */
export function windowSerializer(schema: TSchema): ((answer: unknown) => string) | null {
  return JSON.stringify(schema).includes(`"${windowOnly}"`) ? serializerOf(() => schema) : null
}

function serializerOf(schema: () => unknown): (answer: unknown) => string {
  let write: ((answer: unknown) => string) | undefined
  return (answer) => {
    write ??= fastJsonStringify(forWriting(schema()) as Schema)
    return write(answer)
  }
}

/** Returns a schema without the properties that only the window gets. */
export function withoutWindowOnly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWindowOnly)
  if (!isHash(schema)) return schema
  const entries = Object.entries(schema).filter(([, value]) => !(isHash(value) && windowOnly in value))
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutWindowOnly(value)]))
}

function forWriting(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forWriting)
  if (!isHash(schema)) return schema
  if ('patternProperties' in schema || 'enum' in schema) return {}
  const nullable = nullableOf(schema)
  if (!nullable) {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, forWriting(value)]))
  }
  const written = forWriting(nullable) as object
  // Schemas without a type are written by JSON.stringify, which handles null already.
  return 'type' in written ? { ...written, nullable: true } : {}
}

/**
 * Returns the other side of a union with null. Writing a union validates the value against each side with a
 * validator compiled on first use, which delayed the first caller by 40 ms.
 */
function nullableOf({ anyOf }: Record<string, unknown>): Record<string, unknown> | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [schema, other] = anyOf as unknown[]
  return isHash(other) && other.type === 'null' && isHash(schema) && !('anyOf' in schema) ? schema : null
}

function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
