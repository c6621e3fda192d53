import { ApiError, notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Caller } from '../../http/caller.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { jsonArray, type JsonText, withData } from '../../http/json-text.ts'
import {
  listsAcross,
  localListById,
  mailingListById,
  type MailingListRow,
  mailingListNames,
  subscriberTotal
} from '../mailing-lists/queries.ts'
import { idOfPageToken, limitPageSize, offsetOf, type Page, pageTokenAfter } from '../../http/pagination.ts'
import { requireAccess } from '../../http/permissions.ts'
import { clauseOf, requireListsOf, segmentOfList } from '../segments/queries.ts'
import { momentIn, resolveConditions } from '../segments/settled.ts'
import {
  type PresentedRow,
  subscriberName,
  subscriberNames,
  subscribersAfter,
  subscribersAt,
  subscribersByEmail,
  subscribersNamed
} from './queries.ts'
import { emailKey } from './rules.ts'
import { type Subscriber, subscriberStatuses, type UnsubscribeInput } from './schema.ts'
import { subscriberEndpoints } from './endpoints.ts'
import { subscriberWriter } from './write-subscriber.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** docs/api.md, "Limits". */
const maxPerPage = 500

const maxNames = 100

/** After an id, or at a position (0 = first). */
type PageStart = { afterId: number } | { position: number }

