import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { campaignById } from '../campaigns/queries.ts'
import { journalEndpoints } from './endpoints.ts'
import { journalCountsOf, journaledMessagesOf, type JournalPosition } from './queries.ts'

export const journalRoutes = serveEndpoints(journalEndpoints, ({ reader }) => ({
  'GET /campaigns/:id/journal': async ({ caller, params }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    return ok(await journalCountsOf(reader, id, caller.timeZone))
  },

  'GET /campaigns/:id/journal/messages': async ({ caller, params, query }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    const { state, per_page: limit, page_token: token } = query
    const after = token === undefined ? null : positionOf(token)
    const { messages, next } = await journaledMessagesOf(reader, id, { state, after, limit }, caller.timeZone)
    return ok({ messages, next_page_token: next && tokenOf(next) })
  }
}))

function tokenOf({ sliceId, dueAt, subscriberId, number }: JournalPosition): string {
  return Buffer.from([sliceId, dueAt, subscriberId, number].join('.')).toString('base64url')
}

/** @throws ApiError validation_failed for anything that tokenOf did not make */
function positionOf(token: string): JournalPosition {
  const text = Buffer.from(token, 'base64url').toString()
  const [, sliceId, dueAt, subscriberId, number] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text) ?? []
  if (number === undefined) throw validationFailed(refusal('page_token', { field: 'page_token' }))
  return {
    sliceId: Number(sliceId),
    dueAt: Number(dueAt),
    subscriberId: Number(subscriberId),
    number: Number(number)
  }
}
