import { setImmediate as nextTurn } from 'node:timers/promises'
import { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
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
import { serveEndpoints } from '../../http/serve.ts'

const maxPerPage = 500

export const suppressionListRoutes = serveEndpoints(
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
      longTexts
    }) => {
      await suppressionListById(reader, organizationId, params.id)
      const parts = await checkedParts(longTexts?.get('data') ?? new Uint8Array())
      if (parts.length > 0) await suppressionRequests.add({ organizationId, id: params.id, userId, parts })
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

/** Addresses that are checked before other requests go first, and written by one command: some 3 ms and 10 ms of work. */
const atOnce = 1000

const maxFaults = 10

/**
 * The addresses, one a line, without the blank ones, in parts.
 * @param text in UTF-8, an address a line
 * @throws ApiError validation_failed naming the first that are nothing of the kind
 */
async function checkedParts(text: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const faults = new Faults()
  let faulty = 0
  let index = 0
  const parts: string[] = []
  for (const some of linesOf(text, atOnce)) {
    await nextTurn()
    const lines: string[] = []
    for (const line of some) {
      const at = index++
      if (line === '') continue
      lines.push(line)
      if (readSuppressed(line) || ++faulty > maxFaults) continue
      const shown = line.length > 60 ? `${line.slice(0, 60)}…` : line
      faults.add(refusal('not_suppressible', { field: `data.${at}`, line: shown }))
    }
    if (lines.length > 0) parts.push(lines.join('\n'))
  }
  if (faulty > maxFaults) faults.add(refusal('and_more', { count: faulty - maxFaults }))
  faults.throwIfAny()
  return parts
}

/** The lines of a text in UTF-8, so many at once: to read all of them would keep others waiting. */
function* linesOf(text: Uint8Array<ArrayBuffer>, count: number): Generator<string[]> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  for (let start = 0; start < bytes.length;) {
    let end = start
    for (let line = 0; line < count && end < bytes.length; line++) {
      const next = bytes.indexOf(10, end)
      end = next < 0 ? bytes.length : next + 1
    }
    const isLast = end === bytes.length
    yield bytes.toString('utf8', start, isLast ? end : end - 1).split('\n')
    start = end
  }
}
