import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import type { Refusal } from '../base/refusal.ts'

// Building blocks of the schemas that stand beside the routes.

/** A value that may be null where null is a value of its own. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** A value that a request may leave out: it is read as its default then. */
export type Defaulted<Schema extends TSchema> = Schema & { default: Static<Schema> }

/** Gives a schema a default. For an object, {} stands for the defaults of its properties. */
export function withDefault<Schema extends TSchema>(
  schema: Schema,
  value: Static<Schema> | Record<string, never>
): Defaulted<Schema> {
  return Object.assign(schema, { default: value as Static<Schema> })
}

/** A text that must not be blank. */
export function Filled(options: { maxLength?: number } = {}) {
  return Type.String({ minLength: 1, pattern: '\\S', ...options })
}

/** An ISO 8601 time in an answer. */
export const Timestamp = Type.String({ format: 'date-time' })

/** A time in a request: ISO 8601, or UNIX seconds as a number or digits. */
export const TimeInput = Type.Union([Type.Integer(), Type.String()])

/** A refusal as data, for the window, which words it in its language. */
export const Fault = Type.Unsafe<Refusal>({})

/** Marks a property of an answer that only the window gets: programs get what the API's documentation says. */
export const windowOnly = 'x-window-only'

/** {@link Fault} beside the error_message of a resource of the API. */
export const WindowFault = Type.Optional(Type.Unsafe<Refusal | null>({ [windowOnly]: true }))

/** The values that a pattern takes, for the sentence that refuses others. */
export const choices = 'x-choices'

/** Other spellings of a value that clients in use send, in lower case -> the value. */
export const spellings = 'x-spellings'

/** The wrapping key of a resource's request body. */
export const wrappingKey = 'x-wrapping-key'

/**
 * A request body under its wrapping key. A body that holds the resource's own keys without it is read as if wrapped
 * (docs/api.md, "Requests and answers").
 */
export function wrapped<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return wrappedBeside(key, schema, {})
}

/** Like {@link wrapped}, with further keys beside the wrapping one. */
export function wrappedBeside<Key extends string, Schema extends TSchema, Beside extends TProperties>(
  key: Key,
  schema: Schema,
  beside: Beside
) {
  const properties = { ...beside, [key]: schema } as Record<Key, Schema> & Beside
  return Type.Object(properties, { [wrappingKey]: key })
}

export const MailingListParams = Type.Object({ mailing_list_id: Type.Integer({ minimum: 1 }) })
export type MailingListParams = Static<typeof MailingListParams>

/** The `:id` of a path. */
export const IdParams = Type.Object({ id: Type.Integer({ minimum: 1 }) })

export const IdInListParams = Type.Object({ ...MailingListParams.properties, ...IdParams.properties })

export const OrganizationParams = Type.Object({ organization_id: Type.Integer({ minimum: 1 }) })

export const Reference = Type.Object({ id: Type.Integer(), name: Type.String() })
