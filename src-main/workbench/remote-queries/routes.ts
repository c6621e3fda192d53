import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import { databaseConnectionById, targetOf } from '../../api/database-connections/queries.ts'
import { remoteListById } from '../../api/remote-lists/queries.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { serveEndpoints } from '../../http/serve.ts'
import type { QueryQuestion } from '../../remote-lists/query.ts'
import { type EarlierQuery, remoteQueryEndpoints, type QueryResult } from './endpoints.ts'

/** A preview has to answer while a user waits, in milliseconds. */
const previewTimeLimit = 60_000

export const remoteQueryRoutes = serveEndpoints(
  remoteQueryEndpoints,
  ({ reader, credentials, remoteQueries }) => {
    async function run(
      ask: QueryQuestion['ask'],
      { organizationId, listId, query }: { organizationId: number; listId: number; query: string },
      reply: FastifyReply
    ): Promise<QueryResult> {
      const { database_connection_id } = await remoteListById(reader, organizationId, listId)
      const connection = await databaseConnectionById(reader, database_connection_id)
      const target = await targetOf(connection, credentials)
      const signal = signalOf(reply)
      const longest = connection.time_limit * 1000
      const timeLimit = ask === 'preview' ? Math.min(previewTimeLimit, longest) : longest
      const { isComplete, rows, ...found } = await remoteQueries.run(
        { ask, target, query, timeLimit },
        signal
      )
      return { ...found, is_complete: isComplete, rows: rows.map((row) => [...row]) }
    }

    return {
      'POST /mailing_lists/:mailing_list_id/query_previews': async ({ caller, params, body }, reply) => {
        const asked = { organizationId: caller.organizationId, listId: params.mailing_list_id, ...body }
        return ok(await run('preview', asked, reply))
      },

      'POST /mailing_lists/:mailing_list_id/query_checks': async ({ caller, params, body }, reply) => {
        const asked = { organizationId: caller.organizationId, listId: params.mailing_list_id, ...body }
        return ok(await run('check', asked, reply))
      },

      'GET /mailing_lists/:mailing_list_id/queries': async ({ caller, params }) => {
        const { id } = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
        return ok(await queriesOf(reader, id))
      }
    }
  }
)

/** Campaigns whose queries are offered again. */
const mostCampaigns = 50

async function queriesOf(db: Kysely<Schema>, mailingListId: number): Promise<EarlierQuery[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select(['id as campaign_id', 'name', 'remote_sql'])
    .where('mailing_list_id', '=', mailingListId)
    .where('deleted_at', 'is', null)
    .where('remote_sql', 'is not', null)
    .orderBy('id', 'desc')
    .limit(mostCampaigns)
    .execute()
  const known = new Set<string>()
  return rows.flatMap(({ remote_sql, ...campaign }) => {
    const query = remote_sql?.trim() ?? ''
    if (query === '' || known.has(query)) return []
    known.add(query)
    return [{ ...campaign, query }]
  })
}
