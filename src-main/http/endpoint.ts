import type { Static, TArray, TObject, TSchema } from 'typebox'
import type { BodyRules } from './json-body.ts'
import type { Access } from './access.ts'

/**
 * A call of the HTTP API as it is declared, once: the server serves it, the API reference describes it, and the window
 * calls it by the types of its schemas. Modules that declare endpoints hold no code of the server.
 */
export interface Endpoint {
  /** Who may call it. */
  access: Access
  /** What it does, for the API reference. */
  summary?: string
  /** What stands in its path. */
  params?: TObject
  query?: TObject
  body?: TSchema
  /** Its answer, with the envelope; without one it answers something else than JSON. */
  answer?: TSchema
  /** Largest body in bytes, where it is another than the server's. */
  bodyLimit?: number
  /** What its body may hold and how it arrives, where that is another than usual. */
  bodyRules?: Omit<BodyRules, 'limit'>
  /**
   * Whether a body that its schema refuses is checked by the command as well, so that the answer names all faults. For endpoints that do
   * nothing beside reading and one command.
   */
  joinsFaults?: boolean
  /** Whether a window may call it whose user has yet to agree to the terms. */
  beforeTerms?: boolean
}

/** How an endpoint is named: by its method and its path, such as "GET /mailing_lists/:mailing_list_id". */
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

/** What an endpoint's handler reads from a part of the request, by its schema. */
export type PartOf<Of extends Endpoint, Part extends 'params' | 'query' | 'body'> = Of[Part] extends TSchema
  ? Static<Of[Part]>
  : unknown

/** What a caller sends as a value of a schema: what has a default may be left out. */
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

/** What a caller sends with a call of an endpoint. */
export type GivenTo<Of extends Endpoint> = GivenPart<Of, 'params'> &
  GivenPart<Of, 'query'> &
  GivenPart<Of, 'body'>

type GivenPart<Of extends Endpoint, Part extends 'params' | 'query' | 'body'> = Of[Part] extends TSchema
  ? object extends Given<Of[Part]>
    ? { [Key in Part]?: Given<Of[Part]> }
    : { [Key in Part]: Given<Of[Part]> }
  : unknown

/** The answer of an endpoint, with its envelope. */
export type AnswerOf<Of extends Endpoint> = Of['answer'] extends TSchema ? Static<Of['answer']> : never
