import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { envelope, ok } from '../http/envelope.ts'
import { localListById, mailingListById, mailingListsOf } from '../api/mailing-lists/queries.ts'
import { IdParams, MailingListParams } from '../http/schema.ts'
import { readCheckedClause } from '../api/segments/commands.ts'
import { clauseOf, requireListsOf, segmentsReferringTo, storedSegmentById } from '../api/segments/queries.ts'
import { ClauseInput } from '../api/segments/schema.ts'
import { StatusCounts } from '../api/subscriber-counts/schema.ts'
import { Faults } from '../base/errors.ts'

const ReferringSegment = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  mailing_list_name: Type.String()
})
/** A segment of another list that has a condition on this one, and cannot be used any more once it is deleted. */
export type ReferringSegment = Static<typeof ReferringSegment>

/** How many are in a segment, by status: of a stored one, and of one that is being written. */
export const segmentCountRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, segments } = app.context

  app.get(
    '/segments/:id/counts',
    {
      config: { access: 'signed_in' },
      schema: { hide: true, params: IdParams, response: { 200: envelope(StatusCounts) } }
    },
    async ({ caller, params }) => {
      const row = await storedSegmentById(reader, caller.organizationId, params.id)
      const clause = clauseOf(row)
      await requireListsOf(reader, clause)
      return ok(await segments.count({ mailingListId: row.mailing_list_id, clause }))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/referring_segments',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        params: MailingListParams,
        response: { 200: envelope(Type.Array(ReferringSegment)) }
      }
    },
    async ({ caller, params }) => {
      const { id } = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const rows = await segmentsReferringTo(reader, caller.organizationId, id)
      const lists = new Map(
        (await mailingListsOf(reader, caller.organizationId)).map((list) => [list.id, list.name])
      )
      return ok(
        rows.map((row) => ({
          id: row.id,
          name: row.name,
          mailing_list_name: lists.get(row.mailing_list_id) ?? ''
        }))
      )
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/segment_counts',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        params: MailingListParams,
        body: Type.Object({ clause: ClauseInput }),
        response: { 200: envelope(StatusCounts) }
      }
    },
    async ({ caller, params, body }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'segments')
      const faults = new Faults()
      const clause = await readCheckedClause(reader, caller.organizationId, body.clause, 'clause', faults)
      faults.throwIfAny()
      return ok(await segments.count({ mailingListId: list.id, clause }))
    }
  )
}
