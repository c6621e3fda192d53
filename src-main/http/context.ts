import type {} from 'fastify'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Caller } from './caller.ts'
import type { BodyRules, LongTexts } from './json-body.ts'
import type { Access } from './access.ts'

/** The services that routes use. A module that offers one adds itself by declaration merging. */
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
    /** Texts of the body that arrive as bytes; undefined without a body. */
    longTexts?: LongTexts
  }
  interface FastifyContextConfig {
    /** "public" for routes that everyone may use, such as the window's files. */
    access?: Access
    /** True if it works before the user agreed to the terms. */
    beforeTerms?: boolean
    /** How its bodies are read. */
    body?: Omit<BodyRules, 'limit'>
  }
}
