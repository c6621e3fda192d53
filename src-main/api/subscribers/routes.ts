import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ApiError, notFound, validationFailed } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { envelope, ok, okPage, tokenPagedEnvelope } from '../../http/envelope.ts'
import {
  listsAcross,
  localListById,
  mailingListById,
  type MailingListRow,
  mailingListsOf,
  subscriberTotal
} from '../mailing-lists/queries.ts'
import { idOfPageToken, limitPageSize, offsetOf, PageQuery, pageTokenAfter } from '../../http/pagination.ts'
import { requirePermission } from '../../http/permissions.ts'
import { MailingListParams, Nullable, wrapped } from '../../http/schema.ts'
import { clauseOf, requireListsOf, segmentOfList } from '../segments/queries.ts'
import {
  presentSubscriber,
  subscriberName,
  subscriberNames,
  type SubscriberRow,
  subscribersAfter,
  subscribersAt,
  subscribersByEmail,
  subscribersNamed
} from './queries.ts'
import { emailKey } from './rules.ts'
import {
  RemovedSubscribers,
  Subscriber,
  SubscriberByEmail,
  SubscriberChanges,
  SubscriberInput,
  subscriberStatuses,
  TriggerInput,
  TriggerResult,
  UnsubscribeInput
} from './schema.ts'

const tags = ['Subscribers']

/** Spec, "Limits". */
const maxPerPage = 500
const maxNames = 100

const TokenQuery = Type.Object({ ...PageQuery(100), page_token: Type.Optional(Type.String()) })
const SubscriberParams = Type.Object({
  ...MailingListParams.properties,
  subscriber: Type.String({ minLength: 1 })
})
/** After an id, or from a position (0 is the first). */
type PageStart = { afterId: number } | { position: number }
const EmailParams = Type.Object({ email: Type.String({ minLength: 1 }) })
const OrganizationEmailParams = Type.Object({
  organization_id: Type.Integer({ minimum: 1 }),
  ...EmailParams.properties
})

