import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import type { StoredValues } from '../../api/custom-fields/rules.ts'
import { holdsCode } from '../../api/campaigns/replacement-codes.ts'
import { validationFailed } from '../../base/errors.ts'
import { organizationById } from '../../api/organizations/queries.ts'
import { shownHtml } from '../../delivery/frame.ts'
import { imageBytesOf } from '../../api/images/queries.ts'
import { linkImages } from '../../api/images/rules.ts'
import type { Caller } from '../../http/caller.ts'
import { requireAccess } from '../../http/permissions.ts'
import { subscriberOfList } from '../../api/subscribers/queries.ts'
import { remoteIdOf } from '../../api/remote-lists/recipient-ids.ts'
import { ok } from '../../http/envelope.ts'
import { QueryFault, type RecipientColumns, recipientColumnsOf } from '../../remote-lists/columns.ts'
import { fieldOfColumn, valuesOfColumns } from '../../remote-lists/fields.ts'
import { type MailingListRow, mailingListById } from '../../api/mailing-lists/queries.ts'
import { contentPreviewEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

const nobody = { id: 0, email: 'subscriber@example.com', subscribe_ip: '192.0.2.1' }

const links = {
  unsubscribe: 'https://example.com/unsubscribe',
  webVersion: 'https://example.com/web-version',
  unsubscribeToken: '0-0000000000000000000000000000000000000000'
}

/** @throws ApiError validation_failed for columns that no recipient has */
function columnsOf(names: readonly string[]): RecipientColumns {
  try {
    return recipientColumnsOf(names.map((name) => ({ name, type: '' })))
  } catch (error) {
    throw error instanceof QueryFault ? validationFailed(error.refusal) : error
  }
}

/** Returns the recipient that a row of a query would be, and the columns that codes take values from. */
function rowOf(row: Record<string, string | null>) {
  const names = Object.keys(row)
  const columns = columnsOf(names)
  const cell = (index: number | null): string | null =>
    index === null ? null : (Object.values(row)[index] ?? null)
  const id = Number(cell(columns.distinctId) ?? '')
  return {
    columns: columns.values.map(({ name }) => name),
    recipient: {
      ...{ id: remoteIdOf(1), email: cell(columns.email) ?? '', subscribe_time: 0, subscribe_ip: null },
      distinct_id: id > 0 ? id : null,
      values: valuesOfColumns(columns.values.map(({ index }) => cell(index)))
    }
  }
}

/** POST /app/v1/mailing_lists/:id/content_preview: a content with its codes replaced. */
export const contentPreviewRoutes = serveEndpoints(contentPreviewEndpoints, ({ reader, contents }) => {
  /** @throws ApiError not_found, or not_authorized for who may not read subscribers */
  async function recipientOf(caller: Caller, list: MailingListRow, id: number | undefined) {
    if (id === undefined) {
      const values = JSON.parse(list.preview_custom_field_data) as StoredValues
      return { ...nobody, subscribe_time: Date.now(), values }
    }
    requireAccess(caller, 'subscriber.read')
    const { custom_fields, ...row } = await subscriberOfList(reader, list.id, id)
    return { ...row, values: JSON.parse(custom_fields) as StoredValues }
  }

  return {
    'POST /mailing_lists/:mailing_list_id/content_preview': async ({ caller, params, body, server }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const { subject, html, text } = body
      const frame = await organizationById(reader, caller.organizationId)
      const unsubscribes = (...texts: string[]): boolean =>
        texts.some((each) => holdsCode(each, 'unsubscribe_link'))
      const carried = shownHtml(frame, [{ html }]).join('')
      const row = list.is_remote_list === 1 && body.row ? rowOf(body.row) : null
      const images = await imageBytesOf(reader, caller.organizationId, carried)
      const written = await contents.preview({
        content: { subject, html, text },
        shared: {
          isRemote: list.is_remote_list === 1,
          campaign: { id: 0, name: body.name },
          list: { id: list.id, name: list.name },
          sender: {
            from_email: list.d_from_email,
            from_name: list.d_from_name,
            sender_email: list.d_sender_email,
            reply_to: list.d_reply_to,
            ...body.sender
          },
          fields: [
            ...(await fieldsOfList(reader, caller.organizationId, list.id)),
            ...(row?.columns.map(fieldOfColumn) ?? [])
          ],
          timeZone: caller.timeZone
        },
        recipient: { ...(row?.recipient ?? (await recipientOf(caller, list, body.subscriber_id))), links }
      })
      return ok({
        ...written,
        html: linkImages(written.html, server.listeningOrigin),
        image_bytes: images,
        has_unsubscribe_link: {
          html: unsubscribes(html, frame.html_header, frame.html_footer),
          text: unsubscribes(text, frame.text_header, frame.text_footer)
        }
      })
    }
  }
})
