import { setImmediate as nextTurn } from 'node:timers/promises'
import { Faults } from '../../base/errors.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { limitPageSize } from '../../http/pagination.ts'
import {
  presentSuppressionList,
  suppressedAddresses,
  suppressionListById,
  suppressionListsOf
} from './queries.ts'
import { readSuppressed } from './rules.ts'
import { suppressionListEndpoints } from './endpoints.ts'
import { serve } from '../../http/serve.ts'

const maxPerPage = 500

export const suppressionListRoutes = serve(
  suppressionListEndpoints,
  ({ reader, writer, suppressionRequests }) => ({
    'GET /suppression_lists': async ({ caller }) =>
      ok((await suppressionListsOf(reader, caller.organizationId)).map(presentSuppressionList)),

    'GET /suppression_lists/:id': async ({ caller, params }) =>
      ok(presentSuppressionList(await suppressionListById(reader, caller.organizationId, params.id))),

    'POST /suppression_lists': async ({ caller: { organizationId }, body }) => {
      const suppressionList = body.suppression_list
      return ok(
        presentSuppressionList(
          await writer.run('suppressionLists.create', { organizationId, suppressionList })
        )
      )
    },

    'PUT /suppression_lists/:id': async ({ caller: { organizationId }, params, body }) => {
      const input = { organizationId, id: params.id, changes: body.suppression_list }
      return ok(presentSuppressionList(await writer.run('suppressionLists.update', input)))
    },

    'GET /suppression_lists/:id/suppressed_addresses': async ({ caller, params, query }) => {
      limitPageSize(query.per_page, maxPerPage)
      const list = await suppressionListById(reader, caller.organizationId, params.id)
      return okPage(await suppressedAddresses(reader, list, query), query, list.addresses)
    },

    'POST /suppression_lists/:id/suppressed_addresses/create_multiple': async ({
      caller: { organizationId, userId },
      params,
      body
    }) => {
      await suppressionListById(reader, organizationId, params.id)
      const addresses = await checkedAddresses(body.data)
      if (addresses !== '')
        await suppressionRequests.add({ organizationId, id: params.id, userId, addresses })
      return ok(null)
    },

    'DELETE /suppression_lists/:id/suppressed_addresses/:id_or_address': async ({
      caller: { organizationId },
      params
    }) => {
      const { id, id_or_address: address } = params
      await writer.run('suppressionLists.deleteAddress', { organizationId, id, address })
      return ok(null)
    }
  })
)

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
