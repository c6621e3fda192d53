import type {} from 'fastify'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { ContentWriter } from '../delivery/content-writer.ts'
import type { DryRuns } from '../imports/dry-runs.ts'
import type { ListRekeyer } from '../jobs/list-rekeyer.ts'
import type { SuppressionRequests } from '../jobs/suppression-requests.ts'
import type { SegmentReader } from '../segments/segment-reader.ts'
import type { Caller } from './accounts/queries.ts'
import type { KeyUses, SignIn } from './authentication.ts'
import type { Access } from './permissions.ts'
import type { Passwords } from './users/passwords.ts'

/** What the routes work with. */
export interface ApplicationContext {
  /** Reads only; indexed queries that answer at once. */
  reader: Kysely<Schema>
  writer: Writer
  dryRuns: DryRuns
  rekeyer: ListRekeyer
  suppressionRequests: SuppressionRequests
  segments: SegmentReader
  contents: ContentWriter
  signIn: SignIn
  keyUses: KeyUses
  passwords: Passwords
  dataDirectory: string
}

declare module 'fastify' {
  interface FastifyInstance {
    context: ApplicationContext
  }
  interface FastifyRequest {
    /** Set for every route that is not public. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Who may use the route; one for everybody, such as the window's own files, is "public". */
    access?: Access
    /** Whether a window may call it whose user has yet to agree to the terms. */
    beforeTerms?: boolean
  }
}
