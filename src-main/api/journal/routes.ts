import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { listOfAutoresponder } from '../autoresponders/queries.ts'
import { campaignById } from '../campaigns/queries.ts'
import { listOfWebForm } from '../web-forms/queries.ts'
import { journalEndpoints } from './endpoints.ts'
import {
  journalCountsOf,
  journaledMessagesOf,
  type JournalPosition,
  type JournalSubject,
  messagesTo,
  previewsOf
} from './queries.ts'
import { type JournaledMessage, type JournalStateName, journalStateNames } from './schema.ts'

/** Rows of a file that are read at once: few enough that no other call waits. */
const exportedAtOnce = 200

export const journalRoutes = serveEndpoints(journalEndpoints, ({ reader }) => {
  const campaignOf = async (organizationId: number, named: number): Promise<Found> => {
    const { id, mailing_list_id: mailingListId } = await campaignById(reader, organizationId, named)
    return { subject: { campaign: id }, mailingListId }
  }
  const autoresponderOf = async (organizationId: number, id: number): Promise<Found> => ({
    subject: { autoresponder: id },
    mailingListId: await listOfAutoresponder(reader, organizationId, id)
  })
  const webFormOf = async (organizationId: number, id: number): Promise<Found> => ({
    subject: { webForm: id },
    mailingListId: await listOfWebForm(reader, organizationId, id)
  })

  return {
    'GET /campaigns/:id/journal': async ({ caller, params }) => {
      const { subject } = await campaignOf(caller.organizationId, params.id)
      return ok(await journalCountsOf(reader, subject, caller.timeZone))
    },

    'GET /campaigns/:id/journal/messages': async ({ caller, params, query }) =>
      ok(await pageOf(reader, await campaignOf(caller.organizationId, params.id), query, caller.timeZone)),

    'GET /campaigns/:id/journal/export': async ({ caller, params, query }, reply) => {
      const { subject } = await campaignOf(caller.organizationId, params.id)
      const states = query.state ? [query.state] : journalStateNames
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="delivery-${params.id}.csv"`)
        .send(Readable.from(csvOf(reader, subject, states, caller.timeZone)))
    },

    'GET /campaigns/:id/journal/previews': async ({ caller, params }) => {
      await campaignOf(caller.organizationId, params.id)
      return ok(await previewsOf(reader, { campaign_id: params.id }, caller.timeZone))
    },

    'GET /autoresponders/:id/journal/previews': async ({ caller, params }) => {
      await autoresponderOf(caller.organizationId, params.id)
      return ok(await previewsOf(reader, { autoresponder_id: params.id }, caller.timeZone))
    },

    'GET /autoresponders/:id/journal': async ({ caller, params }) => {
      const { subject } = await autoresponderOf(caller.organizationId, params.id)
      return ok(await journalCountsOf(reader, subject, caller.timeZone))
    },

    'GET /autoresponders/:id/journal/messages': async ({ caller, params, query }) =>
      ok(
        await pageOf(reader, await autoresponderOf(caller.organizationId, params.id), query, caller.timeZone)
      ),

    'GET /web_forms/:id/journal': async ({ caller, params }) => {
      const { subject } = await webFormOf(caller.organizationId, params.id)
      return ok(await journalCountsOf(reader, subject, caller.timeZone))
    },

    'GET /web_forms/:id/journal/messages': async ({ caller, params, query }) =>
      ok(await pageOf(reader, await webFormOf(caller.organizationId, params.id), query, caller.timeZone))
  }
})

interface Found {
  subject: JournalSubject
  mailingListId: number
}

interface PageQuestion {
  state: JournalStateName
  email?: string
  page_token?: string
  per_page: number
}

async function pageOf(
  reader: Kysely<Schema>,
  { subject, mailingListId }: Found,
  { state, email, per_page: limit, page_token: token }: PageQuestion,
  timeZone: string
): Promise<{ messages: JournaledMessage[]; next_page_token: string | null }> {
  if (email !== undefined) {
    return {
      messages: await messagesTo(reader, subject, { email, mailingListId }, timeZone),
      next_page_token: null
    }
  }
  const after = token === undefined ? null : positionOf(token)
  const { messages, next } = await journaledMessagesOf(reader, subject, { state, after, limit }, timeZone)
  return { messages, next_page_token: next && tokenOf(next) }
}

const exportedColumns = [
  'email',
  'state',
  'attempts',
  'changed_at',
  'retry_at',
  'smtp_server',
  'code',
  'reply'
] as const satisfies readonly (keyof JournaledMessage)[]

async function* csvOf(
  reader: Kysely<Schema>,
  subject: JournalSubject,
  states: readonly JournalStateName[],
  timeZone: string
): AsyncGenerator<string> {
  const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' }, true)
  yield write([exportedColumns])
  for (const state of states) {
    for (let after: JournalPosition | null = null; ;) {
      const page: Awaited<ReturnType<typeof journaledMessagesOf>> = await journaledMessagesOf(
        reader,
        subject,
        { state, after, limit: exportedAtOnce },
        timeZone
      )
      yield write(
        page.messages.map((message) => exportedColumns.map((column) => String(message[column] ?? '')))
      )
      if (!page.next) break
      after = page.next
    }
  }
}

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
