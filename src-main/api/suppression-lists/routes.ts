import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Type } from 'typebox'
import { Faults } from '../../base/errors.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../../http/envelope.ts'
import { limitPageSize, PageQuery } from '../../http/pagination.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import {
  presentSuppressionList,
  suppressedAddresses,
  suppressionListById,
  suppressionListsOf
} from './queries.ts'
import { readSuppressed } from './rules.ts'
import { SuppressedAddress, SuppressionList, SuppressionListChanges, SuppressionListInput } from './schema.ts'

const tags = ['Suppression lists']
const [defaultPerPage, maxPerPage] = [100, 500]
/** Bytes of a request with many addresses: 100,000 of the longest ones. */
const addressesLimit = 32 * 1024 * 1024

export const suppressionListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, suppressionRequests } = app.context

  app.get(
    '/suppression_lists',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the suppression lists',
        response: { 200: envelope(Type.Array(SuppressionList)) }
      }
    },
    async ({ caller }) =>
      ok((await suppressionListsOf(reader, caller.organizationId)).map(presentSuppressionList))
  )

  app.get(
    '/suppression_lists/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a suppression list',
        params: IdParams,
        response: { 200: envelope(SuppressionList) }
      }
    },
    async ({ caller, params }) =>
      ok(presentSuppressionList(await suppressionListById(reader, caller.organizationId, params.id)))
  )

  app.post(
    '/suppression_lists',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Create a suppression list',
        body: wrapped('suppression_list', SuppressionListInput),
        response: { 200: envelope(SuppressionList) }
      }
    },
    async ({ caller: { organizationId }, body }) => {
      const suppressionList = body.suppression_list
      return ok(
        presentSuppressionList(
          await writer.run('suppressionLists.create', { organizationId, suppressionList })
        )
      )
    }
  )

  app.put(
    '/suppression_lists/:id',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Change a suppression list',
        params: IdParams,
        body: wrapped('suppression_list', SuppressionListChanges),
        response: { 200: envelope(SuppressionList) }
      }
    },
    async ({ caller: { organizationId }, params, body }) => {
      const input = { organizationId, id: params.id, changes: body.suppression_list }
      return ok(presentSuppressionList(await writer.run('suppressionLists.update', input)))
    }
  )

  app.get(
    '/suppression_lists/:id/suppressed_addresses',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'Page through the addresses of a suppression list',
        params: IdParams,
        querystring: Type.Object(PageQuery(defaultPerPage)),
        response: { 200: pagedEnvelope(SuppressedAddress) }
      }
    },
    async ({ caller, params, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const list = await suppressionListById(reader, caller.organizationId, params.id)
      return okPage(await suppressedAddresses(reader, list, query), query, list.addresses)
    }
  )

  app.post(
    '/suppression_lists/:id/suppressed_addresses/create_multiple',
    {
      bodyLimit: addressesLimit,
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Suppress addresses, domains (@example.com) and MD5 sums of addresses',
        params: IdParams,
        body: Type.Object({ data: Type.Array(Type.String(), { maxItems: 1_000_000 }) }),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller: { organizationId, userId }, params, body }) => {
      await suppressionListById(reader, organizationId, params.id)
      const addresses = await checkedAddresses(body.data)
      if (addresses !== '')
        await suppressionRequests.add({ organizationId, id: params.id, userId, addresses })
      return ok(null)
    }
  )

  app.delete(
    '/suppression_lists/:id/suppressed_addresses/:id_or_address',
    {
      config: { access: 'organization_admin' },
      schema: {
        tags,
        summary: 'Let an address get messages again',
        params: Type.Object({ ...IdParams.properties, id_or_address: Type.String() }),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller: { organizationId }, params }) => {
      const { id, id_or_address: address } = params
      await writer.run('suppressionLists.deleteAddress', { organizationId, id, address })
      return ok(null)
    }
  )
}

/** Addresses that are checked before other requests go first; some 3 ms of work. */
const checkedAtOnce = 5000
/** Faults that one answer names. */
const maxFaults = 10

/**
 * The addresses, one a line, without the blank ones.
 * @throws ApiError validation_failed naming the first that are nothing of the kind
 */
async function checkedAddresses(data: string[]): Promise<string> {
  const faults = new Faults()
  let count = 0
  const lines: string[] = []
  for (const [index, text] of data.entries()) {
    if (index % checkedAtOnce === 0) await nextTurn()
    const line = text.trim()
    if (line === '') continue
    lines.push(line)
    if (readSuppressed(line) || ++count > maxFaults) continue
    const shown = line.length > 60 ? `${line.slice(0, 60)}…` : line
    faults.add(`data.${index} is no email address, @domain or MD5 sum: "${shown}"`)
  }
  if (count > maxFaults) faults.add(`and ${count - maxFaults} more`)
  faults.throwIfAny()
  return lines.join('\n')
}
