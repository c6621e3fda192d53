import type { Static, TArray, TObject, TSchema } from 'typebox'
import type { BodyRules } from './json-body.ts'
import type { Access } from './access.ts'

/**
 * A call of the HTTP API as it is declared, once: the server serves it, the API reference describes it, and the window
 * calls it by the types of its schemas. Modules that declare endpoints hold no code of the server.
 */
export interface Endpoint {
  access: Access
  /** For the API reference. */
  summary?: string
  params?: TObject
  query?: TObject
  body?: TSchema
  /** Its answer, with the envelope; without one it answers something else than JSON. */
  answer?: TSchema
  /** Largest body in bytes, where it is another than the server's. */
  bodyLimit?: number
  /** Limits and form of the body, if they differ from the default. */
  bodyRules?: Omit<BodyRules, 'limit'>
  /**
   * True = a body that the schema refuses is also checked by the command, so that the answer names all
   * faults. For endpoints that only read and run one command.
   */
  joinsFaults?: boolean
  /** True if it works before the user agreed to the terms. */
  beforeTerms?: boolean
}

/** Method and path, such as "GET /mailing_lists/:mailing_list_id". */
export type EndpointName = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

export type Endpoints = Record<EndpointName, Endpoint>

/** The endpoints of one kind of record. */
export interface EndpointGroup<Of extends Endpoints = Endpoints> {
  /** Their heading in the API reference; null = they are not described there. */
  tag: string | null
  endpoints: Of
}

/** Refuses names and keys that mean nothing, which would be left out of the server without a word. */
type WellNamed<Of extends Endpoints> = {
  [Name in keyof Of]: Name extends EndpointName
    ? Record<Exclude<keyof Of[Name], keyof Endpoint>, never>
    : never
}

/** Declares the endpoints of one kind of record under their heading in the API reference. */
export function endpoints<const Of extends Endpoints>(
  tag: string,
  declared: Of & WellNamed<Of>
): EndpointGroup<Of> {
  return { tag, endpoints: declared }
}

/** Declares endpoints that the API reference leaves out: the window's own, and the links of messages. */
export function unlistedEndpoints<const Of extends Endpoints>(
  declared: Of & WellNamed<Of>
): EndpointGroup<Of> {
  return { tag: null, endpoints: declared }
}

/** The type of a part of the request after validation. */
export type PartOf<Of extends Endpoint, Part extends 'params' | 'query' | 'body'> = Of[Part] extends TSchema
  ? Static<Of[Part]>
  : unknown

/** The type of a value as the caller sends it: defaults may be left out. */
export type Given<Schema extends TSchema> =
  Schema extends TObject<infer Properties>
    ? {
        [Key in keyof Properties as MayBeLeftOut<Properties[Key]> extends true ? never : Key]: Given<
          Properties[Key]
        >
      } & {
        [Key in keyof Properties as MayBeLeftOut<Properties[Key]> extends true ? Key : never]?: Given<
          Properties[Key]
        >
      }
    : Schema extends TArray<infer Item>
      ? Given<Item>[]
      : Static<Schema>

type MayBeLeftOut<Schema> = Schema extends { '~optional': true } | { default: unknown } ? true : false

/** The arguments of a call to an endpoint. */
export type GivenTo<Of extends Endpoint> = GivenPart<Of, 'params'> &
  GivenPart<Of, 'query'> &
  GivenPart<Of, 'body'>

type GivenPart<Of extends Endpoint, Part extends 'params' | 'query' | 'body'> = Of[Part] extends TSchema
  ? object extends Given<Of[Part]>
    ? { [Key in Part]?: Given<Of[Part]> }
    : { [Key in Part]: Given<Of[Part]> }
  : unknown

export type AnswerOf<Of extends Endpoint> = Of['answer'] extends TSchema ? Static<Of['answer']> : never
