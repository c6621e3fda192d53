import type {} from 'fastify'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Caller } from './caller.ts'
import type { BodyRules, LongTexts } from './json-body.ts'
import type { Access } from './access.ts'

/** What the routes work with. A module that serves others adds itself, by declaration merging. */
export interface ApplicationContext {
  /** Reads only; indexed queries that answer at once. */
  reader: Kysely<Schema>
  writer: Writer
  dataDirectory: string
}

declare module 'fastify' {
  interface FastifyInstance {
    context: ApplicationContext
  }
  interface FastifyRequest {
    /** Set for every route that is not public. */
    caller: Caller
    /** What its body held that arrives as bytes; none for a request without a body. */
    longTexts?: LongTexts
  }
  interface FastifyContextConfig {
    /** Who may use the route; one for everybody, such as the window's own files, is "public". */
    access?: Access
    /** Whether a window may call it whose user has yet to agree to the terms. */
    beforeTerms?: boolean
    /** How its bodies are read. */
    body?: Omit<BodyRules, 'limit'>
  }
}
