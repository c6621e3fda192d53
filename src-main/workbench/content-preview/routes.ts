import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import type { StoredValues } from '../../api/custom-fields/rules.ts'
import { holdsCode } from '../../api/campaigns/replacement-codes.ts'
import { organizationById } from '../../api/organizations/queries.ts'
import { shownHtml } from '../../delivery/frame.ts'
import { imageBytesOf } from '../../api/images/queries.ts'
import { linkImages } from '../../api/images/rules.ts'
import type { Caller } from '../../http/caller.ts'
import { requireAccess } from '../../http/permissions.ts'
import { subscriberOfList } from '../../api/subscribers/queries.ts'
import { ok } from '../../http/envelope.ts'
import { type MailingListRow, mailingListById } from '../../api/mailing-lists/queries.ts'
import { contentPreviewEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

const nobody = { id: 0, email: 'subscriber@example.com', subscribe_ip: '192.0.2.1' }

const links = {
  unsubscribe: 'https://example.com/unsubscribe',
  webVersion: 'https://example.com/web-version',
  unsubscribeToken: '0-0000000000000000000000000000000000000000'
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
      const images = await imageBytesOf(reader, caller.organizationId, carried)
      const written = await contents.preview({
        content: { subject, html, text },
        shared: {
          campaign: { id: 0, name: body.name },
          list: { id: list.id, name: list.name },
          sender: {
            from_email: list.d_from_email,
            from_name: list.d_from_name,
            sender_email: list.d_sender_email,
            reply_to: list.d_reply_to,
            ...body.sender
          },
          fields: await fieldsOfList(reader, caller.organizationId, list.id),
          timeZone: caller.timeZone
        },
        recipient: { ...(await recipientOf(caller, list, body.subscriber_id)), links }
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
