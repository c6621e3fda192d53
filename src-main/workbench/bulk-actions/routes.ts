import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  bulkActionPage,
  bulkActionRow,
  keptByBulkAction,
  presentBulkAction,
  selectionRow,
  settingsOf
} from '../../api/bulk-actions/queries.ts'
import type { BulkAction, BulkActionKind, KeptReason } from '../../api/bulk-actions/schema.ts'
import { describeClause } from '../../api/segments/describe.ts'
import { namesIn } from '../../api/segments/queries.ts'
import { exportRow, presentExport } from '../../api/subscriber-exports/queries.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { Caller } from '../../http/caller.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { limitPageSize } from '../../http/pagination.ts'
import { requireAccess } from '../../http/permissions.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { accessFor, permissionsForUndo } from '../../api/bulk-actions/rights.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { readChoice } from '../choice/read-choice.ts'
import { bulkActionEndpoints } from './endpoints.ts'

/** Rows that are read at once for the CSV. */
const rowsPerRead = 500

const skipText: Record<KeptReason, string> = {
  declined: 'unsubscribed or complained',
  there_already: 'is on the other list already',
  does_not_fit: 'does not fit the other list',
  limit: 'the limit of subscribers is reached',
  changed: 'changed since',
  key_taken: 'somebody else with the same primary key was added since',
  address_taken: 'the list has the right address already',
  key_changed: 'the primary key of the list has changed since',
  value_gone: 'the custom field does not take the former value any more'
}

/** Choosing subscribers, and doing something to all of them. */
export const bulkActionRoutes = serveEndpoints(bulkActionEndpoints, ({ reader, writer, segments }) => {
  return {
    'POST /mailing_lists/:mailing_list_id/selections': async ({ caller, params, body }, reply) => {
      const signal = signalOf(reply)
      const { list, segment, clause, choice } = await readChoice(reader, caller, params.mailing_list_id, body)
      const { only, except } = body
      const { parts, leftOut, ...found } = await segments.selection(choice, { only, except }, signal)
      const names = await namesIn(reader, [clause])
      const description = describe({
        only: only?.length ?? null,
        segment: segment?.name ?? null,
        clause: clause.length > 0 ? describeClause(clause, names) : null,
        search: choice.search,
        except: leftOut
      })
      const id = await writer.run('bulkActions.storeSelection', {
        organizationId: caller.organizationId,
        userId: caller.userId,
        mailingListId: list.id,
        description,
        subscribers: found.subscribers,
        parts
      })
      return ok({ id, description, ...found })
    },

    'POST /selections/:id/bulk_actions': async ({ caller, params, body }) => {
      requirePermissionsOf(caller, body.kind)
      const { organizationId, userId } = caller
      const id = await writer.run('bulkActions.create', {
        organizationId,
        userId,
        selectionId: params.id,
        action: body
      })
      return ok(await answer(caller, id))
    },

    'POST /selections/:id/exports': async ({ caller, params, body }) => {
      const { organizationId, userId } = caller
      const { mailing_list_id: mailingListId } = await selectionRow(
        reader,
        { organizationId, userId },
        params.id
      )
      const id = await writer.run('subscriberExports.create', {
        organizationId,
        mailingListId,
        selected: { selectionId: params.id, userId },
        export: body
      })
      return ok(presentExport(await exportRow(reader, organizationId, id), caller.timeZone))
    },

    'GET /bulk_actions': async ({ caller, query }) => {
      limitPageSize(query.per_page, 500)
      const { organizationId, timeZone } = caller
      const listId = query.mailing_list_id ?? null
      const { rows, total } = await bulkActionPage(reader, organizationId, listId, query)
      return okPage(
        rows.map((row) => presentBulkAction(row, timeZone)),
        query,
        total
      )
    },

    'GET /bulk_actions/:id': async ({ caller, params }) => ok(await answer(caller, params.id)),

    'POST /bulk_actions/:id/cancel': async ({ caller, params }) =>
      changeState(caller, 'bulkActions.cancel', params.id),
    'POST /bulk_actions/:id/undo': async ({ caller, params }) =>
      changeState(caller, 'bulkActions.undo', params.id),

    'GET /bulk_actions/:id/kept': async ({ caller, params, query }, reply) => {
      const { id } = await bulkActionRow(reader, caller.organizationId, params.id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="bulk-action-${id}-left-as-they-were.csv"`)
        .send(Readable.from(keptCsv(id, query.undo)))
    }
  }

  async function changeState(caller: Caller, command: 'bulkActions.cancel' | 'bulkActions.undo', id: number) {
    const { organizationId } = caller
    const { kind } = settingsOf(await bulkActionRow(reader, organizationId, id))
    requirePermissionsOf(caller, kind)
    const more = command === 'bulkActions.undo' ? permissionsForUndo[kind] : undefined
    if (more) requireAccess(caller, more)
    await writer.run(command, { organizationId, id })
    return ok(await answer(caller, id))
  }

  async function answer(caller: Caller, id: number): Promise<BulkAction> {
    return presentBulkAction(await bulkActionRow(reader, caller.organizationId, id), caller.timeZone)
  }

  async function* keptCsv(id: number, isUndo: boolean): AsyncGenerator<string> {
    const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' }, true)
    yield write([['email', 'why it was left as it was']])
    for (let afterId = 0; ;) {
      const rows = await keptByBulkAction(reader, { id, isUndo }, afterId, rowsPerRead)
      if (rows.length > 0) yield write(rows.map(({ email, ...row }) => [email, why(row)]))
      const last = rows.at(-1)
      if (!last || rows.length < rowsPerRead) return
      afterId = last.subscriber_id
      await nextTurn()
    }
  }
})

function why({ reason, detail }: { reason: KeptReason; detail: string | null }): string {
  return detail === null ? skipText[reason] : `${skipText[reason]}: ${detail}`
}

/** @throws ApiError not_authorized */
function requirePermissionsOf(caller: Caller, kind: BulkActionKind): void {
  for (const access of accessFor[kind]) requireAccess(caller, access)
}

function describe(chosen: {
  only: number | null
  segment: string | null
  clause: string | null
  search: string
  except: number
}): string {
  if (chosen.only !== null) return 'chosen one by one'
  const parts = [
    ...(chosen.segment === null ? [] : [`in the segment "${chosen.segment}"`]),
    ...(chosen.clause === null ? [] : [chosen.clause]),
    ...(chosen.search === '' ? [] : [`matching the search "${chosen.search}"`])
  ]
  const whole = parts.length > 0 ? parts.join(' and ') : 'everybody on the list'
  return chosen.except > 0 ? `${whole} except ${chosen.except}` : whole
}