export const subscriberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, segments } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/subscribers',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'List the subscribers of a list',
        params: MailingListParams,
        querystring: Type.Object({ ...TokenQuery.properties, segment_id: Type.Optional(Type.Integer()) }),
        response: { 200: tokenPagedEnvelope(Subscriber) }
      }
    },
    async (request) => {
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
        : pageOfSegment(list.id, query.segment_id, start, wanted))
      const shown = rows.slice(0, query.per_page)
      return {
        ...okPage(await present(caller, list.id, shown), query, total),
        next_page_token: nextToken(paged, rows, shown)
      }
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/subscribers/:subscriber',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'Look subscribers up by ids and emails, 100 at most',
        params: SubscriberParams,
        response: { 200: envelope(Type.Array(Subscriber)) }
      }
    },
    async ({ caller, params }) => {
      const names = subscriberNames(params.subscriber)
      if (names.length > maxNames) {
        throw new ApiError('requested_too_many', `at most ${maxNames} ids or emails can be asked for at once`)
      }
      const list = await localList(caller, params.mailing_list_id)
      const rows = await subscribersNamed(reader, list.id, names.map(subscriberName))
      // Clients tell by this whether somebody is on the list (supplement, section 2).
      if (names.length === 1 && rows.length === 0) throw notFound(`subscriber ${names[0]}`)
      return ok(await present(caller, list.id, rows))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/subscribers',
    {
      config: { access: 'subscriber.create' },
      schema: {
        tags,
        summary: 'Add a subscriber',
        params: MailingListParams,
        body: wrapped('subscriber', SubscriberInput),
        response: { 200: envelope(Nullable(Subscriber)) }
      }
    },
    async ({ caller, params, body }) => {
      const id = await writer.run('subscribers.create', {
        ...scope(caller, params.mailing_list_id),
        subscriber: body.subscriber
      })
      // With a confirmation form nobody is a subscriber yet.
      return ok(id === null ? null : await answer(caller, params.mailing_list_id, id))
    }
  )

  app.put(
    '/mailing_lists/:mailing_list_id/subscribers/:subscriber',
    {
      config: { access: 'subscriber.update' },
      schema: {
        tags,
        summary: 'Change a subscriber',
        params: SubscriberParams,
        body: wrapped('subscriber', SubscriberChanges),
        response: { 200: envelope(Subscriber) }
      }
    },
    async ({ caller, params, body }) => {
      const id = await writer.run('subscribers.update', {
        ...scope(caller, params.mailing_list_id),
        name: subscriberName(params.subscriber),
        changes: body.subscriber
      })
      return ok(await answer(caller, params.mailing_list_id, id))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/subscribers/:subscriber/trigger_autoresponders',
    {
      config: { access: 'subscriber.update' },
      schema: {
        tags,
        summary: 'Trigger autoresponders for a subscriber',
        params: SubscriberParams,
        body: TriggerInput,
        response: { 200: envelope(TriggerResult) }
      }
    },
    async ({ caller, params, body }) => {
      if (body.create_missing_subscriber) requirePermission(caller, 'subscriber.create')
      const { subscriberId, triggered, subscriptionResult } = await writer.run('autoresponderTriggers.run', {
        ...scope(caller, params.mailing_list_id),
        name: subscriberName(params.subscriber),
        request: body
      })
      return ok({
        triggered_autoresponders: triggered,
        subscriber: await answer(caller, params.mailing_list_id, subscriberId),
        subscription_result: subscriptionResult
      })
    }
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/subscribers/:subscriber',
    {
      config: { access: 'subscriber.delete' },
      schema: {
        tags,
        summary: 'Delete a subscriber',
        params: SubscriberParams,
        response: { 200: envelope(RemovedSubscribers) }
      }
    },
    async ({ caller, params }) =>
      ok(
        await writer.run('subscribers.delete', {
          organizationId: caller.organizationId,
          mailingListId: params.mailing_list_id,
          name: subscriberName(params.subscriber)
        })
      )
  )

  app.get(
    '/subscribers_by_email/:email',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'Find a person on all lists',
        params: EmailParams,
        querystring: TokenQuery,
        response: { 200: tokenPagedEnvelope(SubscriberByEmail) }
      }
    },
    async ({ caller, params, query }) => {
      const lists = await mailingListsOf(reader, caller.organizationId)
      return findByEmail(lists, params.email, query)
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/subscribers_by_email/:email',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'Find a person on a list',
        params: Type.Object({ ...MailingListParams.properties, ...EmailParams.properties }),
        querystring: TokenQuery,
        response: { 200: tokenPagedEnvelope(SubscriberByEmail) }
      }
    },
    async ({ caller, params, query }) => {
      const list = await localList(caller, params.mailing_list_id)
      return findByEmail([list], params.email, query)
    }
  )

  for (const [path, params, summary] of [
    ['/organizations/all/subscribers_by_email/:email', EmailParams, 'Find a person in all organizations'],
    [
      '/organizations/:organization_id/subscribers_by_email/:email',
      OrganizationEmailParams,
      'Find a person in an organization'
    ]
  ] as const) {
    app.get(
      path,
      {
        config: { access: 'system_admin' },
        schema: {
          tags,
          summary,
          params,
          querystring: TokenQuery,
          response: { 200: tokenPagedEnvelope(SubscriberByEmail) }
        }
      },
      async ({ params: given, query }) => {
        const organizationId = 'organization_id' in given ? given.organization_id : null
        return findByEmail(await listsAcross(reader, organizationId), given.email, query)
      }
    )
  }

  const unsubscribing = {
    config: { access: 'subscriber.update' },
    schema: {
      tags,
      summary: 'Unsubscribe by the token of a message',
      body: wrapped('unsubscribe', UnsubscribeInput),
      response: { 200: envelope(Subscriber) }
    }
  } as const

  app.post('/subscribers/unsubscribe', unsubscribing, async ({ caller, body }) =>
    ok(await unsubscribe(caller, body.unsubscribe))
  )

  // An older spelling (supplement, section 3).
  app.post(
    '/mailing_lists/:mailing_list_id/subscribers/unsubscribe',
    { ...unsubscribing, schema: { ...unsubscribing.schema, params: MailingListParams } },
    async ({ caller, params, body }) => {
      await localList(caller, params.mailing_list_id)
      return ok(await unsubscribe(caller, body.unsubscribe))
    }
  )

  async function unsubscribe(caller: Caller, input: UnsubscribeInput): Promise<Subscriber> {
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

  async function pageOfSegment(listId: number, segmentId: number, start: PageStart, limit: number) {
    const segment = await segmentOfList(reader, listId, segmentId)
    const scope = { mailingListId: listId, clause: clauseOf(segment) }
    await requireListsOf(reader, scope.clause)
    const rows = await segments.page(scope, { ...start, limit })
    const counts = await segments.count(scope)
    return { rows, total: subscriberStatuses.reduce((sum, status) => sum + counts[status], 0) }
  }

  async function findByEmail(
    lists: { id: number; name: string; organization?: { id: number; name: string } }[],
    email: string,
    query: { page: number; per_page: number; page_token?: string }
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

  async function answer(caller: Caller, mailingListId: number, id: number): Promise<Subscriber> {
    const [subscriber] = await present(
      caller,
      mailingListId,
      await subscribersNamed(reader, mailingListId, [{ id }])
    )
    if (!subscriber) throw notFound(`subscriber ${id}`)
    return subscriber
  }

  async function present(
    caller: Caller,
    mailingListId: number,
    rows: SubscriberRow[]
  ): Promise<Subscriber[]> {
    const list = await mailingListById(reader, caller.organizationId, mailingListId)
    const fields = await fieldsOfList(reader, caller.organizationId, mailingListId)
    return rows.map((row) => presentSubscriber(row, list, fields, caller.timeZone))
  }
}

function scope(caller: Caller, mailingListId: number) {
  return { organizationId: caller.organizationId, timeZone: caller.timeZone, mailingListId }
}

/** The token of the page after `shown`, or null when `rows` holds nothing more. */
function nextToken(paged: string, rows: { id: number }[], shown: { id: number }[]): string | null {
  const last = shown.at(-1)
  return last && rows.length > shown.length ? pageTokenAfter(paged, last.id) : null
}

/** Spec, "Subscribers": page and page_token may not be combined. */
function refusePageAndToken(url: string, token: string | undefined): void {
  if (token === undefined) return
  const given = new URL(url, 'http://127.0.0.1').searchParams.get('page')
  if (given) throw validationFailed('page and page_token must not be given together')
}