export const subscriberRoutes = serveEndpoints(subscriberEndpoints, ({ reader, writer, segments }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/subscribers': async (request) => {
      const { caller, params, query } = request
      limitPageSize(query.per_page, maxPerPage)
      refusePageAndToken(request.originalUrl, query.page_token)
      const list = await localList(caller, params.mailing_list_id)
      const paged = query.segment_id === undefined ? `list ${list.id}` : `segment ${query.segment_id}`
      // One more than asked for tells whether another page follows.
      const wanted = query.per_page + 1
      const start =
        query.page_token === undefined
          ? { position: offsetOf(query) }
          : { afterId: idOfPageToken(paged, query.page_token) }
      const { rows, total } = await (query.segment_id === undefined
        ? pageOfList(list.id, start, wanted)
        : pageOfSegment({ id: list.id, timeZone: caller.timeZone }, query.segment_id, start, wanted))
      const shown = rows.slice(0, query.per_page)
      const answer = { ...okPage(null, query, total), next_page_token: nextToken(paged, rows, shown) }
      return withData(answer, await written(caller, list.id, shown))
    },

    'GET /mailing_lists/:mailing_list_id/subscribers/:subscriber': async ({ caller, params }) => {
      const names = subscriberNames(params.subscriber)
      if (names.length > maxNames) {
        throw new ApiError('requested_too_many', refusal('too_many_names', { most: maxNames }))
      }
      const list = await localList(caller, params.mailing_list_id)
      const rows = await subscribersNamed(reader, list.id, names.map(subscriberName))
      // Clients use this error to detect that a subscriber is not on the list.
      if (names.length === 1 && rows.length === 0) throw notFound('subscriber', names[0])
      return withData(ok(null), await written(caller, list.id, rows))
    },

    'POST /mailing_lists/:mailing_list_id/subscribers': async ({ caller, params, body }) => {
      const id = await writer.run('subscribers.create', {
        ...scope(caller, params.mailing_list_id),
        subscriber: body.subscriber
      })
      // With a confirmation form there is no subscriber yet.
      return id === null ? ok(null) : answer(caller, params.mailing_list_id, id)
    },

    'PUT /mailing_lists/:mailing_list_id/subscribers/:subscriber': async ({ caller, params, body }) => {
      const id = await writer.run('subscribers.update', {
        ...scope(caller, params.mailing_list_id),
        name: subscriberName(params.subscriber),
        changes: body.subscriber
      })
      return answer(caller, params.mailing_list_id, id)
    },

    'POST /mailing_lists/:mailing_list_id/subscribers/:subscriber/trigger_autoresponders': async ({
      caller,
      params,
      body
    }) => {
      if (body.create_missing_subscriber) requireAccess(caller, 'subscriber.create')
      const { subscriberId, triggered, subscriptionResult } = await writer.run('autoresponderTriggers.run', {
        ...scope(caller, params.mailing_list_id),
        name: subscriberName(params.subscriber),
        request: body
      })
      return ok({
        triggered_autoresponders: triggered,
        subscriber: (await writtenSubscriber(caller, params.mailing_list_id, subscriberId)).parse(),
        subscription_result: subscriptionResult
      })
    },

    'DELETE /mailing_lists/:mailing_list_id/subscribers/:subscriber': async ({ caller, params }) =>
      ok(
        await writer.run('subscribers.delete', {
          organizationId: caller.organizationId,
          mailingListId: params.mailing_list_id,
          name: subscriberName(params.subscriber)
        })
      ),

    'GET /subscribers_by_email/:email': async ({ caller, params, query }) => {
      const lists = await mailingListNames(reader, caller.organizationId)
      return findByEmail(lists, params.email, query)
    },

    'GET /mailing_lists/:mailing_list_id/subscribers_by_email/:email': async ({ caller, params, query }) => {
      const list = await localList(caller, params.mailing_list_id)
      return findByEmail([list], params.email, query)
    },

    'GET /organizations/all/subscribers_by_email/:email': async ({ params, query }) =>
      findByEmail(await listsAcross(reader, null), params.email, query),

    'GET /organizations/:organization_id/subscribers_by_email/:email': async ({ params, query }) =>
      findByEmail(await listsAcross(reader, params.organization_id), params.email, query),

    'POST /subscribers/unsubscribe': async ({ caller, body }) => unsubscribe(caller, body.unsubscribe),

    'POST /mailing_lists/:mailing_list_id/subscribers/unsubscribe': async ({ caller, params, body }) => {
      await localList(caller, params.mailing_list_id)
      return unsubscribe(caller, body.unsubscribe)
    }
  }

  async function unsubscribe(caller: Caller, input: UnsubscribeInput) {
    const { organizationId } = caller
    const done = await writer.run('subscribers.unsubscribeByToken', { ...input, organizationId })
    if (!done) throw notFound('the subscriber of this token')
    return answer(caller, done.mailingListId, done.id)
  }

  async function pageOfList(listId: number, start: PageStart, limit: number) {
    const rows =
      'afterId' in start
        ? await subscribersAfter(reader, listId, start.afterId, limit)
        : await subscribersAt(reader, listId, start.position, limit)
    return { rows, total: await subscriberTotal(reader, listId) }
  }

  async function pageOfSegment(
    { id, timeZone }: { id: number; timeZone: string },
    segmentId: number,
    start: PageStart,
    limit: number
  ) {
    const clause = clauseOf(await segmentOfList(reader, id, segmentId))
    await requireListsOf(reader, clause)
    const scope = { mailingListId: id, clause: resolveConditions(clause, momentIn(timeZone)) }
    const rows = await segments.page(scope, { ...start, limit })
    const counts = await segments.count(scope)
    return { rows, total: subscriberStatuses.reduce((sum, status) => sum + counts[status], 0) }
  }

  async function findByEmail(
    lists: { id: number; name: string; organization?: { id: number; name: string } }[],
    email: string,
    query: Page & { page_token?: string }
  ) {
    limitPageSize(query.per_page, maxPerPage)
    const paged = `email ${emailKey(email)}`
    const after = query.page_token === undefined ? 0 : idOfPageToken(paged, query.page_token)
    const listOf = new Map(lists.map((list) => [list.id, list]))
    // An email is on each list once, or as often as an alternate primary key allows.
    const { rows, total } = await subscribersByEmail(reader, [...listOf.keys()], email, {
      afterId: after,
      offset: offsetOf(query),
      limit: query.per_page + 1
    })
    const shown = rows.slice(0, query.per_page)
    const items = shown.map(({ id, status, email: spelling, mailing_list_id }) => {
      const { name = '', organization } = listOf.get(mailing_list_id) ?? {}
      return {
        id,
        status,
        email: spelling,
        mailing_list: { id: mailing_list_id, name },
        ...(organization && { organization })
      }
    })
    return { ...okPage(items, query, total), next_page_token: nextToken(paged, rows, shown) }
  }

  function localList(caller: Caller, mailingListId: number): Promise<MailingListRow> {
    return localListById(reader, caller.organizationId, mailingListId, 'subscribers')
  }

  async function answer(caller: Caller, mailingListId: number, id: number) {
    return withData(ok(null), await writtenSubscriber(caller, mailingListId, id))
  }

  async function writtenSubscriber(
    caller: Caller,
    mailingListId: number,
    id: number
  ): Promise<JsonText<Subscriber>> {
    const [row] = await subscribersNamed(reader, mailingListId, [{ id }])
    if (!row) throw notFound('subscriber', id)
    const write = await writerFor(caller, mailingListId)
    return write(row)
  }

  async function written(
    caller: Caller,
    mailingListId: number,
    rows: PresentedRow[]
  ): Promise<JsonText<Subscriber[]>> {
    return jsonArray(rows, await writerFor(caller, mailingListId))
  }

  async function writerFor(caller: Caller, mailingListId: number) {
    const list = await mailingListById(reader, caller.organizationId, mailingListId)
    const fields = await fieldsOfList(reader, caller.organizationId, mailingListId)
    return subscriberWriter(list, fields, caller.timeZone)
  }
})

function scope(caller: Caller, mailingListId: number) {
  return { organizationId: caller.organizationId, timeZone: caller.timeZone, mailingListId }
}

/** The token of the page after `shown`, or null when `rows` holds nothing more. */
function nextToken(paged: string, rows: { id: number }[], shown: { id: number }[]): string | null {
  const last = shown.at(-1)
  return last && rows.length > shown.length ? pageTokenAfter(paged, last.id) : null
}

/** docs/api.md, "Subscribers": page and page_token may not be combined. */
function refusePageAndToken(url: string, token: string | undefined): void {
  if (token === undefined) return
  const given = new URL(url, 'http://127.0.0.1').searchParams.get('page')
  if (given) throw validationFailed(refusal('not_together', { field: 'page', other: 'page_token' }))
}
