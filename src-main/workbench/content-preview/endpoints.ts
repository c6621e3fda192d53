import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, Nullable } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const Message = { subject: Type.String(), html: Type.String(), text: Type.String() }

/** A content as a recipient would see it, with linked images. */
const ContentPreview = Type.Object({
  ...Message,
  /** The bytes of embedded images in each message. */
  image_bytes: Type.Integer(),
  /** Codes that mean nothing, as they stand in the content. */
  unknown_codes: Type.Array(Type.String()),
  /** True for each form of the message, with header and footer, that contains the unsubscribe link. */
  has_unsubscribe_link: Type.Object({ html: Type.Boolean(), text: Type.Boolean() })
})
export type ContentPreview = Static<typeof ContentPreview>

export const contentPreviewEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/content_preview': {
    access: 'signed_in',
    params: MailingListParams,
    body: Type.Object({
      ...Message,
      name: Type.String(),
      /** The recipient; default: the list's preview data. */
      subscriber_id: Type.Optional(Type.Integer()),
      /** A row of a Remote List's query, by column; it stands for the recipient. */
      row: Type.Optional(Type.Record(Type.String(), Nullable(Type.String()))),
      /** If different from the list's sender. */
      sender: Type.Optional(Type.Object({ from_name: Type.String(), from_email: Type.String() }))
    }),
    answer: envelope(ContentPreview)
  }
})
